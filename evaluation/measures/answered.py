"""Read the answer to a question: a choice, a score, an invalid answer, or no verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...agents.outcome import Abstained, Failed
from ...scoring.choice import option_score
from ...scoring.paired import majority_vote
from ...scoring.shares import FAILED
from ...scoring.shares import Failed as NoVerdict
from ..cases import Case
from ..judged import Judged, samples_of
from ..judging import JudgedItem
from .ended import ended, unresolved
from .measure import UNRESOLVED, Status

TECHNICAL = "technical error"


@dataclass(frozen=True)
class Answer:
    """One answer and its status.

    letters: the chosen ones; None if the answer matches no option, FAILED without a verdict.
    """

    letters: tuple[str, ...] | None | NoVerdict
    status: Status


def chosen(item: JudgedItem) -> Answer:
    """The choice that `match_option` or `score_free_answer` read from an answer.

    An answer that matches no option is invalid; an empty or broken one is an abstention. Both
    are wrong.
    """
    outcome = item.outcome
    if isinstance(outcome, Failed):
        return Answer(FAILED, ended(outcome))
    if isinstance(outcome, Abstained):
        technical = outcome.reason.startswith(TECHNICAL)
        return Answer(None, "abstained" if technical else "invalid")
    value: Any = outcome.value
    letters = value.letters if hasattr(value, "letters") else (value.choice,)
    return Answer(tuple(letters), "done")


def answer_score(item: JudgedItem, case: Case) -> float | None:
    """Return the score of one answer, 0 to 1; None without a verdict."""
    if item.task == "score_open_answer":
        if isinstance(item.outcome, Failed):
            return None
        return 0.0 if isinstance(item.outcome, Abstained) else float(item.value.score)
    letters = chosen(item).letters
    return None if isinstance(letters, NoVerdict) else option_score(letters, case.letters)


def one_choice(items: tuple[JudgedItem, ...]) -> Answer:
    """Return the choice for a single-choice question, by majority if there are several samples.

    A tie, or no valid sample, gives an invalid answer. No verdict on any sample is a failure.
    """
    answers = [chosen(item) for item in items]
    if not answers:
        return Answer(FAILED, "failed")
    if len(answers) == 1:
        return answers[0]
    votes = [FAILED if isinstance(a.letters, NoVerdict) else _letter(a.letters) for a in answers]
    winner = majority_vote(votes).winner
    if winner is not None:
        return Answer((winner,), "done")
    if all(answer.status in UNRESOLVED for answer in answers):
        return Answer(FAILED, unresolved(answer.status for answer in answers).status)
    return Answer(None, "invalid")


def _letter(letters: tuple[str, ...] | None) -> str | None:
    return letters[0] if letters else None


def by_variant(
    judged: Judged, task: str, judge: str, model: str, case: str
) -> dict[str, tuple[JudgedItem, ...]]:
    """The judged answers of a response with all evidence, by prompt variant and presentation.

    Where the task `choose_best` was done, only the answer that this judge chose among the samples
    is here; where the judge gave no valid choice, the failed item of `choose_best` is here instead.
    """
    responses = judged.responses[model].get(case, ())
    by_wording: dict[str, list[JudgedItem]] = {}
    for item in judged.of(task, judge, model, case):
        response = responses[item.response]
        if not response.withheld:
            by_wording.setdefault(response.wording, []).append(item)
    chosen_by = {
        responses[pick.response].wording: pick
        for pick in judged.of("choose_best", judge, model, case)
    }
    return {
        variant: _best(items, chosen_by[variant], samples_of(responses, variant))
        if variant in chosen_by
        else tuple(items)
        for variant, items in by_wording.items()
    }


def _best(
    items: Sequence[JudgedItem], pick: JudgedItem, samples: Sequence[int]
) -> tuple[JudgedItem, ...]:
    """The judged item of the sample that was picked."""
    places = list(samples)
    picked = pick.value.index if pick.value is not None else None
    if picked is None:
        return (pick,)  # no choice is a failure, never the first sample
    return tuple(item for item in items if item.response == places[picked])
