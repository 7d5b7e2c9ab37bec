"""Measure the default mapping on every development set, each in its own style of writing.

    python benchmarks/styles.py --gold FOLDER [--keep FILE] [--before FILE [--changed 20]]

FOLDER contains tab-separated tables `NAME-dev.tsv` with the columns text and codes (`|` separates
accepted codes). For each table the script prints, in percent of all its texts, how often an
accepted code and an accepted category come first and stand among the 15 candidates, how many texts
are unmapped, and how many have a wrong category with a score of at least 0.8 and 0.5. An unmapped
text is a miss at 1; its candidates count among the 15. `--keep` writes the mapping of every text to
a file. `--before` reads such a file and prints its table first, then the differences in points; a
loss of more than 0.3 points in a column of hits ends the script with exit code 1. `--changed`
prints texts whose category was right before and is wrong now, and the reverse.
"""

import argparse
import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.mapping import HIGH, MEDIUM, Mapping
from dxjudge.ontology.tree import load_tree

ALLOWED = 0.3  # points that a column of hits may lose
HITS = ("exact @1", "exact @15", "category @1", "category @15")
COLUMNS = (*HITS, "unmapped", "wrong at 0.8", "wrong at 0.5")
Row = dict[str, Any]


def main() -> None:
    """Map all tables, print them, and compare them with an earlier run."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--keep", type=Path)
    options.add_argument("--before", type=Path)
    options.add_argument("--changed", type=int, default=0)
    chosen = options.parse_args()
    mapper = Mapper(added="none")
    paths = sorted(chosen.gold.glob("*-dev.tsv"))
    now = {path.stem.removesuffix("-dev"): rows_of(path, mapper) for path in paths}
    if chosen.keep:
        chosen.keep.write_text(json.dumps(now, ensure_ascii=False), encoding="utf-8")
    before = json.loads(chosen.before.read_text("utf-8")) if chosen.before else {}
    losses = show(now, before)
    for name in sorted(now.keys() & before.keys()):
        show_changed(name, before[name], now[name], chosen.changed)
    if losses:
        sys.exit(f"more than {ALLOWED} points lost: {', '.join(losses)}")


def rows_of(path: Path, mapper: Mapper) -> list[Row]:
    """Return one row for each text of a table: what it was mapped to, and whether that is right."""
    with path.open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    mappings = mapper.map_many([line["text"] for line in lines])
    return [
        row_of(mapping, line["codes"].split("|"))
        for line, mapping in zip(lines, mappings, strict=True)
    ]


def row_of(mapping: Mapping, accepted: list[str]) -> Row:
    """Return a text with its mapping and its place in each column, 0 or 1."""
    category = load_tree().category
    wanted = {category(code).code for code in accepted}
    codes = [candidate.code for candidate in mapping.candidates]
    first = [mapping.code] if mapping.code else []

    def share(found: list[str]) -> tuple[bool, bool]:
        is_code = not set(accepted).isdisjoint(found)
        return is_code, any(category(code).code in wanted for code in found)

    (exact, right), (exact_of_15, right_of_15) = share(first), share(codes)
    wrong = bool(mapping.code) and not right
    high, medium = (wrong and mapping.score >= least for least in (HIGH, MEDIUM))
    told = (exact, exact_of_15, right, right_of_15, not mapping.code, high, medium)
    return {
        "text": mapping.text,
        "accepted": accepted,
        "code": mapping.code,
        "score": mapping.score,
        "category_score": mapping.category_score,
        **dict(zip(COLUMNS, map(int, told), strict=True)),
    }


def percent(rows: list[Row], column: str) -> float:
    """Return the share of rows in a column, in percent."""
    return 100 * sum(row[column] for row in rows) / len(rows)


def show(now: dict[str, list[Row]], before: dict[str, list[Row]]) -> list[str]:
    """Print the table; return the columns of hits in which a style lost too much."""
    losses = []
    print(f"| table | texts | {' | '.join(COLUMNS)} |\n|{'---|' * (2 + len(COLUMNS))}")
    for name, rows in now.items():
        shares = [percent(rows, column) for column in COLUMNS]
        if earlier := before.get(name):
            told = [percent(earlier, column) for column in COLUMNS]
            _line(f"{name}, before", earlier, [f"{share:.1f}" for share in told])
            moved = [share - old for share, old in zip(shares, told, strict=True)]
            _line(name, rows, [f"{a:.1f} ({b:+.1f})" for a, b in zip(shares, moved, strict=True)])
            pairs = zip(HITS, moved, strict=False)
            losses += [f"{name} {column}" for column, by in pairs if by < -ALLOWED - 1e-9]
        else:
            _line(name, rows, [f"{share:.1f}" for share in shares])
    return losses


def _line(name: str, rows: list[Row], cells: list[str]) -> None:
    print(f"| {name} | {len(rows)} | {' | '.join(cells)} |")


def show_changed(name: str, before: list[Row], now: list[Row], most: int) -> None:
    """Print texts whose category was right before and is wrong now, then the reverse."""
    pairs = list(zip(before, now, strict=True))
    directions: tuple[tuple[str, Callable[[Row, Row], bool]], ...] = (
        ("lost", lambda old, new: old["category @1"] > new["category @1"]),
        ("won", lambda old, new: old["category @1"] < new["category @1"]),
    )
    for word, holds in directions:
        moved = [(old, new) for old, new in pairs if holds(old, new)]
        for old, new in moved[:most]:
            wanted = "|".join(new["accepted"])
            print(f"{name} {word}: {new['text']!r} {old['code']} -> {new['code']} ({wanted})")


if __name__ == "__main__":
    main()
