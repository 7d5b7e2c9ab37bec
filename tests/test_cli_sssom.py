"""SSSOM out: valid for the `sssom` package, one record a distinct text."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run
from dxjudge.ontology.exchange.mapped_text import MappedText
from dxjudge.ontology.exchange.sssom import write_sssom
from dxjudge.ontology.mapping import Mapping
from dxjudge.ontology.tree import load_tree

MAPPINGS = [
    Mapping(
        '#1 gout, "acute"',
        "mapped",
        "M10.9",
        "Gout, unspecified",
        "Gout, unspecified",
        "official",
        1.0,
        "exact",
        "exact",
    ),
    Mapping(
        "Gout NOS", "mapped", "M10.9", "Gout, unspecified", "Gout NOS", "inclusion", 1.0, "exact"
    ),
    Mapping("toe\tpain\ncrisis", "mapped", "M10", "Gout", "Gout", "official", 0.4321, "embedded"),
    Mapping("podagra", "mapped", "M10", "Gout", score=1.0, decided_by="reviewed"),
    Mapping("big toe", "mapped", "M10", "Gout", "Gout", "official", 0.9, "llm"),
    Mapping("unwell", "unmapped", reason="nothing is close"),
    Mapping("flu", "failed", reason="no answer"),
    Mapping("", "unmapped", reason="empty text"),
]


@contextmanager
def caplog_of(name: str) -> Iterator[list[str]]:
    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger(name).addHandler(handler)
    try:
        yield said
    finally:
        logging.getLogger(name).removeHandler(handler)


def texts_of(mappings: list[Mapping]) -> list[MappedText]:
    return [
        MappedText(mapping, reviewer="A. Reviewer" if mapping.text == "podagra" else "")
        for mapping in mappings
    ]


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from sssom.parsers import parse_sssom_table

    path = tmp_path_factory.mktemp("sssom") / "out.sssom.tsv"
    with path.open("wb") as file:
        write_sssom(file, texts_of(MAPPINGS), load_tree())
    # Its strict mode takes a regular header for an irregular one, so the log is looked at.
    with caplog_of("root") as said:
        found = parse_sssom_table(path)
    assert said == []
    return found


def test_is_valid_for_the_sssom_package(parsed: Any) -> None:
    from sssom.validators import validate

    reports = validate(parsed, fail_on_error=True)
    assert reports
    assert all(not report.results for report in reports.values())


def test_says_what_is_mapped_to_what_and_why(parsed: Any) -> None:
    columns = ["subject_label", "predicate_id", "object_id", "mapping_justification"]
    rows = [tuple(row) for row in parsed.df[columns].itertuples(index=False)]
    assert sorted(rows) == sorted(
        [
            ('#1 gout, "acute"', "skos:exactMatch", "ICD10CM:M10.9", "semapv:LexicalMatching"),
            ("Gout NOS", "skos:broadMatch", "ICD10CM:M10.9", "semapv:LexicalMatching"),
            (
                "toe\tpain\ncrisis",
                "skos:closeMatch",
                "ICD10CM:M10",
                "semapv:SemanticSimilarityThresholdMatching",
            ),
            ("podagra", "skos:closeMatch", "ICD10CM:M10", "semapv:ManualMappingCuration"),
            ("big toe", "skos:closeMatch", "ICD10CM:M10", "semapv:CompositeMatching"),
            (
                "unwell",
                "skos:closeMatch",
                "sssom:NoTermFound",
                "semapv:SemanticSimilarityThresholdMatching",
            ),
        ]
    )


def test_one_text_has_one_id_in_every_set(tmp_path: Path) -> None:
    ids = []
    for name, mappings in (("one", MAPPINGS), ("two", MAPPINGS[2:4])):
        with (tmp_path / name).open("wb") as file:
            write_sssom(file, texts_of(mappings), load_tree())
        lines = (tmp_path / name).read_text("utf-8").splitlines()
        ids.append({line.split("\t")[0] for line in lines if "\tpodagra\t" in line})
        address = next(line for line in lines if line.startswith("# mapping_set_id: "))
        assert '"https://w3id.org/sssom/mappings/' in address
    assert ids[0] == ids[1] and len(ids[0]) == 1


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        (["convert", "one.sssom.tsv", "-O", "rdf"], None),
        (["convert", "one.sssom.tsv", "-O", "owl"], None),
        (["diff", "one.sssom.tsv", "two.sssom.tsv"], 6),
        (["dedupe", "one.sssom.tsv"], 6),
        (["merge", "one.sssom.tsv", "two.sssom.tsv"], 6),
        (["crosstab", "one.sssom.tsv"], None),
        (["partition", "one.sssom.tsv", "two.sssom.tsv", "-d", "."], None),
    ],
)
def test_commands_of_the_sssom_package_lose_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], lines: int | None
) -> None:
    from click.testing import CliRunner
    from sssom.cli import main

    monkeypatch.chdir(tmp_path)
    for name, mappings in (("one", MAPPINGS), ("two", MAPPINGS[2:])):
        with Path(f"{name}.sssom.tsv").open("wb") as file:
            write_sssom(file, texts_of(mappings), load_tree())
    output = [] if "partition" in command else ["-o", "result"]
    done = CliRunner().invoke(main, [*command, *output])
    assert done.exit_code == 0, done.output
    if lines is not None:
        written = Path("result").read_text("utf-8").replace("pain\ncrisis", "pain crisis")
        rows = [line for line in written.splitlines() if not line.startswith("#")]
        assert len(rows) == 1 + lines


def test_carries_confidence_reviewer_and_where_it_comes_from(parsed: Any) -> None:
    rows = {row["subject_label"]: row for row in parsed.df.to_dict("records")}
    assert float(rows["toe\tpain\ncrisis"]["confidence"]) == 0.4321
    assert rows["podagra"]["reviewer_label"] == "A. Reviewer"
    assert rows["unwell"]["mapping_cardinality"] == "1:0"
    for row in rows.values():
        assert row["mapping_tool"] == "dxjudge"
        assert row["object_source"] == "bioregistry:icd10cm"
        assert row["subject_id"].startswith("text:") and len(row["subject_id"]) == 5 + 16
        assert row["subject_category"] == "diagnosis"
        assert "simple-icd-10-cm" in row["object_source_version"]


def test_the_same_mappings_are_the_same_set() -> None:
    def written(mappings: list[Mapping]) -> str:
        file = io.BytesIO()
        write_sssom(file, texts_of(mappings), load_tree())
        return file.getvalue().decode().splitlines()[0]

    assert written(MAPPINGS) == written(MAPPINGS)
    assert written(MAPPINGS) != written(MAPPINGS[1:])


def test_an_empty_set_is_a_valid_file(tmp_path: Path) -> None:
    from sssom.parsers import parse_sssom_table

    with (tmp_path / "out.sssom.tsv").open("wb") as file:
        write_sssom(file, [], load_tree("icd10"))
    assert len(parse_sssom_table(tmp_path / "out.sssom.tsv").df) == 0


def test_the_command_writes_a_record_for_each_distinct_text(tmp_path: Path) -> None:
    from sssom.parsers import parse_sssom_table
    from sssom.validators import validate

    rows = ["id,dx", "1,Whooping cough", "2,Bell's palsy; shingles", "3,Whooping cough", "4,???"]
    (tmp_path / "in.csv").write_text("\n".join(rows))
    out = tmp_path / "out.sssom.tsv"
    assert run(["map", str(tmp_path / "in.csv"), "--split", "-q", "-o", str(out)]) == 0
    parsed = parse_sssom_table(out)
    validate(parsed, fail_on_error=True)
    found = dict(zip(parsed.df["subject_label"], parsed.df["object_id"], strict=True))
    assert found == {
        "Whooping cough": "ICD10CM:A37",
        "Bell's palsy": "ICD10CM:G51.0",
        "shingles": "ICD10CM:B02",
        "???": "sssom:NoTermFound",
    }
