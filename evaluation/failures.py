"""The wrong responses of every model, and those among them whose errors are labelled."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..agents.outcome import Failed
from .cases import Case
from .judged import Diagnoses, Judged, Responses
from .judging import JURY, JudgedItem
from .measures.answered import answer_score
from .settings import Settings

_ANSWERS = ("match_option", "score_open_answer")


@dataclass(frozen=True)
class Failures:
    """The wrong responses of one model.

    wrong: the cases whose response no judge calls right. drawn: those whose errors are labelled.
    unknown: how many responses have no verdict, so that they are neither right nor wrong.
    """

    wrong: tuple[str, ...]
    drawn: frozenset[str]
    unknown: int


def right_by(settings: Settings) -> tuple[str, ...]:
    """The tasks whose verdicts say which responses are right."""
    return ("judge_equivalence",) if "judge_equivalence" in settings.tasks else _ANSWERS


def failures_of(
    cases: Sequence[Case],
    responses: Mapping[str, Responses],
    finals: Mapping[tuple[str, str], Diagnoses],
    items: Iterable[JudgedItem],
    settings: Settings,
) -> dict[str, Failures]:
    """Find the wrong responses of each model, and draw those that are labelled.

    The sample depends on the seed, the model and the ids of its wrong cases alone.
    """
    by_id = {case.id: case for case in cases}
    marks: dict[tuple[str, str], list[bool]] = {}
    tasks = right_by(settings)
    for item in items:
        if item.task in tasks and not item.judge.startswith(JURY):
            marks.setdefault((item.model, item.case), []).extend(_mark(item, by_id[item.case]))
    return {
        model: _failures(model, by_case, marks, finals, tasks, settings)
        for model, by_case in responses.items()
    }


def judged_failures(judged: Judged, settings: Settings) -> dict[str, Failures]:
    """The wrong responses in everything that was judged."""
    items = [item for group in judged.outcomes.values() for item in group]
    return failures_of(judged.cases, judged.responses, judged.finals, items, settings)


def _mark(item: JudgedItem, case: Case) -> list[bool]:
    """Whether the verdict calls the response right; empty without a verdict."""
    if isinstance(item.outcome, Failed):
        return []
    if item.task == "judge_equivalence":
        return [bool(getattr(item.value, "equivalent", False))]
    return [answer_score(item, case) == 1]


def _failures(
    model: str,
    by_case: Responses,
    marks: Mapping[tuple[str, str], Sequence[bool]],
    finals: Mapping[tuple[str, str], Diagnoses],
    tasks: Sequence[str],
    settings: Settings,
) -> Failures:
    wrong, unknown = [], 0
    for case in by_case:
        verdicts = list(marks.get((model, case), ()))
        final = finals.get((model, case))
        if tasks[0] == "judge_equivalence" and final is not None and final.status == "abstained":
            verdicts = [False]  # a response without a diagnosis is a wrong one
        if not verdicts:
            unknown += 1
        elif not any(verdicts):
            wrong.append(case)
    count = settings.errors_sample
    drawn = wrong
    if count is not None and count < len(wrong):
        drawn = random.Random(f"{settings.seed} {model}").sample(sorted(wrong), count)
    return Failures(tuple(wrong), frozenset(drawn), unknown)


def about_errors(judged: Judged, settings: Settings) -> list[str]:
    """Sentences on how many of how many wrong responses are labelled; none where all are."""
    if settings.errors_of != "wrong" or "label_errors" not in judged.tasks:
        return []
    parts = []
    for model, failures in judged_failures(judged, settings).items():
        unknown = f" ({failures.unknown:,} without a verdict)" if failures.unknown else ""
        parts.append(f"{model} {len(failures.drawn):,} of {len(failures.wrong):,}{unknown}")
    drawn = settings.errors_sample is not None
    how = f", drawn with seed {settings.seed}" if drawn else ""
    return [f"errors are labelled in wrong responses only{how}: {'; '.join(parts)}"]
