"""Measure the verdicts of any step: means of numbers, shares of yes/no and of words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from ...agents.step import Step
from ...scoring.votes import Scalar, Vote
from ..cases import Case
from ..judged import Judged
from ..judges.as_votes import votes_of_one
from .ended import ended
from .measure import NOT_CONCERNED, Measure, Score, mean_measure

_NAN = float("nan")
Read = Callable[[Case, Vote], float | None]
"""Returns the score of a vote on a case; None if the vote has no score."""


@dataclass(frozen=True)
class VerdictMeasures:
    """The measures of one task under every judge, from its verdicts.

    right: the right verdict of each case, None for a case without one. The number is then the
    share of verdicts equal to it. If `right` is None, numbers give their mean, true and false the
    share of true, and words the share of each word. A verdict with parts gives these for each
    part. If the step has no scale, a mean has no bounds.
    """

    task: str
    step: Step[Any, Any]
    judged: Judged
    right: Mapping[str, Scalar | None] | None = None
    higher_is_better: bool = True

    def all(self) -> Iterator[Measure]:
        """Yield every measure, judge by judge and model by model."""
        judges = {judge for judge, _, _ in self._votes}
        for judge in self.judged.judges:
            for model in self.judged.models if judge in judges else ():
                yield from self._of_model(judge, model)

    @cached_property
    def _votes(self) -> dict[tuple[str, str, str], dict[str, Vote]]:
        """The votes on the first item of a case, by judge, model and case, then by part."""
        return {
            (judge, model, case): {_part(vote, self.task): vote for vote in votes_of_one(items[0])}
            for (task, judge, model, case), items in self.judged.outcomes.items()
            if task == self.task and items
        }

    @cached_property
    def _parts(self) -> list[str]:
        """The parts of the verdict, in the order of the step."""
        parts = dict.fromkeys(part for votes in self._votes.values() for part in votes)
        return [part for part in parts if part] or [""]

    def _of_model(self, judge: str, model: str) -> Iterator[Measure]:
        if self.right is not None:
            yield self._measure(self.task, judge, model, "", self._is_right)
            return
        verdict = self.step.demand_verdict()
        for part in self._parts:
            metric = f"{self.task}: {part}" if part else self.task
            levels = self._levels[part]
            if verdict.kind_of(part) == "text":
                for value in levels or self._given[part]:
                    share = partial(_share, value)
                    yield self._measure(f"{metric}: {value}", judge, model, part, share)
                continue
            ends = [0.0, 1.0] if verdict.kind_of(part) == "truth" else list(map(float, levels))
            low, top = (min(ends), max(ends)) if ends else (_NAN, _NAN)
            yield self._measure(metric, judge, model, part, _number, low, top)

    @cached_property
    def _given(self) -> dict[str, list[Scalar]]:
        """The verdicts on each part over all models, so that all models have the same measures."""
        verdicts: dict[str, set[Scalar]] = {part: set() for part in self._parts}
        for votes in self._votes.values():
            for part, vote in votes.items():
                if part in verdicts and vote.verdict is not None:
                    verdicts[part].add(vote.verdict)
        return {part: sorted(values, key=str) for part, values in verdicts.items()}

    @cached_property
    def _levels(self) -> dict[str, Sequence[Any]]:
        """The values that a verdict on each part may have; empty if the step has no levels."""
        verdict = self.step.demand_verdict()
        first = next(
            (v[0] for (task, *_), v in self.judged.outcomes.items() if task == self.task and v),
            None,
        )
        has_parts = self._parts != [""] and first is not None
        inputs = self.step.read_input(first.inputs) if has_parts and first else None
        return {part: verdict.levels_of(part, inputs) or () for part in self._parts}

    def _is_right(self, case: Case, vote: Vote) -> float | None:
        assert self.right is not None
        right = self.right.get(case.id)
        return None if right is None else float(vote.verdict == right)

    def _measure(
        self,
        metric: str,
        judge: str,
        model: str,
        part: str,
        read: Read,
        low: float = 0.0,
        top: float = 1.0,
    ) -> Measure:
        scores = [self._score(judge, model, case, part, read) for case in self.judged.cases]
        better = self.higher_is_better
        return mean_measure(metric, model, judge, scores, low=low, top=top, higher_is_better=better)

    def _score(self, judge: str, model: str, case: Case, part: str, read: Read) -> Score:
        """Return the score of a case; an abstention has no value, but its status is counted."""
        if self.right is not None and self.right.get(case.id) is None:
            return NOT_CONCERNED
        votes = self._votes.get((judge, model, case.id))
        if votes is None:
            has_response = self.judged.first_response(model, case.id) is not None
            return NOT_CONCERNED if has_response else Score(None, "failed")
        vote = votes.get(part, next(iter(votes.values())))
        if vote.status == "abstained":
            return Score(None, "abstained")
        if vote.status == "failed":
            return Score(None, ended(self.judged.outcome(self.task, judge, model, case.id)))
        if vote.verdict is None:
            return Score(None, "failed")
        return Score(read(case, vote), "done")


def _part(vote: Vote, task: str) -> str:
    return vote.step.removeprefix(task)[1:]


def _number(_case: Case, vote: Vote) -> float:
    assert isinstance(vote.verdict, int | float)  # the kind of the verdict says so
    return float(vote.verdict)


def _share(value: Scalar, _case: Case, vote: Vote) -> float:
    return float(vote.verdict == value)
