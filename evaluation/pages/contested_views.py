"""The items on which judges disagree most, with their votes side by side."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...scoring.votes import Vote
from ..cases import Case
from ..judges.as_votes import ITEM
from ..judges.names import short_names
from ..judging import JudgedItem
from ..result import Evaluation
from .words import words_of

SHOWN = 30
"""The largest number of contested items on the page."""
_LONGEST = 700  # the characters of an explanation that are shown at most
_LONGEST_CASE = 1500
_LONGEST_PART = 200  # a longer text is the response, which stands beside


@dataclass(frozen=True)
class VoteView:
    """One judge's vote: its verdict in words (or its status), and the judge's reason."""

    judge: str
    words: str
    status: str
    why: str


@dataclass(frozen=True)
class ContestedView:
    """A contested item with the votes of all judges."""

    step: str
    case: str
    model: str
    about: str
    truth: str
    text: str
    disagreement: float
    votes: tuple[VoteView, ...]


def contested_views(evaluation: Evaluation) -> tuple[ContestedView, ...]:
    """The most contested items with the votes of all judges; empty without an agreement."""
    return tuple(_contested(evaluation))


def _contested(evaluation: Evaluation) -> Iterator[ContestedView]:
    if evaluation.agreement is None:
        return
    cases = {case.id: case for case in evaluation.judged.cases}
    names = short_names(evaluation.judged.single_judges)
    for one in evaluation.agreement.contested[:SHOWN]:
        case = cases[one.case]
        item = dict(zip(ITEM, one.item, strict=True))
        votes = tuple(_vote(vote, names.get(vote.judge, vote.judge)) for vote in one.votes)
        about = _about(evaluation, item, one)
        yield ContestedView(
            one.step, one.case, item["model"], about, _truth(case), _text(case), one.disagreement,
            votes,
        )  # fmt: skip


def _about(evaluation: Evaluation, item: dict[str, str], one: Any) -> str:
    """The model whose response it was, and what was judged where it is a part of the response."""
    model, place = item["model"], int(item["place"])
    judged = evaluation.judged
    several = [
        each
        for task in judged.tasks
        if f"{one.step}.".startswith(f"{task}.")
        for vote in one.votes
        for each in judged.of(task, vote.judge, model, one.case)
        if each.response == int(item["response"])
    ]
    shown = next((_judged_part(each) for each in several if each.place == place), "")
    if any(each.place for each in several):
        model += f", item {place + 1}"
    return f"{model}: {shown}" if shown else model


def _judged_part(item: JudgedItem) -> str:
    """What the step judged, in short; "" where it judged the whole response."""
    value = item.inputs.get(item.step.judged, "")
    text = value if isinstance(value, str) else "; ".join(map(str, value))
    return text if len(text) <= _LONGEST_PART else ""


def _truth(case: Case) -> str:
    return case.diagnosis.text if case.diagnosis else case.answer


def _text(case: Case) -> str:
    text = "\n".join(part for part in (case.case, case.question) if part)
    return text if len(text) <= _LONGEST_CASE else text[:_LONGEST_CASE] + " …"


def _vote(vote: Vote, name: str) -> VoteView:
    why = vote.explanation or vote.reason
    words = vote.status if vote.verdict is None else words_of(vote.verdict)
    shown = why if len(why) <= _LONGEST else why[:_LONGEST] + " …"
    return VoteView(name, words, vote.status, shown)
