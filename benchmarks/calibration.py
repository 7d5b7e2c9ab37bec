"""Measure whether mapping scores are calibrated, and which texts are refused.

    python benchmarks/calibration.py --gold FOLDER [--svg docs/reliability.svg]

FOLDER contains tab-separated tables `NAME-dev.tsv` with the columns text and codes. The script
prints

- the share of each table that is accepted as a diagnosis;
- the reliability table over all texts: the share of mappings with an accepted code, by score band;
- the expected calibration error;
- the refused share of benchmarks/data/non_diagnoses.tsv, by kind and by half (tuning, test).
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.mapping import Mapping

NON_DIAGNOSES = Path(__file__).parent / "data" / "non_diagnoses.tsv"
EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
Band = tuple[float, float, int, float, float]  # from, to, texts, mean score, share right


def main() -> None:
    """Map the texts, print the tables and draw the diagram."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--svg", type=Path)
    chosen = options.parse_args()
    mapper = Mapper()
    scores: list[float] = []
    right: list[bool] = []
    for path in sorted(chosen.gold.glob("*-dev.tsv")):
        rows = list(csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"))
        mappings = mapper.map_many([row["text"] for row in rows])
        passed = [mapping.status == "mapped" for mapping in mappings]
        print(f"{path.stem}: {np.mean(passed):.1%} of {len(rows)} texts pass as diagnoses")
        for row, mapping in zip(rows, mappings, strict=True):
            if mapping.candidates:
                first = mapping.candidates[0]
                scores.append(first.score)
                right.append(first.code in row["codes"].split("|"))
    bands = reliability(np.array(scores), np.array(right))
    print(f"\n| score | texts | mean score | right |\n|{'---|' * 4}")
    for low, high, count, mean, share in bands:
        print(f"| {low:g} to {high:g} | {count} | {mean:.2f} | {share:.2f} |")
    print(f"\nexpected calibration error {calibration_error(bands):.3f}\n")
    refusals(mapper)
    if chosen.svg:
        chosen.svg.write_text(drawing(bands), encoding="utf-8")


def reliability(scores: np.ndarray, right: np.ndarray) -> list[Band]:
    """Return the bands that contain a score; a score on an edge belongs to the band above it."""
    bands: list[Band] = []
    for low, high in zip(EDGES, EDGES[1:], strict=False):
        inside = (scores >= low) & ((scores < high) | (high == EDGES[-1]))
        if inside.any():
            mean, share = float(scores[inside].mean()), float(right[inside].mean())
            bands.append((low, high, int(inside.sum()), mean, share))
    return bands


def calibration_error(bands: list[Band]) -> float:
    """Return the mean distance of score and share right, weighted by the texts of the bands."""
    texts = sum(count for _, _, count, _, _ in bands)
    return sum(count * abs(mean - share) for _, _, count, mean, share in bands) / texts


def refusals(mapper: Mapper) -> None:
    """Print the share of the non-diagnoses that is unmapped."""
    rows = list(csv.DictReader(NON_DIAGNOSES.open(encoding="utf-8"), delimiter="\t"))
    mappings: list[Mapping] = mapper.map_many([row["text"] for row in rows])
    counts: defaultdict[str, dict[str, list[int]]] = defaultdict(
        lambda: {"tune": [0, 0], "test": [0, 0]}
    )
    for row, mapping in zip(rows, mappings, strict=True):
        for name in (row["kind"], "all"):
            count = counts[name][row["half"]]
            count[0] += mapping.status == "unmapped"
            count[1] += 1
    print(f"| kind | tuning half: refused of | test half: refused of |\n|{'---|' * 3}")
    for name, halves in sorted(counts.items(), key=lambda entry: entry[0] == "all"):
        cells = [f"{refused} of {of} ({refused / of:.0%})" for refused, of in halves.values()]
        print(f"| {name} | {' | '.join(cells)} |")


def drawing(bands: list[Band]) -> str:
    """Return the reliability diagram as SVG: one dot per band; its area shows the texts."""
    side, edge = 300, 45

    def at(x: float, y: float) -> tuple[float, float]:
        return round(edge + x * side, 1), round(edge / 2 + (1 - y) * side, 1)

    (x0, y0), (x1, y1) = at(0, 0), at(1, 1)
    most = max(count for _, _, count, _, _ in bands)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side + 80}" height="{side + 80}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<rect x="{x0}" y="{y1}" width="{side}" height="{side}" fill="none" stroke="#888"/>',
        f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#bbb" stroke-dasharray="4"/>',
        f'<text x="{x0 + side / 2}" y="{y0 + 38}" text-anchor="middle">score</text>',
        f'<text x="14" y="{y0 - side / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {y0 - side / 2})">share right</text>',
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        parts.append(
            f'<text x="{at(tick, 0)[0]}" y="{y0 + 18}" text-anchor="middle">{tick:g}</text>'
            f'<text x="{x0 - 6}" y="{at(0, tick)[1] + 4}" text-anchor="end">{tick:g}</text>'
        )
    for _, _, count, mean, share in bands:
        x, y = at(mean, share)
        radius = round(4 + 10 * (count / most) ** 0.5, 1)
        parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="#2a6f97" opacity="0.75"/>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    main()
