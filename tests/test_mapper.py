"""Mapping end to end over the whole base, and the graph inside somebody else's graph."""

import subprocess
import sys
from typing import Any, TypedDict

import pandas
import polars
import pyarrow
import pytest

from dxjudge.errors import InputError, UsageError
from dxjudge.graphs import mapper as mapper_module
from dxjudge.graphs.chooser import is_judge
from dxjudge.graphs.many import ADDED
from dxjudge.graphs.mapper import Mapper
from dxjudge.graphs.mapping import map_embedded, mapping_graph, mapping_node
from dxjudge.ontology.mapping import Mapping, band_of, read_mapping
from dxjudge.ontology.packaged import packaged, word_lists
from dxjudge.ontology.specificity import Specificity, at_specificity
from dxjudge.ontology.tree import load_tree


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Acute appendicitis", "K35"),
        ("heart attack", "I21"),
        ("COPD", "J44"),
        ("whooping cough", "A37"),
        ("Crohn's disease", "K50"),
        ("Guillain-Barré syndrome", "G61.0"),
        ("iron deficiency anaemia", "D50"),
    ],
)
def test_maps_what_people_write(mapper: Mapper, text: str, code: str) -> None:
    mapping = mapper.map(text)
    assert mapping.status == "mapped"
    assert mapping.code is not None and mapping.code.startswith(code)
    assert mapping.candidates[0].code == mapping.code
    assert mapping.name == load_tree().name(mapping.code)


def test_only_a_text_that_equals_no_term_is_read_by_its_parts(mapper: Mapper) -> None:
    def kinds(text: str) -> list[str]:
        return [form.kind for form in mapper.parts.retriever.read(text).forms]

    assert kinds("Abscess of lung with pneumonia") == ["whole"]  # a name of ICD-10-CM
    assert kinds("Abscess of lung with hiccups") == ["whole", "first part"]


def test_an_official_name_is_exact(mapper: Mapper) -> None:
    mapping = mapper.map("ASTHMA")
    assert (mapping.code, mapping.decided_by, mapping.band, mapping.score) == (
        "J45",
        "exact",
        "exact",
        1.0,
    )
    assert (mapping.term, mapping.source) == ("Asthma", "official")


def test_candidates_are_ranked_distinct_and_explained(mapper: Mapper) -> None:
    found = mapper.map("inflamation of the pancreas, sudden onset").candidates
    assert len(found) == 15
    assert len({candidate.code for candidate in found}) == 15
    scores = [candidate.score for candidate in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert all(candidate.why for candidate in found)
    assert "K85" in {candidate.code[:3] for candidate in found}


@pytest.mark.parametrize("text", ["", "???", "no diagnosis", "Hb 9.2 g/dL", "MS", "x" * 5000])
def test_what_is_no_diagnosis_is_unmapped_with_a_reason(mapper: Mapper, text: str) -> None:
    mapping = mapper.map(text)
    assert (mapping.status, mapping.code, mapping.decided_by) == ("unmapped", None, "none")
    assert mapping.reason


def test_an_ambiguous_abbreviation_shows_its_meanings_as_candidates(mapper: Mapper) -> None:
    found = {candidate.code[:3] for candidate in mapper.map("MS").candidates}
    assert {"G35", "I05"} <= found or {"G35", "I34"} <= found


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("family history of breast cancer", "Z80"),
        ("FHx CAD", "Z82"),
        ("mother has diabetes", "Z83"),
        ("familial hypercholesterolemia", "E78"),
    ],
)
def test_what_a_relative_has_is_a_factor(mapper: Mapper, text: str, code: str) -> None:
    mapping = mapper.map(text)
    assert (mapping.code or "")[:3] == code and mapping.reason is None


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("h/o breast ca", "Z85"),
        ("history of stroke", "Z86"),
        ("prior MI", "I25"),
        ("colon cancer screening", "Z12"),
        ("exposure to TB", "Z20"),
        ("s/p CABG", "Z95"),
        ("Fit/Adjust of Hearing Aid", "Z46"),
        ("HIV asymptomatic", "Z21"),
        ("Headache NEC", "R51"),
        ("SARS-CoV-2 infection", "U07"),
    ],
)
def test_factors_and_the_words_of_coders_are_read(mapper: Mapper, text: str, category: str) -> None:
    assert (mapper.map(text).code or "")[:3] == category


