"""No text that means something else gets a confident code: drugs, denials, histories, homographs.

data/absurdities.tsv: kind, text, and the categories that may be answered, blanks between them; a
text without categories names no diagnosis. A wrong category may be answered with a low score only.
"""

import csv
from collections import Counter
from pathlib import Path

import pytest

from dxjudge import Mapper, Mapping
from dxjudge.ontology.mapping import MEDIUM

TABLE = Path(__file__).parent / "data" / "absurdities.tsv"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.fixture(scope="module")
def mappings(rows: list[dict[str, str]]) -> list[Mapping]:
    return Mapper(added="none").map_many([row["text"] for row in rows])


def test_the_list_is_long_and_of_many_kinds(rows: list[dict[str, str]]) -> None:
    assert len(rows) >= 320
    assert len({row["text"].lower() for row in rows}) == len(rows)
    assert len(Counter(row["kind"] for row in rows)) >= 12


def test_no_absurdity_is_answered_with_confidence(
    rows: list[dict[str, str]], mappings: list[Mapping]
) -> None:
    wrong = [
        (row["text"], mapping.code, mapping.score)
        for row, mapping in zip(rows, mappings, strict=True)
        if mapping.code
        and mapping.score >= MEDIUM
        and mapping.code[:3] not in row["categories"].split()
    ]
    assert wrong == []


def test_scores_of_candidates_are_shares_of_one(mappings: list[Mapping]) -> None:
    for mapping in mappings:
        scores = [candidate.score for candidate in mapping.candidates]
        assert sum(scores) <= 1.0 + 1e-9 and scores == sorted(scores, reverse=True)
        names = [candidate.name.lower() for candidate in mapping.candidates]
        assert len(set(names)) == len(names)
