"""A judge inside the mapper, from Python; and what becomes of a text on which the work breaks."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.errors import ModelFault, UsageError
from dxjudge.graphs.chooser import Chooser, fell_back
from dxjudge.graphs.many import map_each
from dxjudge.graphs.mapper import Mapper
from dxjudge.graphs.mapping import MappingParts, mapping_graph
from dxjudge.graphs.mapping_estimate import count_mapping
from dxjudge.ontology.mapping import Mapping, read_mapping

from .protocol_server import ProtocolServer, Seen, fail


@pytest.fixture
def own_run(tmp_path: Path) -> Iterator[Run]:
    with Run(cache=tmp_path / "replies.sqlite") as run:
        yield run


def last(seen: Seen) -> Any:
    names = [line[2:] for line in seen.user.splitlines() if line.startswith("- ")]
    return {"choice": names[-1]}


def mapped(mapper: Mapper, chooser: Chooser, *texts: str, **settings: Any) -> list[Mapping]:
    """Map with the session's index and a chooser of one's own."""
    policy = replace(mapper.parts.policy, **settings)
    graph = mapping_graph(MappingParts(policy, chooser))
    return [read_mapping(plain) for plain in graph.invoke({"texts": list(texts)})["mappings"]]


def test_a_chosen_code_is_no_longer_called_distant(mapper: Mapper, own_run: Run) -> None:
    with ProtocolServer(last) as server:
        chooser = Chooser(server.judge(), own_run)
        [mapping] = mapped(mapper, chooser, "feeble heart; bad toes", min_score=0.999)
    assert (mapping.status, mapping.decided_by) == ("mapped", "llm")
    assert mapping.name == mapping.candidates[-1].name
    assert mapping.reason == "2 diagnoses in one text; --split maps each"


def test_what_is_no_diagnosis_is_not_asked(mapper: Mapper, own_run: Run) -> None:
    with ProtocolServer(last) as server:
        found = mapped(mapper, Chooser(server.judge(), own_run), "???", "", "no diagnosis")
    assert server.seen == []
    assert {mapping.status for mapping in found} == {"unmapped"}


def test_half_a_character_is_sent_as_a_replacement_mark(mapper: Mapper, own_run: Run) -> None:
    with ProtocolServer(last) as server, pytest.warns(UserWarning, match="U\\+FFFD"):
        chooser = Chooser(server.judge(), own_run)
        found = mapped(mapper, chooser, "gout \ud800", "feeble heart")
        shown = [seen.user for seen in server.seen if "gout" in seen.user]
    assert [mapping.status for mapping in found] == ["mapped", "mapped"]
    assert all("\ufffd" in text for text in shown)


def test_the_fallback_keeps_what_else_was_said(mapper: Mapper, own_run: Run) -> None:
    with ProtocolServer([{"choice": "Dragon pox"}]) as server:
        chooser = Chooser(server.judge(), own_run, fallback="embedded")
        [mapping] = mapped(mapper, chooser, "pneumonia; sepsis")
    assert mapping.status == "mapped"
    assert (mapping.reason or "").startswith("embedded choice: the model failed (invalid)")
    assert (mapping.reason or "").endswith("; 2 diagnoses in one text; --split maps each")


def test_an_estimate_counts_what_a_run_then_does(mapper: Mapper, own_run: Run) -> None:
    texts = ["Whooping cough", "feeble heart", "toe pain bad", "???"]
    embedded = [mapping for batch in mapper.stream(texts) for mapping in batch]
    with ProtocolServer(last) as server:
        chooser = Chooser(server.judge(), own_run, rerank="ambiguous")
        before = count_mapping(embedded, chooser, own_run).estimate(chooser, own_run)
        assert server.seen == []
        mapped(mapper, chooser, *texts)
        assert (before.texts, before.exact, before.no_choice) == (4, 1, 1)
        (choices,) = before.steps.values()
        assert choices.calls == len(server.seen) == 2 - before.sure
    assert choices.cost is None


def test_without_choosing_a_mapper_asks_nobody() -> None:
    with ProtocolServer(last) as server:
        mapper = Mapper(judge=server.judge())
        [[mapping]] = mapper.stream(["feeble heart"], choose=False)
    assert mapping.decided_by == "embedded"
    assert server.seen == []


def test_only_the_text_that_breaks_the_work_fails() -> None:
    sizes: list[int] = []

    def work(texts: list[str]) -> list[Mapping]:
        sizes.append(len(texts))
        return [Mapping(text, "mapped", code=f"K{35 // len(text)}") for text in texts]

    found = map_each(["a", "", "bc"], work)
    assert [(mapping.text, mapping.status) for mapping in found] == [
        ("a", "mapped"),
        ("", "failed"),
        ("bc", "mapped"),
    ]
    assert (found[1].code, found[1].decided_by) == (None, "none")
    assert (found[1].reason or "").startswith("ZeroDivisionError: ")
    assert sizes == [3, 1, 1, 1]


@pytest.mark.parametrize("fault", [ModelFault("the server is gone"), UsageError("no price")])
def test_what_concerns_every_text_stops_the_work(fault: Exception) -> None:
    calls: list[list[str]] = []

    def work(texts: list[str]) -> list[Mapping]:
        calls.append(texts)
        raise fault

    with pytest.raises(type(fault), match=str(fault)):
        map_each(["a", "b"], work)
    assert calls == [["a", "b"]]


ENGLISH = {"Keuchhusten": "whooping cough", "痛风": "gout", "gout": "gout", "bla bla": None}


def interpreter(seen: Seen) -> Any:
    """A model that translates what it knows and else breaks off."""
    text = next((text for text in ENGLISH if text in seen.user), "")
    return {"language": "some", "english": ENGLISH[text]} if text else fail(500)


def test_a_text_is_searched_in_english_and_keeps_its_words(mapper: Mapper, own_run: Run) -> None:
    with ProtocolServer(interpreter) as server:
        chooser = Chooser(server.judge(), own_run, rerank="none", translate=True)
        found = mapped(mapper, chooser, "Keuchhusten", "痛风", "", "Keuchhusten")
        again = mapped(mapper, chooser, "Keuchhusten")
    assert [each.text for each in found] == ["Keuchhusten", "痛风", "", "Keuchhusten"]
    codes = [(each.code or "")[:3] for each in found]
    assert codes == ["A37", "M10", "", "A37"]
    assert [each.translation for each in found[:3]] == ["whooping cough", "gout", None]
    assert found[0].reason == "translated: whooping cough"
    assert found[2].reason == "empty text"
    # Each distinct text is asked once, what holds no diagnosis never, and again from the cache.
    assert len(server.seen) == 2
    assert again == found[:1]


def test_a_text_in_which_the_model_sees_no_diagnosis_is_unmapped(
    mapper: Mapper, own_run: Run
) -> None:
    with ProtocolServer(interpreter) as server:
        chooser = Chooser(server.judge(), own_run, rerank="none", translate=True)
        [found] = mapped(mapper, chooser, "bla bla")
    assert (found.status, found.code, found.decided_by) == ("unmapped", None, "llm")
    assert found.reason == "the model sees no diagnosis in the text"


def test_a_failed_translation_fails_or_by_choice_leaves_the_text(
    mapper: Mapper, tmp_path: Path
) -> None:
    with ProtocolServer(interpreter) as server, Run(mode="off", max_calls=1) as run:
        chooser = Chooser(server.judge(), run, rerank="none", translate=True)
        gout, failed = mapped(mapper, chooser, "gout", "whooping cough")
        kept = Chooser(server.judge(), run, rerank="none", translate=True, fallback="embedded")
        [fallen] = mapped(mapper, kept, "whooping cough")
    assert (gout.translation, gout.status) == ("gout", "mapped")
    assert (failed.status, failed.code, failed.translation) == ("failed", None, None)
    assert (failed.reason or "").startswith("not translated (budget): ")
    assert (fallen.status, (fallen.code or "")[:3], fallen.translation) == ("mapped", "A37", None)
    assert (fallen.reason or "").startswith("not translated (budget): ")
    assert fell_back(fallen, kept) and not fell_back(gout, chooser)


def test_the_model_chooses_among_the_candidates_of_the_translation(
    mapper: Mapper, own_run: Run
) -> None:
    def answers(seen: Seen) -> Any:
        return last(seen) if "Candidate names" in seen.user else interpreter(seen)

    with ProtocolServer(answers) as server:
        [found] = mapped(mapper, Chooser(server.judge(), own_run, translate=True), "Keuchhusten")
        assert "whooping cough" in server.seen[1].user
    assert (found.text, found.decided_by) == ("Keuchhusten", "llm")
    assert found.code == found.candidates[-1].code
    assert found.reason == "translated: whooping cough"


def test_what_translation_needs_is_said(mapper: Mapper) -> None:
    with pytest.raises(UsageError, match="translate needs a judge"):
        Mapper(translate=True)
    with pytest.raises(UsageError, match="so the judge has nothing to do"):
        Mapper(judge="openai:gpt-4o", rerank="none")
