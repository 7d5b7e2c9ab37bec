"""Measure the mapping of diagnoses as clinicians write them in charts.

    python benchmarks/charts.py [--misses 20]

benchmarks/data/charts.tsv contains entries of problem lists (short forms, measures, second
conditions), written for this project, with the accepted three-character categories. For the tuning
half and the test half the script prints, with 95 % intervals (Wilson), the share of texts that are
not refused, and the shares with an accepted category at the first candidate and among 15
candidates. `--misses` prints rows of the tuning half whose first candidate is wrong.
"""

import argparse
import csv
from pathlib import Path

from dxjudge.graphs.mapper import Mapper
from dxjudge.scoring.share_limits import wilson

CHARTS = Path(__file__).parent / "data" / "charts.tsv"


def main() -> None:
    """Map the entries and print the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--misses", type=int, default=0)
    chosen = options.parse_args()
    rows = list(csv.DictReader(CHARTS.open(encoding="utf-8"), delimiter="\t"))
    mappings = Mapper(added="none").map_many([row["text"] for row in rows])
    print(f"| half | texts | pass | category @1 | category @15 |\n|{'---|' * 5}")
    for half in ("tune", "test"):
        inside = [
            (row, mapping)
            for row, mapping in zip(rows, mappings, strict=True)
            if row["half"] == half
        ]
        counts = {"pass": 0, "first": 0, "fifteen": 0}
        missed = []
        for row, mapping in inside:
            accepted = set(row["codes"].split("|"))
            hits = [candidate.code[:3] in accepted for candidate in mapping.candidates]
            counts["pass"] += mapping.status == "mapped"
            counts["first"] += any(hits[:1])
            counts["fifteen"] += any(hits)
            if not any(hits[:1]):
                missed.append(f"{row['text']} | {row['codes']} | {mapping.candidates[:1]}")
        cells = [_share(count, len(inside)) for count in counts.values()]
        print(f"| {half} | {len(inside)} | {' | '.join(cells)} |")
        if half == "tune":
            print("\n".join(missed[: chosen.misses]), end="\n" if chosen.misses else "")


def _share(count: int, of: int) -> str:
    low, high = wilson(count / of, of)
    return f"{count / of:.1%} [{100 * low:.1f}, {100 * high:.1f}]"


if __name__ == "__main__":
    main()
