"""Run `dxjudge table calibrate`: fit the confidences to the column of a canonical table."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.bytes import check_writable
from ...graphs.accept import ACCEPT_ON
from ...graphs.calibrate import (
    Fitted,
    acceptance_of,
    check_drawn,
    fit_calibration,
    reviewed_rows,
)
from ...ontology.recalibrated import Calibration, calibration_path, write_calibration
from ...ontology.table import read_table
from ...ontology.table_row import Entry
from ...ontology.tree import Tree, load_tree
from ..terminal.facts import Fact, named

PRECISIONS = (0.9, 0.95, 0.99)
"""The precisions for which the share of rows that can be accepted is said."""


def calibrate_table(path: Path, output: Path | None, ontology: str) -> Iterator[Fact]:
    """Fit, write the calibration, and yield the facts of the summary.

    Raises UsageError for too few reviewed rows and for rows that were not drawn at random.
    """
    if not path.exists():
        raise InputError(f"there is no table {path}")
    tree = load_tree(ontology)
    target = output or calibration_path(path)
    check_writable(target)
    entries = list(read_table(path, tree).entries.values())
    signature = current_signature(entries)
    rows, others, left_out = reviewed_rows(entries, signature, tree)
    check_drawn(rows, others, left_out)
    fitted = fit_calibration(rows, signature)
    write_calibration(fitted.calibration, target)
    yield Fact(f"{len(rows):,} reviewed rows of {path}", {"table": path, "reviewed": len(rows)})
    if left_out:
        yield Fact(
            f"{left_out:,} reviewed rows are left out: nothing computed them under these settings",
            {"left_out": left_out},
        )
    yield from _qualities(fitted)
    shares = _computed(entries, signature, tree)
    for on in ACCEPT_ON:
        for precision in PRECISIONS:
            yield _acceptable(fitted.calibration, shares, precision, on == "category")
    yield from named([("calibration", target)])


def current_signature(entries: Iterable[Entry]) -> str:
    """Return the short signature of most computed rows; rows that nobody reviewed count first."""
    names = [(entry.reviewed, entry.signature.partition("=")[0]) for entry in entries]
    names = [name for name in names if name[1]]
    unreviewed = [name for name in names if not name[0]]
    counts = Counter(name for _, name in unreviewed or names)
    return counts.most_common(1)[0][0] if counts else ""


def _computed(entries: Iterable[Entry], signature: str, tree: Tree) -> list[tuple[float, float]]:
    """Return both confidences of every row that has a computed code under the signature."""
    return [
        (entry.mapping.score, entry.mapping.category_score)
        for entry in entries
        if entry.signature.startswith(f"{signature}=") and not entry.signature.endswith("=")
    ]


def _qualities(fitted: Fitted) -> Iterator[Fact]:
    for what, (before, after), gain in zip(
        ("code", "category"), fitted.brier, fitted.gain, strict=True
    ):
        change = {"estimate": gain.estimate, "low": gain.low, "high": gain.high}
        yield Fact(
            f"{what}: Brier score {before:.4f} before, {after:.4f} after "
            f"(change {gain.estimate:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}], cross-validated)",
            {"brier": [{"of": what, "before": before, "after": after, "change": change}]},
        )


def _acceptable(
    calibration: Calibration, shares: list[tuple[float, float]], precision: float, of_category: bool
) -> Fact:
    on = "category" if of_category else "code"
    threshold = acceptance_of(calibration, precision, ACCEPT_ON[not of_category]).threshold
    about: dict[str, Any] = {"of": on, "precision": precision}
    if threshold is None:
        return Fact(
            f"{on} at {precision:g}: these reviewed rows cannot show it; review more",
            {"accept": [{**about, "from": None}]},
        )
    told = [calibration.confidences(*pair)[of_category] for pair in shares]
    share = sum(number >= threshold.lowest for number in told) / len(told)
    about |= {"from": threshold.lowest, "share": share}
    return Fact(
        f"{on} at {precision:g}: {share:.0%} of the texts with a code, from {threshold.lowest:g} "
        f"on ({threshold.right:.1%} of such reviewed rows right, at least {threshold.bound:.1%})",
        {"accept": [{**about, "right": threshold.right, "right_at_least": threshold.bound}]},
    )
