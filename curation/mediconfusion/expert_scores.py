"""Keep the pairs whose questions experts rate well enough for both images."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from ...errors import InputError
from ...files.cells import cell_text, is_empty
from ...files.forms import Form
from ...files.rows_in import read_sheet, records
from ..item import Ending, Item

LEAST, LOWEST, HIGHEST = 5.0, 1.0, 10.0
"""The least score of a question that stays, and the scale of the scores (MediConfusion)."""
STAGE = "scores"


def item_names(pair: str) -> tuple[str, str]:
    """Return the names of the two items of a pair: the same question about each image."""
    return f"{pair}-1", f"{pair}-2"


def read_scores(source: str, items: Sequence[Item], form: Form | None = None) -> dict[str, float]:
    """Read the experts' scores: the mean over the raters of each item of a pair.

    The table has the columns `id` (PAIR-1 or PAIR-2) and `score` (1 to 10), and may have `rater`
    and `question`; a row without a score is not rated yet. Raises InputError naming the row for an
    id that no pair has, a score outside the scale, two scores of one rater, and a question that
    the pair no longer has.
    """
    questions = {name: item.data.get("question") for item in items for name in item_names(item.id)}
    sheet = read_sheet(source, form or Form(), list_allowed=False)
    for column in ("id", "score"):
        if column not in sheet.columns:
            raise InputError(f"{source} has no column {column!r}")
    scores: dict[str, dict[str, float]] = {}
    for number, row in enumerate(records(sheet)):
        place, name = sheet.place(number), cell_text(row.get("id")).strip()
        if is_empty(row.get("score")):
            continue
        if name not in questions:
            raise InputError(f"{place}: no item has the id {name!r}")
        question = cell_text(row.get("question")).strip()
        if question and question != questions[name]:
            raise InputError(f"{place}: the question of {name} is another one now")
        rater = cell_text(row.get("rater")).strip()
        if rater in scores.setdefault(name, {}):
            raise InputError(f"{place}: a second score of {name} by {rater or 'the rater'}")
        scores[name][rater] = _score(row["score"], place)
    return {name: fmean(by_rater.values()) for name, by_rater in scores.items()}


def apply_scores(items: Sequence[Item], scores: Mapping[str, float]) -> list[Item]:
    """Return the items; an accepted pair stays accepted with a score of 5 or more for both images.

    With a lower score it is rejected. Without a score for both, nobody has decided: it is failed.
    """
    return [_decided(item, scores) if item.ending.status == "accepted" else item for item in items]


def _decided(item: Item, scores: Mapping[str, float]) -> Item:
    names = item_names(item.id)
    missing = [name for name in names if name not in scores]
    if missing:
        reasons = tuple(f"{name} has no score" for name in missing)
        ending = Ending(status="failed", stage=STAGE, reasons=reasons)
        return item.model_copy(update={"ending": ending})
    own = [scores[name] for name in names]
    low = tuple(
        f"{name} has the score {score:g}; at least {LEAST:g} is needed"
        for name, score in zip(names, own, strict=True)
        if score < LEAST
    )
    ending = Ending(status="rejected" if low else "accepted", stage=STAGE, reasons=low)
    return item.model_copy(update={"ending": ending, "data": {**item.data, "scores": own}})


def _score(cell: object, place: str) -> float:
    try:
        score = float(cell_text(cell).strip())
    except ValueError:
        score = float("nan")
    if not LOWEST <= score <= HIGHEST:
        raise InputError(f"{place}: the score is {cell!r}; write {LOWEST:g} to {HIGHEST:g}")
    return score