def test_the_history_of_a_chronic_disease_is_the_disease(mapper: Mapper) -> None:
    mapping = mapper.map("h/o diabetes")
    assert (mapping.code or "")[:3] == "E11"
    assert mapping.reason == "'h/o' was set aside: the code is that of the condition"


@pytest.mark.parametrize(
    "text",
    [
        "not septic",
        "never had TB",
        "ruled out for MI",
        "HIV negative",
        "no longer depressed",
        "absence of seizures",
        "MI was excluded",
        "seizure free",
    ],
)
def test_what_is_denied_is_unmapped(mapper: Mapper, text: str) -> None:
    mapping = mapper.map(text)
    assert mapping.code is None or mapping.code.startswith("Z")


def test_no_appetite_is_a_complaint(mapper: Mapper) -> None:
    assert (mapper.map("no appetite").code or "")[:3] == "R63"


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("HTN, DM2, HLD", "HTN; DM2; HLD"),
        ("HTN, DM2, and HLD", "HTN; DM2; HLD"),
        ("DM2+HLD", "DM2; HLD"),
        ("Anemia, iron deficiency", None),  # one diagnosis, the noun first
        ("fever and cough", "fever; cough"),
        ("nausea and vomiting", None),  # one term
        ("acute bronchitis, viral", None),
        ("fracture of the tibia and fibula", None),
    ],
)
def test_terms_in_a_row_are_told_of(mapper: Mapper, text: str, listed: str | None) -> None:
    mapping = mapper.map(text)
    assert mapping.status == "mapped" and mapping.parts == ()
    if listed is None:
        assert mapping.reason is None
    else:
        assert f"if it is written {listed!r}, --split maps each" in (mapping.reason or "")


def test_several_diagnoses_in_one_cell_are_reported(mapper: Mapper) -> None:
    mapping = mapper.map("pneumonia; sepsis")
    assert mapping.parts == ("pneumonia", "sepsis")
    assert "2 diagnoses in one text" in (mapping.reason or "")


def test_a_code_does_not_hang_on_the_other_texts_of_a_run(mapper: Mapper) -> None:
    texts = ["kidney stone", "broken wrist", "sugar diabetes", "water on the brain"]
    together = mapper.map_many(texts)
    assert together == [mapper.map(text) for text in texts]
    assert together == mapper.map_many(texts[::-1])[::-1]


TEXTS = ["asthma", "asthma", "migraine"]
CODES = ["J45", "J45", "G43"]


def test_a_list_a_generator_and_a_series_give_a_list(mapper: Mapper) -> None:
    expected = mapper.map_many(TEXTS)
    assert [mapping.code for mapping in expected] == CODES
    assert mapper.map_many(text for text in TEXTS) == expected
    assert mapper.map_many(pandas.Series(TEXTS, dtype="category")) == expected
    assert mapper.map_many(polars.Series(TEXTS)) == expected
    assert mapper.map_many(pyarrow.array(TEXTS)) == expected
    missing = mapper.map_many(pandas.Series(["asthma", None, float("nan"), pandas.NA, pandas.NaT]))
    assert [mapping.status for mapping in missing] == ["mapped", *["unmapped"] * 4]


