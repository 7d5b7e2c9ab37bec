"""Measure the mapping to the WHO's ICD-10 on the development tables, whose codes are ICD-10-CM.

    python benchmarks/who.py --gold FOLDER

FOLDER holds tab-separated tables `NAME-dev.tsv` with the columns text and codes (`|` separates
accepted codes). A text counts where the WHO has an accepted category that is a disease, finding or
injury (A to T). The script prints, for each table, how often such a category comes first and stands
among the 15 candidates, the texts without a code, those with a wrong category at a score of 0.8 or
more, and how far the confidence of the category holds: its Brier score, its calibration error, and
its mean beside the share that is right. The confidences were fitted for ICD-10-CM.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.mapping import HIGH, Mapping
from dxjudge.ontology.tree import Tree, load_tree

SURE = 0.9  # the confidence of a category


def main() -> None:
    """Map all tables and print one line for each."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    tables = sorted(options.parse_args().gold.glob("*-dev.tsv"))
    mapper = Mapper("icd10", added="none")
    print(
        "| table | texts | category @1 / @15 | unmapped | wrong at 0.8 | Brier | told, right | "
        "sure: told, right |"
    )
    print(f"|{'---|' * 8}")
    for path in tables:
        texts, wanted = wanted_of(path, load_tree(), load_tree("icd10"))
        if texts:
            line(path.stem.removesuffix("-dev"), mapper.map_many(texts), wanted)


def wanted_of(path: Path, american: Tree, who: Tree) -> tuple[list[str], list[set[str]]]:
    """Return the texts of a table that count, and the accepted categories of each."""
    texts, wanted = [], []
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            categories = {american.category(code).code for code in row["codes"].split("|")}
            both = {code for code in categories if code < "U" and who.contains(code)}
            if both:
                texts.append(row["text"])
                wanted.append(both)
    return texts, wanted


def line(name: str, mappings: list[Mapping], wanted: list[set[str]]) -> None:
    """Print what the mappings of a table are worth."""
    category = load_tree("icd10").category
    pairs = list(zip(mappings, wanted, strict=True))
    right = np.array([bool(one.code) and category(one.code).code in own for one, own in pairs])
    among = [any(category(c.code).code in own for c in one.candidates) for one, own in pairs]
    coded = np.array([bool(one.code) for one in mappings])
    told = np.array([one.category_score for one in mappings])
    confident = np.array([one.score >= HIGH for one in mappings]) & coded & ~right
    brier = np.mean((told[coded] - right[coded]) ** 2)
    sure = coded & (told >= SURE)
    print(
        f"| {name} | {len(pairs):,} | {100 * right.mean():.1f} / {100 * np.mean(among):.1f} | "
        f"{100 * np.mean(~coded):.1f} | {100 * confident.mean():.1f} | {brier:.3f} | "
        f"{told[coded].mean():.3f}, {right[coded].mean():.3f} | "
        f"{100 * sure.mean():.0f} %: {told[sure].mean():.3f}, {right[sure].mean():.3f} |"
    )


if __name__ == "__main__":
    main()
