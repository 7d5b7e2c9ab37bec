"""A rating by people: the items in their order, what was answered, and the votes that come out."""

import random
import threading
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...agents.outcome import Abstained, Done
from ...agents.people.given import cannot_tell, outcome_of
from ...agents.people.shown import arrange
from ...errors import InputError, UsageError
from ...files.counted import counted
from ...graphs.jury.votes_file import write_votes
from ...graphs.verdicts import votes_of
from ...scoring.raters.drawn import judged_chances
from ...scoring.votes import Vote
from ..judges.agreement_units import CHANCE
from .kept import Answer, Kept, Plan, Status
from .sample import Design, Drawn, draw
from .to_rate import Found, ToRate

_LONGEST_NAME = 80
_SHORTEST_NAME = 3
"""A shorter name of a model or judge is not looked for in texts: "A" is in every text."""


class Refused(UsageError):
    """An answer that the step does not accept; `problems` say why, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        """Keep the problems for the page."""
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class Given:
    """What became of an answer: the answer as kept, and the one that it replaced unseen."""

    answer: Answer
    replaced: Answer | None = None


class Rating:
    """Everything behind the pages of `dxjudge rate`. All methods may be called from any thread.

    items: in the order in which they are shown, each with its sides as drawn.
    """

    def __init__(self, items: Sequence[ToRate], drawn: Drawn, kept: Kept, output: Path,
                 reserved: Collection[str] = ()) -> None:  # fmt: skip
        """Show these items. reserved: names of judges, which nobody may take."""
        self.items = tuple(items)
        self.kept = kept
        self.output = output
        self._drawn = drawn
        self._reserved = frozenset(reserved)
        self._writing = threading.Lock()

    def rater(self, name: str) -> str:
        """Return the name under which a person votes. Raises UsageError for an unfit name."""
        bare = " ".join(unicodedata.normalize("NFC", name).split())
        if not bare or len(bare) > _LONGEST_NAME or not bare.isprintable():
            raise UsageError(f"a name has 1 to {_LONGEST_NAME} letters that can be printed")
        if bare in self._reserved:
            raise UsageError("this name is taken by a judge: choose another one")
        return bare

    def item(self, place: int) -> ToRate:
        """Return the item at a place, from 0. Raises UsageError where there is none."""
        if not 0 <= place < len(self.items):
            raise UsageError(f"there is no item {place + 1}; there are {len(self.items)}")
        return self.items[place]

    def answer_at(self, place: int, rater: str) -> Answer | None:
        """Return a person's last answer to the item at a place."""
        return self.kept.of(rater, self.item(place).key)

    def statuses(self, rater: str) -> list[Status | None]:
        """Return the status of every item for a person, in order; None for no answer."""
        answers = self.kept.by_item(rater)
        return [answers[one.key].status if one.key in answers else None for one in self.items]

    def give(
        self,
        place: int,
        rater: str,
        status: Status,
        answer: Mapping[str, Any],
        note: str = "",
        seen: int = 0,
    ) -> Given:
        """Keep an answer. seen: the number of the answer that the person saw, 0 for none.

        The last answer counts. Raises Refused for an answer that the step does not accept, and
        OutputError where it cannot be kept.
        """
        item = self.item(place)
        if status == "done":
            outcome = outcome_of(item.step, item.asked, answer)
            if isinstance(outcome, list):
                raise Refused(outcome)
        if status == "abstained" and item.step.abstain is None:
            raise Refused([f"{item.step.name} has no verdict that leaves it open: skip the item"])
        before = self.kept.of(rater, item.key)
        about = Answer(
            rater=rater, item=item.key, status=status, note=note.strip(),
            answer=dict(answer) if status == "done" else {},
        )  # fmt: skip
        kept = self.kept.keep(about)
        unseen = before if before is not None and before.number != seen else None
        return Given(kept, unseen)

    def votes(self) -> list[Vote]:
        """Return the votes of all people, in the order of the items."""
        votes: list[Vote] = []
        for rater in self.kept.raters:
            answers = self.kept.by_item(rater)
            judged = {
                at: answer
                for at, one in enumerate(self.items)
                if (answer := answers.get(one.key)) is not None and answer.status != "skipped"
            }
            weights = judged_chances(self._drawn.strata, (self._drawn.places[at] for at in judged))
            is_weighted = any(chance < 1 for chance in weights.values())
            for at, answer in judged.items():
                own = self._votes_of(at, answer)
                if is_weighted:
                    cell = {CHANCE: repr(weights[self._drawn.places[at]])}
                    own = [replace(vote, groups={**vote.groups, **cell}) for vote in own]
                votes += own
        return votes

    def _votes_of(self, at: int, answer: Answer) -> list[Vote]:
        item = self.items[at]
        outcome = _outcome(item, answer)
        own = votes_of(
            item.step, item.asked, outcome, case=item.case, judge=answer.rater,
            groups=item.groups, name=item.name,
        )  # fmt: skip
        if not answer.note or answer.status != "done":
            return own
        return [
            replace(vote, explanation=" / ".join(filter(None, (vote.explanation, answer.note))))
            for vote in own
        ]

    def write(self) -> int:
        """Write the table of votes as it is now, and return the number of votes."""
        with self._writing:
            votes = self.votes()
            if votes or self.output.exists():
                write_votes(self.output, votes, by_groups=True)
            return len(votes)

    def naming(self) -> int:
        """Return how many items show the name of a model or a judge inside their own texts."""
        names = [name for name in self._reserved if len(name) >= _SHORTEST_NAME]
        return sum(any(name in _texts(one) for name in names) for one in self.items)

    def ended(self, rater: str) -> Counter[str]:
        """Count a person's answers by how they ended.

        verdict; none: an answer that the step counts as none, such as "none of them"; cannot tell;
        skipped. Only verdicts have one in the votes: the next two are abstained there.
        """
        answers = self.kept.by_item(rater)
        pairs = ((one, answers[one.key]) for one in self.items if one.key in answers)
        return Counter(_ended(one, answer) for one, answer in pairs)

    def skipped(self, rater: str) -> list[str]:
        """Return the cases that a person skipped; they have no vote."""
        pairs = zip(self.items, self.statuses(rater), strict=True)
        return [one.case for one, status in pairs if status == "skipped"]