def test_a_frame_gives_a_frame_of_the_same_kind_with_columns_added(mapper: Mapper) -> None:
    rows = [{"id": n, "dx": text, "code": "own"} for n, text in enumerate(TEXTS)]
    frame = pandas.DataFrame(rows, index=pandas.Index([7, 8, 9], name="row"))
    mapped = mapper.map_many(frame, column="dx")
    assert list(mapped.index) == [7, 8, 9]
    added = ["code_dxjudge", *ADDED[1:]]
    assert list(mapped.columns) == ["id", "dx", "code", *added]
    assert list(mapped["code_dxjudge"]) == CODES
    assert "name" not in frame.columns
    lazy = mapper.map_many(polars.LazyFrame(rows))
    assert isinstance(lazy, polars.LazyFrame)
    assert lazy.collect()["code_dxjudge"].to_list() == CODES
    table = pyarrow.Table.from_pylist(rows)
    for given in (table, table.to_batches()[0], table.to_reader()):
        back = mapper.map_many(given)
        assert back.column("code_dxjudge").to_pylist() == CODES
        assert back.schema.field("id") == table.schema.field("id")
        assert isinstance(back, type(given)) or isinstance(given, pyarrow.RecordBatchReader)
    assert [row["code_dxjudge"] for row in mapper.map_many(rows)] == CODES


def test_missing_values_of_every_frame_are_empty_texts(mapper: Mapper) -> None:
    cells = ["asthma", None, pandas.NA, float("nan")]
    for frame in (
        pandas.DataFrame({"dx": pandas.Series(cells, dtype=object)}),
        pandas.DataFrame({"dx": pandas.Series(cells[:3], dtype="string")}),
        pandas.DataFrame({"dx": pandas.Series(cells[:2], dtype="category")}),
        polars.DataFrame({"dx": ["asthma", None]}),
        pyarrow.table({"dx": pyarrow.array(["asthma", None]).dictionary_encode()}),
        [{"dx": "asthma"}, {"dx": None}, {"id": 3}],
    ):
        back = mapper.map_many(frame)
        statuses = [row["status"] for row in back] if isinstance(back, list) else back["status"]
        listed = getattr(statuses, "to_pylist", lambda held=statuses: list(held))()
        assert listed == ["mapped", *["unmapped"] * (len(listed) - 1)], type(frame)


