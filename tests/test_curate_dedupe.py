"""Cases that occur more than once are left out, each with the reason."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.cli.main import run as dxjudge
from dxjudge.curation.duplicates import Link, Thresholds, find_duplicates, find_links
from dxjudge.errors import UsageError

BASE = (
    "A 40-year-old potter has had burning eyes and a dry mouth for two years, and lately painful "
    "swelling before the left ear after meals."
)
CASES = [
    ("a", BASE, "M35.0"),
    ("b", BASE.upper().replace(",", " ,"), "M35.0"),
    ("c", BASE.replace("A 40", "One 40"), "M35.0"),
    ("d", BASE.replace("the left ear after meals", "both ears"), "M35.0"),
    ("e", BASE.replace("the left ear after meals", "both ears").replace("two", "five"), "K11.2"),
    ("f", "A sailor of 30 years has itching weals whenever a cold wind blows over the deck.", ""),
    ("g", "", ""),
    ("h", " ?", ""),
]


def rows_of(cases: list[tuple[str, str, str]]) -> str:
    return "".join(
        json.dumps(dict(zip(("id", "case", "code"), case, strict=True))) + "\n" for case in cases
    )


def test_cases_are_left_out_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.jsonl").write_text(rows_of(CASES), "utf-8")
    words = ["curate", "dedupe", str(tmp_path / "c.jsonl"), "-o", str(tmp_path / "kept.csv")]
    words += ["--codes", "code", "--duplicates", str(tmp_path / "d.jsonl")]
    assert dxjudge(words) == 0
    with (tmp_path / "kept.csv").open(encoding="utf-8", newline="") as file:
        kept = list(csv.DictReader(file))
    # Texts without a word are compared with nothing, so that two empty cases are two cases.
    assert [row["id"] for row in kept] == ["a", "e", "f", "g", "h"]
    left_out = [json.loads(line) for line in (tmp_path / "d.jsonl").open(encoding="utf-8")]
    assert [(row["id"], row["duplicate_of"], row["how"]) for row in left_out] == [
        ("b", "a", "exact"),
        ("c", "a", "near"),
        ("d", "a", "code"),
    ]
    # BASE has 26 words, so 24 runs of three; another first word changes one: 23 in common of 25.
    assert left_out[1]["similarity"] == 23 / 25
    assert "8 cases: 5 stay, 3 are left out (code 1, exact 1, near 1)" in capsys.readouterr().err


def test_a_long_chain_is_one_group_whose_first_text_stays() -> None:
    texts = ["x", "y", "z", "w"]
    links = [Link(0, 2, "near", 0.9), Link(1, 2, "code", 0.6), Link(1, 3, "embedding", 0.97)]
    left_out = find_duplicates(texts, links)
    assert [(one.number, one.kept, one.link.similarity) for one in left_out] == [
        (1, 0, 0.97),
        (2, 0, 0.9),
        (3, 0, 0.97),
    ]


def test_vectors_link_texts_of_other_words() -> None:
    texts = ["heart attack", "myocardial infarction", "gout", ""]
    vectors = np.array([[1, 0], [0.96, 0.28], [0, 1], [1, 0]], dtype=np.float32)
    links = find_links(texts, Thresholds(), vectors=vectors)
    assert links == [Link(0, 1, "embedding", 0.96)]
    assert not find_links(texts, Thresholds(alike=0.97), vectors=vectors)


@given(st.lists(st.text("ab ", max_size=12), max_size=25), st.floats(0.1, 1))
def test_near_texts_are_those_of_a_plain_count(texts: list[str], near: float) -> None:
    found = {(link.first, link.second) for link in find_links(texts, Thresholds(near=near))}
    runs = [_runs(text.split()) for text in texts]
    plain = {
        (i, j)
        for j in range(len(texts))
        for i in range(j)
        if runs[i] and runs[j] and texts[i].split() != texts[j].split()
        and len(runs[i] & runs[j]) / len(runs[i] | runs[j]) >= near
    }  # fmt: skip
    assert {pair for pair in found if texts[pair[0]].split() != texts[pair[1]].split()} == plain


def _runs(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + 3]) for at in range(max(len(words) - 2, 1))} - {()}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--column", "cases"], "has no column 'cases'; did you mean case"),
        (["--codes", "icd"], "has no column 'icd'"),
        (["--near", "0"], "near is 0.0; it must be above 0"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    (tmp_path / "c.jsonl").write_text(rows_of(CASES), "utf-8")
    output = str(tmp_path / "o.csv")
    assert dxjudge(["curate", "dedupe", str(tmp_path / "c.jsonl"), "-o", output, *options]) == 2
    assert words in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("fault", [{"near": 1.1}, {"alike": 0.0}])
def test_thresholds_outside_their_bounds_are_refused(fault: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(fault))):
        Thresholds(**fault)
