"""Measure the mapping on texts of nine styles, by writers who saw nothing of the project.

    python benchmarks/blind.py [--specificity billable]

data/blind.tsv holds 2,959 texts with the code that a careful coder would give (the seventh
character of injuries cut) and the accepted three-character categories: entries of charts, coders'
forms, factors (Z codes), pick lists, an index, names of phenotypes, paraphrases, lay words and
Spanish case reports. The writers set the codes from memory; no coder reviewed them. The texts of
the half "read" whose category was wrong were looked at when rules were made, those of the half
"unread" were not, but for one; of the lists "second" to "fifth" also the first run was kept
(docs/mapping.md).

For each list, style and half the script prints, in percent of all texts: the exact code, the
category at the first candidate and among 15, unmapped texts, and a wrong category at a score of at
least 0.8. An unmapped text is a miss.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path
from typing import get_args

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.mapping import HIGH, Mapping
from dxjudge.ontology.specificity import Specificity

_TABLE = Path(__file__).parent / "data" / "blind.tsv"
_SEVENTH = "STVWXYM"  # chapters whose codes have a seventh character
Row = dict[str, str]


def without_seventh(code: str) -> str:
    """Return a code without its dot, its seventh character and what fills up to it.

    >>> without_seventh("S50.311A"), without_seventh("T14.8XXA"), without_seventh("E11.9")
    ('S50311', 'T148', 'E119')
    """
    plain = code.replace(".", "")
    return plain[:6].rstrip("X") if code[0] in _SEVENTH else plain.rstrip("X")


def places(row: Row, mapping: Mapping) -> tuple[bool, ...]:
    """Return whether a text is in each column."""
    accepted = {*row["categories"].split("|"), row["code"][:3]}
    code = mapping.code or ""
    right = code[:3] in accepted
    exact = bool(code) and without_seventh(code) == without_seventh(row["code"])
    among = any(candidate.code[:3] in accepted for candidate in mapping.candidates)
    return exact, right, among, not code, bool(code) and not right and mapping.score >= HIGH


def main() -> None:
    """Map all texts and print the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--specificity", choices=get_args(Specificity), default="billable")
    chosen = options.parse_args()
    with _TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    mapper = Mapper(added="none", specificity=chosen.specificity)
    groups: defaultdict[tuple[str, str, str], list[tuple[bool, ...]]] = defaultdict(list)
    for row, mapping in zip(rows, mapper.map_many([row["text"] for row in rows]), strict=True):
        groups[row["list"], row["style"], row["half"]].append(places(row, mapping))
    print("| list | style | half | texts | exact | category @1 | @15 | unmapped | wrong at 0.8 |")
    print(f"|{'---|' * 9}")
    for group, found in sorted(groups.items()):
        shares = [f"{100 * sum(column) / len(found):.1f}" for column in zip(*found, strict=True)]
        print(f"| {' | '.join((*group, str(len(found)), *shares))} |")


if __name__ == "__main__":
    main()
