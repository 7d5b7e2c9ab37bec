"""Read what people rate from the folder of an evaluation: what its judges were asked."""

from collections.abc import Sequence
from pathlib import Path

from ...errors import DxjudgeError, UsageError
from ...files.nearest import did_you_mean
from ..judges.as_votes import item_groups
from ..judging import NO_JUDGE, JudgedItem
from ..records import read_recorded
from ..run import replayed
from ..tasks import EXTRACTIONS
from .from_table import by_code
from .to_rate import Found, ToRate


def run_to_rate(folder: Path, tasks: Sequence[str] = ()) -> Found:
    """Return every question that the judges of an evaluation answered, once.

    tasks: by default all tasks that have a verdict, without those that extract diagnoses. Raises
    InputError for a folder without an evaluation, and UsageError for a task that it does not have.
    """
    recorded = read_recorded(folder)
    judged = replayed(recorded)
    known = list(dict.fromkeys(one.task for one in judged if one.step.verdict is not None))
    for name in tasks:
        if name not in known:
            hint = did_you_mean(name, known, f"its tasks are {', '.join(known) or 'none'}")
            raise UsageError(f"{folder} has no task {name!r} that people can rate; {hint}")
    wanted = list(tasks) or [name for name in known if name not in EXTRACTIONS]
    groups = item_groups(recorded.cases)
    items: dict[tuple[str, str, str, int, int], ToRate] = {}
    left_out: list[str] = []
    for one in judged:
        place = (one.task, one.model, one.case, one.response, one.place)
        if one.task not in wanted or place in items:
            continue
        item = _item(one, {**groups[one.case], **one.groups})
        if isinstance(item, str):
            left_out.append(item)
        else:
            items[place] = item
    judges = {judge.label for judge in recorded.judges} - {NO_JUDGE}
    hidden = judges | {judge.model for judge in recorded.judges} | set(recorded.responses)
    return Found(tuple(items.values()), tuple(dict.fromkeys(left_out)), frozenset(hidden))


def _item(one: JudgedItem, groups: dict[str, str]) -> ToRate | str:
    try:
        inputs = one.step.read_input(one.inputs)
    except DxjudgeError as fault:
        return f"case {one.case}, task {one.task}: {fault}"
    decided = by_code(one.step, inputs)
    if decided:
        return f"case {one.case}, task {one.task}: {decided}"
    return ToRate(one.step, one.task, one.case, inputs, groups)
