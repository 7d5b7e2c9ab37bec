"""Count the codes of texts that name several conditions: the first code, and the further ones.

    python benchmarks/several.py [--misses]

benchmarks/data/several.tsv contains 134 texts, written for this project from general knowledge,
with the accepted first codes and the further codes that are meant (`;` between codes, `|` between
accepted ones). A category counts for its unspecified code. The unseen half was written before the
rules and its texts were not looked at. The later texts were written before they were first mapped,
and looked at since. `--misses` prints the texts of the other halves that are not right as a whole.
"""

import argparse
import csv
from collections import Counter
from pathlib import Path

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.tree import load_tree

TEXTS = Path(__file__).parent / "data" / "several.tsv"


def accepted(code: str | None, wanted: str) -> bool:
    """Return whether a code is one of the wanted ones, or the category of an unspecified one."""
    tree = load_tree()
    return code is not None and any(
        code == one
        or (
            tree.node(code) in tree.ancestors(one)
            and tree.descriptor.is_unspecified(tree.name(one))
        )
        for one in wanted.split("|")
    )


def main() -> None:
    """Map the texts and print the counts of each half."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--misses", action="store_true")
    chosen = options.parse_args()
    rows = list(csv.DictReader(TEXTS.open(encoding="utf-8"), delimiter="\t"))
    counts: dict[str, Counter[str]] = {
        "tuning": Counter(),
        "later": Counter(),
        "unseen": Counter(),
    }
    for row, mapping in zip(rows, Mapper().map_many([row["text"] for row in rows]), strict=True):
        meant = row["further"].split("; ") if row["further"] else []
        given = [further.code for further in mapping.additional]
        hits = sum(any(accepted(code, wanted) for code in given) for wanted in meant)
        right = sum(any(accepted(code, wanted) for wanted in meant) for code in given)
        first = accepted(mapping.code, row["first"])
        whole = first and hits == len(meant) and right == len(given)
        counts[row["half"]].update(
            texts=1, first=first, whole=whole, meant=len(meant), given=len(given), right=right
        )
        if chosen.misses and not whole and row["half"] != "unseen":
            print(f"{row['text']}: {mapping.code} {given}, not {row['first']} {meant}")
    print(f"| half | texts | first code right | all right | meant | given | right |\n|{'---|' * 7}")
    for half, count in counts.items():
        names = ("texts", "first", "whole", "meant", "given", "right")
        print(f"| {half} | {' | '.join(str(count[name]) for name in names)} |")


if __name__ == "__main__":
    main()
