"""Measure the mapping of kinds of texts that no development table has.

    python benchmarks/kinds.py [--misses]

benchmarks/data/kinds.tsv contains entries of an index ("Failure, heart, acute"), of clinicians'
pick lists and charts, names of research phenotypes, factors, lay words and combined conditions,
written for this project from general knowledge, with the accepted three-character categories. The
misses of the tuning half were read; those of the held half were not. The script prints for each
half and kind the columns of `benchmarks/styles.py` that are about categories. `--misses` prints
the texts of the tuning half whose category is wrong.
"""

import argparse
import csv
from pathlib import Path

from styles import COLUMNS, Row, percent, row_of

from dxjudge.graphs.mapper import Mapper

TABLE = Path(__file__).parent / "data" / "kinds.tsv"
SHOWN = [column for column in COLUMNS if not column.startswith("exact")]


def main() -> None:
    """Map the texts and print a table for each half."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--misses", action="store_true")
    chosen = options.parse_args()
    with TABLE.open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    mappings = Mapper(added="none").map_many([line["text"] for line in lines])
    parts: dict[tuple[str, str], list[Row]] = {}
    for line, mapping in zip(lines, mappings, strict=True):
        row = row_of(mapping, line["categories"].split())
        parts.setdefault((line["half"], line["kind"]), []).append(row)
        if chosen.misses and line["half"] == "tuning" and not row["category @1"]:
            print(f"{line['kind']}: {line['text']!r} {mapping.code} ({line['categories']})")
    print(f"| half | kind | texts | {' | '.join(SHOWN)} |\n|{'---|' * (3 + len(SHOWN))}")
    for (half, kind), rows in sorted(parts.items(), reverse=True):
        shares = [f"{percent(rows, column):.1f}" for column in SHOWN]
        print(f"| {half} | {kind} | {len(rows)} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
