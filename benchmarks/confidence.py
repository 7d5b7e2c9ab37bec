"""Measure the two confidences by style: that the code is right, and that its category is right.

    python benchmarks/confidence.py --gold FOLDER [--cases build/confidence.npz]

FOLDER holds tab-separated tables `NAME-dev.tsv` with the columns text and codes. Everything is held
out: fitted on one half of the texts of each table and read on the other, five times
(training/confidence.py, whose --cases this is). The script prints for each style and over all,
where each style weighs the same: Brier score and expected calibration error before calibration and
after, a reliability table, the share of wrong categories at a confidence of 0.8 or more, what
`--accept` takes and how much of that is right, and the share that is right by kind of reading.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from dxjudge.graphs.accept import threshold_of
from dxjudge.ontology.evidence import EVIDENCE, READINGS

sys.path.insert(0, str(Path(__file__).parents[1] / "training"))
from confidence import SPLITS, WHAT, Cases, Numbers, counts, held_out, kept_cases  # noqa: E402

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
PRECISIONS = (0.9, 0.95, 0.99)


def main() -> None:
    """Collect, fit on halves, print the tables."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--cases", type=Path)
    chosen = options.parse_args()
    cases = kept_cases(chosen.gold, chosen.cases)
    held = held_out(cases)
    quality(cases, held)
    reliability(cases, held)
    accepted(cases, held)
    readings(cases, held)


def quality(cases: Cases, held: Numbers) -> None:
    """Print Brier scores, calibration errors and confident wrong categories."""
    print("| style | texts | of | Brier | calibration error | wrong category at 0.8 or more |")
    print("|---|---|---|---|---|---|")
    for place, name in enumerate(cases.styles):
        rows = cases.style == place
        for column, what in enumerate(WHAT):
            before, after = cases.before[rows, column], held[:, rows, column]
            right = cases.right[rows, column]
            wrong = ~cases.right[rows, 1]
            errors = (error_of(before, right), np.mean([error_of(one, right) for one in after]))
            briers = (np.mean((before - right) ** 2), np.mean((after - right) ** 2))
            shares = (np.mean((before >= 0.8) & wrong), np.mean((after >= 0.8) & wrong))
            print(
                f"| {name} | {rows.sum():,} | {what} | {briers[0]:.3f} → {briers[1]:.3f} | "
                f"{errors[0]:.3f} → {errors[1]:.3f} | "
                f"{100 * shares[0]:.1f} → {100 * shares[1]:.1f} |"
            )


def error_of(told: Numbers, right: Numbers) -> float:
    """Return the mean distance of confidence and share right over the bands, by texts."""
    band = np.digitize(told, EDGES[1:-1])
    parts = [band == number for number in range(len(EDGES) - 1) if (band == number).any()]
    distances = [part.sum() * abs(told[part].mean() - right[part].mean()) for part in parts]
    return float(sum(distances) / len(told))


def reliability(cases: Cases, held: Numbers) -> None:
    """Print for each band of a confidence: texts, mean confidence and share right, by style."""
    for column, what in enumerate(WHAT):
        print(f"\n{what}: texts, mean confidence, share right")
        print("| style | " + " | ".join(f"{low:g}-{high:g}" for low, high in bands()) + " |")
        print("|---|" + "---|" * (len(EDGES) - 1))
        for place, name in enumerate(cases.styles):
            rows = cases.style == place
            told, right = held[:, rows, column].ravel(), np.tile(cases.right[rows, column], SPLITS)
            band = np.digitize(told, EDGES[1:-1])
            cells = [
                f"{(band == number).sum() / SPLITS:.0f}: {told[band == number].mean():.2f}, "
                f"{right[band == number].mean():.2f}"
                if (band == number).any()
                else "0"
                for number in range(len(EDGES) - 1)
            ]
            print(f"| {name} | {' | '.join(cells)} |")


def bands() -> list[tuple[float, float]]:
    """Return the lowest and highest confidence of each band."""
    return list(zip(EDGES, EDGES[1:], strict=False))


def accepted(cases: Cases, held: Numbers) -> None:
    """Print by style what share each promised precision takes, and what share of it is right."""
    print("\n| taken at | confidence from | " + " | ".join(cases.styles) + " |")
    print("|---|---|" + "---|" * len(cases.styles))
    for column, what in enumerate(WHAT):
        of_style = [counts(cases, held, place, column) for place in range(len(cases.styles))]
        for precision in PRECISIONS:
            threshold = threshold_of(of_style, precision)
            if threshold is None:
                print(f"| {what} {precision:g} | none |")
                continue
            cells = []
            for place in range(len(cases.styles)):
                rows = cases.style == place
                taken = held[:, rows, column] >= threshold.lowest
                right = np.broadcast_to(cases.right[rows, column], taken.shape)[taken].mean()
                cells.append(f"{100 * taken.mean():.0f} %: {100 * right:.1f}")
            print(f"| {what} {precision:g} | {threshold.lowest:g} | {' | '.join(cells)} |")


def readings(cases: Cases, held: Numbers) -> None:
    """Print for each way of reading a text how often code and category are right."""
    print("\n| reading | texts | code: told before, told, right | category |\n|---|---|---|---|")
    for name in ("equal", "ambiguous", "frame", *READINGS):
        rows = cases.numbers[:, EVIDENCE.index(name)] > 0
        if rows.any():
            numbers = (cases.before[rows], held[:, rows].mean(0), cases.right[rows])
            code, category = (
                ", ".join(f"{part[:, column].mean():.2f}" for part in numbers) for column in (0, 1)
            )
            print(f"| {name} | {rows.sum()} | {code} | {category} |")


if __name__ == "__main__":
    main()