def test_a_column_that_is_not_certain_is_named(mapper: Mapper) -> None:
    twice = pandas.DataFrame([["asthma", "gout"]], columns=["dx", "dx"])
    with pytest.raises(UsageError, match="2 columns 'dx'"):
        mapper.map_many(twice, column="dx")
    with pytest.raises(UsageError, match="there are: a, b"):
        mapper.map_many(polars.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(UsageError, match="for a frame"):
        mapper.map_many(["asthma"], column="dx")
    with pytest.raises(InputError, match="row 1: column 'dx' holds a list"):
        mapper.map_many(polars.DataFrame({"dx": [["asthma"]]}))


def test_a_stream_maps_each_distinct_text_once(mapper: Mapper) -> None:
    # Before, 640 texts of 4 kinds were mapped 640 times.
    texts = ["asthma", "gout", "migraine", "flu"] * 160
    mappings = [mapping for batch in mapper.stream(iter(texts)) for mapping in batch]
    assert [mapping.text for mapping in mappings] == texts
    assert len({id(mapping) for mapping in mappings}) == 4


def test_a_used_mapper_can_be_sent_to_other_processes(mapper: Mapper) -> None:
    # Before, a used one could not be pickled, and Pool.map with it never ended.
    expected = [mapper.map(text).code for text in TEXTS]
    program = (
        "import multiprocessing, sys\n"
        "from dxjudge.graphs.mapper import Mapper\n"
        "if __name__ == '__main__':\n"
        "    mapper = Mapper()\n"
        "    mapper.map('gout')\n"
        "    context = multiprocessing.get_context(sys.argv[1])\n"
        "    with context.Pool(1) as pool:\n"
        "        mapped = pool.map(mapper.map, ['asthma', 'asthma', 'migraine'], chunksize=1)\n"
        "    print(*(mapping.code for mapping in mapped))\n"
    )
    for method in ("spawn", "fork"):
        done = subprocess.run(
            [sys.executable, "-c", program, method],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        assert done.stdout.split() == expected, method


def test_bad_values_and_options_name_what_is_wrong(mapper: Mapper) -> None:
    with pytest.raises(InputError, match="item 1 is int 7"):
        mapper.map_many(["asthma", 7])
    with pytest.raises(UsageError, match="use map for one text"):
        mapper.map_many("asthma")
    with pytest.raises(UsageError, match="no column 'dx'"):
        mapper.map_many(pandas.DataFrame({"a": ["x"], "b": ["y"]}), column="dx")
    with pytest.raises(UsageError, match="specificity"):
        Mapper(specificity="vague")
    with pytest.raises(UsageError, match="top_k"):
        Mapper(top_k=0)
    with pytest.raises(UsageError, match="fallback"):
        Mapper(model="openai:gpt-4o", fallback="other")  # type: ignore[arg-type]


def test_specificity_is_a_policy(mapper: Mapper) -> None:
    tree = load_tree()
    assert at_specificity("J44.1", "category", tree) == "J44"
    assert at_specificity("J44.1", "concept", tree) == "J44.1"
    assert at_specificity("J45", "billable", tree) == "J45.909"  # unspecified, uncomplicated
    overdose = "acetaminophen overdose, intentional"
    assert at_specificity("T39.1", "billable", tree, (), overdose) == "T39.1X2A"
    assert at_specificity("E11.331", "billable", tree, (), "NPDR OD w/ DME") == "E11.3311"
    assert at_specificity("H92.0", "billable", tree, (), "otalgia AS") == "H92.02"
    assert at_specificity("H92.0", "billable", tree, (), "otalgia AS, AD") == "H92.09"
    assert at_specificity("T39.1", "billable", tree, (), "overdose") == "T39.1X1A"
    assert at_specificity("O99.28", "billable", tree, (), "second trimester") == "O99.282"
    assert at_specificity("J45", "billable", tree, ["J45.909"]) == "J45.909"
    assert tree.is_billable(at_specificity("S52", "billable", tree))
    assert at_specificity("J18", "billable", tree, ["J18.8", "J18.0"], "pneumonia") == "J18.9"
    breast = "left breast cancer"
    assert at_specificity("C50", "billable", tree, ["C50.922"], breast) == "C50.912"
    assert at_specificity("C50.9", "billable", tree, [], f"{breast}, male") == "C50.922"
    assert at_specificity("I82.40", "billable", tree, ["I82.401"], "DVT L leg") == "I82.402"
    assert at_specificity("I82.40", "billable", tree, [], "DVT") == "I82.409"
    assert at_specificity("S72.00", "billable", tree, [], "left hip fx") == "S72.002A"
    assert at_specificity("C50", "billable", tree, ["C50.A2"], "left breast cancer") == "C50.912"


def test_what_is_denied_is_no_diagnosis_and_what_is_past_or_in_doubt_is_said(
    mapper: Mapper,
) -> None:
    denied = mapper.map_many(["no DVT", "DVT ruled out", "no h/o asthma", "negative for gout"])
    assert [each.status for each in denied] == ["unmapped"] * 4
    assert denied[0].reason == "says that it is not there: DVT"
    assert Mapper(min_score=0.0).map("no DVT").status == "mapped"  # as asked for
    for text, word in (("h/o asthma", "h/o"), ("?asthma", "?"), ("r/o asthma", "r/o")):
        mapping = mapper.map(text)
        assert mapping.status == "mapped" and mapping.reason
        assert mapping.reason == f"{word!r} was set aside: the code is that of the condition"
    assert mapper.map("asthma").reason is None
    category = Mapper(specificity="category")
    category.parts  # noqa: B018 (builds before the assertion below)
    assert category.map("acute on chronic systolic heart failure").code == "I50"


def test_the_minimum_score_is_honoured(mapper: Mapper) -> None:
    strict = Mapper(min_score=0.999)
    mapping = strict.map("something like a bad knee")
    assert mapping.status == "unmapped"
    assert "below 0.999" in (mapping.reason or "")
    assert mapping.candidates


def test_the_signature_names_what_makes_the_mapping(mapper: Mapper) -> None:
    signature = mapper.signature
    assert signature["ontology"] == "icd10cm"
    assert signature["sources"]["official"] > 40_000
    named = ("dxjudge", "edition", "index", "encoder", "reranker", "refusal", "reading")
    for part in (*named, "top_k", "specificity"):
        assert signature[part]
    digests = [signature[part] for part in ("reranker", "refusal", "reading")]
    assert len({*digests}) == 3 and all(len(digest) == 12 for digest in digests)


def test_every_list_of_words_moves_the_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    class Edited:
        def read_bytes(self) -> bytes:
            return b"edited"

    names, digest = word_lists(), mapper_module._digest.__wrapped__
    assert {"denials.tsv", "combinations.tsv", "organisms.tsv"} < {*names}
    seen = {digest(*names)}
    for edited in names:
        found = {name: packaged(name) for name in names} | {edited: Edited()}
        monkeypatch.setattr(mapper_module, "packaged", found.__getitem__)
        seen.add(digest(*names))
    assert len(seen) == len(names) + 1


def test_a_mapping_goes_through_json(mapper: Mapper) -> None:
    mapping = mapper.map("pneumonia; sepsis")
    assert read_mapping(mapping.as_json()) == mapping


def test_a_mark_of_a_list_before_a_term_changes_nothing(mapper: Mapper) -> None:
    """As in lists of problems; before another text it is a fracture."""
    terms = ["hypertension", "AKI"]
    pairs = zip(
        mapper.map_many([f"# {term}" for term in terms]), mapper.map_many(terms), strict=True
    )
    for marked, plain in pairs:
        assert marked.code == plain.code and marked.score == pytest.approx(plain.score, abs=0.03)
    assert (mapper.map("# wrist").code or "").startswith("S6")


def test_what_another_person_has_is_not_the_patients(mapper: Mapper) -> None:
    """But a contact that may infect is, and so is what runs in a family."""
    wife, husband, son = mapper.map_many(["wife has dementia", "husband has TB", "son with autism"])
    assert (wife.status, wife.code) == ("unmapped", None) and "'wife has'" in (wife.reason or "")
    assert (husband.code, (son.code or "")[:3]) == ("Z20.1", "Z81")


def test_bands() -> None:
    assert [band_of(score, "embedded") for score in (0.8, 0.79, 0.5, 0.49)] == [
        "high",
        "medium",
        "medium",
        "low",
    ]
    assert band_of(1.0, "exact") == "exact"


@pytest.mark.parametrize(
    ("model", "judge"),
    [
        ("default", False),
        ("openai:text-embedding-3-large", False),
        ("some/sentence-model", False),
        ("openai:gpt-4o", True),
        ("anthropic:claude-sonnet-4-20250514", True),
        ("openai:qwen@http://127.0.0.1:8000/v1", True),
    ],
)
def test_a_model_name_means_a_judge_or_an_encoder(model: str, judge: bool) -> None:
    assert is_judge(model) is judge


class Visit(TypedDict, total=False):
    """The state of somebody else's graph."""

    note: str
    coded: dict[str, Any]
    texts: list[str]
    mappings: list[dict[str, Any]]


def test_the_graph_is_a_node_of_another_graph(mapper: Mapper) -> None:
    from langgraph.graph import END, START, StateGraph

    outer = StateGraph(Visit)
    outer.add_node("gather", lambda state: {"texts": [state["note"], "asthma"]})
    outer.add_node("map", mapping_graph(mapper.parts))
    outer.add_node("code", mapping_node(mapper.parts, read="note", write="coded"))
    outer.add_edge(START, "gather")
    outer.add_edge("gather", "map")
    outer.add_edge("map", "code")
    outer.add_edge("code", END)
    result = outer.compile().invoke({"note": "migraine"})
    assert [read_mapping(plain).code for plain in result["mappings"]] == ["G43", "J45"]
    assert read_mapping(result["coded"]) == mapper.map("migraine")
    assert set(result) == {"note", "texts", "mappings", "coded"}


async def _ainvoke(mapper: Mapper) -> Mapping:
    result = await mapper.graph.ainvoke({"texts": ["asthma"]})
    return read_mapping(result["mappings"][0])


def test_the_graph_runs_async_too(mapper: Mapper) -> None:
    import asyncio

    assert asyncio.run(_ainvoke(mapper)).code == "J45"


def test_a_short_run_without_a_model_needs_no_graph_engine_and_no_chroma() -> None:
    code = (
        "import sys; from dxjudge import Mapper; "
        "assert Mapper().map('Heart attak').code; "
        "print([name for name in ('langgraph', 'chromadb', 'sklearn') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_nodes_give_what_the_graph_gives(mapper: Mapper) -> None:
    texts = ["heart attack", "lisinopril 10 mg", "", "feeble heart; bad toes", "scrub tyfus"]
    assert map_embedded(mapper.parts, texts) == mapper.graph.invoke({"texts": texts})["mappings"]


def test_broader_codes_of_the_first_join_the_candidates(mapper: Mapper) -> None:
    ranked = [each.code for each in mapper.search("tear of the meniscus of the knee", 200)]
    shown = [each.code for each in mapper.search("tear of the meniscus of the knee", 15)]
    assert shown[:10] == ranked[:10]
    assert shown == sorted(shown, key=ranked.index)
    broader = {code[:3] for code in shown[:10]} & set(ranked)
    assert broader <= set(shown)
    assert [each.code for each in mapper.search("tear of the meniscus of the knee", 3)] == ranked[
        :3
    ]


@pytest.mark.parametrize(
    ("specificity", "shown", "code"),
    [
        ("concept", "R07.89", "R07.89"),
        ("billable", "R07.89", "R07.89"),
        ("category", "R07.8", "R07"),
    ],
)
def test_a_name_stands_once_and_the_other_code_of_it_is_named(
    specificity: Specificity, shown: str, code: str
) -> None:
    mapping = Mapper(added="none", specificity=specificity).map("atypical chest pain")
    first = mapping.candidates[0]
    hidden = "R07.8" if shown == "R07.89" else "R07.89"
    assert (first.code, mapping.code) == (shown, code)
    assert first.why.endswith(f"; {hidden} has the same name")
    assert hidden not in [candidate.code for candidate in mapping.candidates]


def test_codes_of_one_name_stay_where_neither_is_above_the_other(mapper: Mapper) -> None:
    # H54.2X1 is low vision of both eyes, H54.511 of the right one alone.
    candidates = mapper.map("low vision right eye category 1").candidates
    same = {each.code for each in candidates if each.name == "Low vision, right eye, category 1"}
    assert same == {"H54.2X1", "H54.511"}


def test_a_mapping_shows_itself_in_short_and_escaped(mapper: Mapper) -> None:
    mapping = mapper.map("heart attack")
    assert repr(mapping) == (
        "Mapping('heart attack', mapped: I21 'Acute myocardial infarction', "
        f"{mapping.score:.2f}, exact, 15 candidates)"
    )
    page = mapping._repr_html_()
    told = f"({mapping.score:.2f}, exact)"
    assert f"heart attack → <b>I21 Acute myocardial infarction {told}</b>" in page
    assert page.count("<tr>") == 1 + 5
    strange = mapper.map("<script>alert('x')</script> " * 9)
    assert "<script" not in strange._repr_html_() and len(repr(strange)) < 300
    assert repr(mapper.map("")) == "Mapping('', unmapped: 'empty text', 0 candidates)"


def test_a_released_mapper_opens_its_index_again() -> None:
    mapper = Mapper()
    before, signature = mapper.map("heart attack"), mapper.signature
    mapper.release()
    assert "parts" not in vars(mapper)
    assert mapper.map("heart attack") == before
    assert mapper.signature == signature


@pytest.mark.parametrize("text", ["heat stroke", "heroin overdose", "EDH"])
def test_a_code_below_of_the_same_name_is_as_likely(mapper: Mapper, text: str) -> None:
    # T67.0 and T67.01 have one name; the billable one had a score of 0.0022.
    below = Mapper(added="none", specificity="billable").map(text)
    above = mapper.map(text)
    assert above.code is not None
    assert below.code is not None
    assert below.code.startswith(above.code)
    assert below.code != above.code
    assert below.score == above.score
