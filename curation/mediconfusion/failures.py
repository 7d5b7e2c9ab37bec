"""Find patterns in the pairs that models cannot tell apart, from a report of `evaluate`."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...agents.making.find_failure_patterns import FEWEST_PAIRS, FailedPair
from ...errors import InputError, UsageError
from ...files.cells import cell_text, plain_text
from ...files.forms import Form
from ...files.rows_in import read_sheet, records

SCORES, METRIC = "scores.csv", "set_accuracy"


@dataclass(frozen=True)
class Failures:
    """The pairs to look at, and the numbers of failed pairs and of pairs with a score."""

    pairs: tuple[FailedPair, ...]
    failed: int
    scored: int


def read_failures(
    questions: str, report: Path, *, failed_by: float, most: int, seed: int, form: Form
) -> Failures:
    """Return the pairs that models failed, with question, options and captions.

    questions: a table of items as `evaluate` reads it, with `pair`, `question`, `A`, `B` and
    perhaps `caption`. report: the folder of `evaluate`; in its scores.csv a pair is failed by a
    model that did not get both items right. failed_by: the least share of models (and judges) that
    failed a pair. most: of more pairs, so many are drawn with the seed.

    Raises InputError for a file that lacks columns, and for fewer than two failed pairs.
    """
    if not 0 < failed_by <= 1:
        raise UsageError(f"--failed-by is {failed_by}; a share is above 0 and at most 1")
    failures = _shares(report / SCORES)
    failed = sorted(name for name, share in failures.items() if share >= failed_by)
    if len(failed) < FEWEST_PAIRS:
        raise InputError(
            f"{report / SCORES}: {len(failed)} of {len(failures)} pairs are failed by "
            f"{failed_by:.0%} of the models; a pattern needs {FEWEST_PAIRS}"
        )
    chosen = set(failed)
    if len(failed) > most:
        chosen = set(random.Random(seed).sample(failed, most))
    items = _items(questions, form)
    unknown = sorted(chosen - set(items))
    if unknown:
        raise InputError(f"{questions} has no pair {unknown[0]!r}, which the report has")
    pairs = tuple(_pair(name, items[name]) for name in failed if name in chosen)
    return Failures(pairs, len(failed), len(failures))


def _shares(path: Path) -> dict[str, float]:
    """Return the share of models that failed each pair; unresolved pairs do not count."""
    sheet = read_sheet(str(path), Form(), list_allowed=False)
    if not {"unit", "metric", "value", "status"} <= set(sheet.columns):
        raise InputError(f"{path} is not the scores.csv of an evaluation")
    marks: dict[str, list[bool]] = defaultdict(list)
    for row in records(sheet):
        if row["metric"] == METRIC and row["status"] == "done":
            marks[cell_text(row["unit"])].append(float(row["value"]) < 1)
    if not marks:
        raise InputError(f"{path} has no {METRIC}; evaluate with --preset mediconfusion")
    return {name: sum(failed) / len(failed) for name, failed in marks.items()}


def _items(questions: str, form: Form) -> dict[str, list[Mapping[str, Any]]]:
    sheet = read_sheet(questions, form, list_allowed=False)
    missing = [name for name in ("pair", "question", "A", "B") if name not in sheet.columns]
    if missing:
        raise InputError(f"{questions} has no column {missing[0]!r}")
    items: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in records(sheet):
        items[plain_text(row.get("pair")).strip()].append(row)
    return items


def _pair(name: str, rows: Sequence[Mapping[str, Any]]) -> FailedPair:
    first = rows[0]
    return FailedPair(
        id=name,
        question=cell_text(first.get("question")),
        options=(cell_text(first.get("A")), cell_text(first.get("B"))),
        captions=tuple(text for row in rows if (text := cell_text(row.get("caption")).strip())),
    )