def _ended(item: ToRate, answer: Answer) -> str:
    if answer.status != "done":
        return "cannot tell" if answer.status == "abstained" else answer.status
    return "none" if isinstance(_outcome(item, answer), Abstained) else "verdict"


def _texts(item: ToRate) -> str:
    values = item.step.values(item.asked).values()
    return "\n".join(one if isinstance(one, str) else "\n".join(one) for one in values)


def _outcome(item: ToRate, answer: Answer) -> Done[Any] | Abstained:
    if answer.status == "abstained":
        return cannot_tell(item.step, answer.note)
    outcome = outcome_of(item.step, item.asked, answer.answer)
    if isinstance(outcome, list):
        raise InputError(
            f"the kept answer of {answer.rater} on case {item.case} is no answer of "
            f"{item.step.name} any more: {'; '.join(outcome)}"
        )
    return outcome


def open_rating(
    found: Found, kept: Kept, output: Path, *, design: Design, seed: int | None
) -> Rating:
    """Begin a rating, or go on with the one in the file of answers, in its order.

    seed: None for that of the file, or 0. Raises UsageError for another seed or sample than those
    of the file, and InputError where an item of the file is not in the data any more.
    """
    if not found.items:
        why = found.left_out[0] if found.left_out else "there is no row"
        raise UsageError(f"there is nothing to rate: no item can be shown; {why}")
    items = {one.key: one for one in found.items}
    if len(items) < len(found.items):
        raise InputError(
            f"{counted(len(found.items) - len(items), 'item')} of the file are there twice: same "
            "case, same step, same input; remove them"
        )
    plan = kept.plan
    chosen = _seed(plan, seed)
    wanted = _design(plan, design)
    drawn = draw(found.items, wanted, chosen)
    ordered = list(drawn.places)
    random.Random(f"order {chosen}").shuffle(ordered)
    order = tuple(found.items[at].key for at in ordered)
    if plan is None:
        kept.begin(Plan(seed=chosen, design=_written(wanted), order=order))
    elif plan.order != order:
        gone = sum(key not in items for key in plan.order)
        raise InputError(
            f"{kept.path} holds answers to other data: {gone} of its {len(plan.order)} items are "
            "not there any more, or rows or votes were added; name another output with -o"
        )
    shown = [
        replace(one, arranged=arrange(one.inputs, random.Random(f"{chosen} {one.key}")))
        for one in (found.items[at] for at in ordered)
    ]
    return Rating(shown, Drawn(tuple(ordered), drawn.strata), kept, output, found.hidden)


def _seed(plan: Plan | None, seed: int | None) -> int:
    if plan is None:
        return seed or 0
    if seed is not None and seed != plan.seed:
        raise UsageError(
            f"the answers are in the order of --seed {plan.seed}: leave --seed out to go on, or "
            "name another output with -o"
        )
    return plan.seed


def _design(plan: Plan | None, design: Design) -> Design:
    if plan is None:
        return design
    kept = plan.design
    if design != Design() and _written(design) != kept:
        words = " ".join(f"--{name} {value}" for name, value in kept.items() if value)
        raise UsageError(
            f"the answers are to another sample ({words or 'every item'}): leave the options of "
            "the sample out to go on, or name another output with -o"
        )
    return Design(kept["sample"], kept["by"], tuple(map(Path, kept["where-judges-disagree"])))


def _written(design: Design) -> dict[str, Any]:
    return {
        "sample": design.size,
        "by": design.by,
        "where-judges-disagree": [str(path.absolute()) for path in design.votes],
    }
