"""Asks every judge about every item of a step, and records the finished items in a journal."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ..agents.engine.ask import is_split
from ..agents.engine.judges import AnyJudge, as_judge
from ..agents.engine.run import Run
from ..agents.outcome import Done, Outcome, read_outcome, write_outcome
from ..agents.stand_ins import ALWAYS
from ..agents.step import Step
from ..cache.key import fingerprint
from ..files.journal import Journal
from ..graphs.gather import first_of
from ..graphs.jury.given import jury_over, rule_for
from ..graphs.jury.result import as_outcome
from ..graphs.loop import run_here
from ..graphs.step import stream_step
from ..scoring.jury import Rule

Progress = Callable[[str, int, int], None]
"""Is called with the stage, how many of its items are finished, and how many there are."""
RecordKey = tuple[str, str, str, str, int, int]
"""Judge (empty for an extraction), task, model, case, response, place."""
NO_JUDGE = "stand-ins"
"""The name of the panel where no model judges: rules and the ontology."""
JURY = "jury:"
"""How the name of a jury begins; its rule follows."""


@runtime_checkable
class CountsReplays(Protocol):
    """A `Progress` that is also told of the items for which no judge was asked."""

    def replayed(self, stage: str) -> None:
        """Count one more item of a stage, before the stage's progress is told."""


def open_journal(path: Path | None) -> Journal[Outcome]:
    """Open the journal of what the judges have decided, so that a stopped run can continue.

    A failed item is not recorded: the next run asks about it again.
    """
    return Journal(path, read=read_outcome, write=write_outcome)


@dataclass(frozen=True, slots=True)
class Item:
    """One question to a judge: which task, on which response of which model, and its inputs.

    `place` counts the diagnoses of a differential from 0.
    """

    task: str
    model: str
    case: str
    response: int
    place: int
    inputs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An item, and its outcome under one judge.

    step, inputs: what was asked; the step says which part of the outcome is the verdict.
    """

    task: str
    model: str
    case: str
    response: int
    place: int
    judge: str
    outcome: Outcome
    step: Step[Any, Any] = field(repr=False, compare=False)
    inputs: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def groups(self) -> dict[str, str]:
        """What was judged, as columns of its votes (see `judges.as_votes.ITEM`)."""
        return {"model": self.model, "response": str(self.response), "place": str(self.place)}

    @property
    def value(self) -> Any:
        """The step's result; None unless the outcome is Done."""
        return self.outcome.value if isinstance(self.outcome, Done) else None


@dataclass(frozen=True)
class Panel:
    """The judges of an evaluation. Without judges only stand-ins decide.

    jury: the rule that combines the verdicts of two or more judges into the verdict of one more
        judge. A rule that calculates applies to numbers; a majority decides other verdicts.
    quorum, weights: of the jury, as in `scoring.jury.combine`.
    records: outcomes of an earlier run. An item with an outcome here, from the same version of
        the step, is not asked again.
    """

    judges: tuple[AnyJudge, ...] = ()
    run: Run = field(default_factory=Run)
    journal: Journal[Outcome] = field(default_factory=lambda: open_journal(None))
    progress: Progress | None = None
    jury: Rule | None = None
    quorum: int | None = None
    weights: Mapping[str, float] | None = None
    records: Mapping[RecordKey, Outcome] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of the judges, or `NO_JUDGE` where there is none; the jury comes last."""
        jury = (f"{JURY}{self.jury}",) if self.jury and len(self.judges) > 1 else ()
        return (*self._labels, *jury)

    @property
    def _labels(self) -> tuple[str, ...]:
        return tuple(as_judge(judge).spec.label for judge in self.judges) or (NO_JUDGE,)

    def can(self, step: Step[Any, Any]) -> bool:
        """Whether a judge or a stand-in can decide the items of a step."""
        return bool(self.judges) or any(name != ALWAYS for name in step.stand_ins)

    def ask(
        self, step: Step[Any, Any], items: Sequence[Item], *, first_only: bool = False
    ) -> list[JudgedItem]:
        """Ask every judge (or only the first) about the items, and return the judged items.

        The judges are asked side by side. The judged items come judge by judge, each in the order
        of the items; those of a jury come last.
        """
        judges: tuple[AnyJudge | None, ...] = self.judges or (None,)
        names = self._labels
        if first_only:
            judges, names = judges[:1], names[:1]
        known = [
            [self.recorded("" if first_only else name, step, item) for item in items]
            for name in names
        ]
        by_judge = run_here(
            self._side_by_side(step, items, list(zip(names, judges, strict=True)), known)
        )
        judged = [
            judged_item(step, item, name, outcome)
            for name, outcomes in zip(names, by_judge, strict=True)
            for item, outcome in zip(items, outcomes, strict=True)
        ]
        if len(judges) > 1 and self.jury:
            judged += self._by_jury(step, items, judged, self.jury)
        return judged

    async def _side_by_side(
        self,
        step: Step[Any, Any],
        items: Sequence[Item],
        judges: Sequence[tuple[str, AnyJudge | None]],
        known: Sequence[Sequence[Outcome | None]],
    ) -> list[list[Outcome]]:
        """Ask all judges at once; return the outcomes of each, in the order of the items."""
        stages = [f"{items[0].task}, {name}" if items else "" for name, _ in judges]
        try:
            async with asyncio.TaskGroup() as group:
                asked = [
                    group.create_task(self._outcomes(step, items, judge, stage, of_judge))
                    for (_, judge), stage, of_judge in zip(judges, stages, known, strict=True)
                ]
        except* Exception as faults:
            raise first_of(faults) from None
        return [task.result() for task in asked]

    def _by_jury(
        self,
        step: Step[Any, Any],
        items: Sequence[Item],
        judged: Sequence[JudgedItem],
        rule: Rule,
    ) -> list[JudgedItem]:
        """Combine the judges' outcomes of every item; judged: judge by judge, in items' order."""
        by_jury = []
        for place, item in enumerate(items):
            outcomes = {one.judge: one.outcome for one in judged[place :: len(items)]}
            jury = jury_over(
                step,
                item.inputs,
                outcomes,
                rule_for(step, rule),
                quorum=self.quorum,
                weights=self.weights,
                case=item.case,
            )
            outcome = as_outcome(step, item.inputs, jury)
            by_jury.append(judged_item(step, item, f"{JURY}{rule}", outcome))
        return by_jury

    def recorded(self, name: str, step: Step[Any, Any], item: Item) -> Outcome | None:
        """Return the outcome of an item in the records, if the same version of the step gave it.

        name: the label of the judge, "" for an extraction.
        """
        key = (name, item.task, item.model, item.case, item.response, item.place)
        record = self.records.get(key)
        if record is None or record.version != step.version:  # another prompt, another question
            return None
        return _typed(step, item, record)

    async def _outcomes(
        self,
        step: Step[Any, Any],
        items: Sequence[Item],
        judge: AnyJudge | None,
        stage: str,
        known: Sequence[Outcome | None],
    ) -> list[Outcome]:
        split = is_split(step, self.run)
        keys = [journal_key(step, item, judge, split) for item in items]
        outcomes = {place: record for place, record in enumerate(known) if record is not None}
        asked: dict[str, int] = {}
        for index, key in enumerate(keys):
            if index in outcomes:
                continue
            if key and (record := self.journal.find(key)) is not None:
                outcomes[index] = _typed(step, items[index], record)
            else:
                asked.setdefault(key or str(index), index)
        open_items = list(asked.values())
        if self.progress and open_items:
            self.progress(stage, len(outcomes), len(items))  # the pace counts from here
        async for place, outcome in self._stream(step, [items[i] for i in open_items], judge):
            index = open_items[place]
            outcomes[index] = outcome
            if keys[index] and outcome.status != "failed" and outcome.decided_by == "llm":
                self.journal.keep(keys[index], outcome)
            self._tell(stage, len(outcomes), len(items), was_asked=_was_asked(outcome))
        for index, key in enumerate(keys):
            if index not in outcomes:  # two models gave the same response: the judge sees it once
                outcomes[index] = outcomes[asked[key]].model_copy(update=_AT_NO_COST)
                self._tell(stage, len(outcomes), len(items), was_asked=False)
        return [outcomes[index] for index in range(len(items))]

    def _tell(self, stage: str, done: int, total: int, *, was_asked: bool) -> None:
        if self.progress:
            if not was_asked and isinstance(self.progress, CountsReplays):
                self.progress.replayed(stage)
            self.progress(stage, done, total)

    async def _stream(
        self, step: Step[Any, Any], items: Sequence[Item], judge: AnyJudge | None
    ) -> AsyncIterator[tuple[int, Outcome]]:
        if not items:
            return
        inputs = [item.inputs for item in items]
        async with aclosing(stream_step(step, inputs, judge=judge, run=self.run)) as stream:
            async for pair in stream:
                yield pair


def _was_asked(outcome: Outcome) -> bool:
    """Whether a judge was asked now: a kept reply and what a rule decides take no time."""
    return not outcome.cached and outcome.decided_by in ("llm", "none")


_AT_NO_COST = {"cached": True, "calls": 0, "tokens_in": 0, "tokens_out": 0, "cost": 0.0}


def judged_item(step: Step[Any, Any], item: Item, judge: str, outcome: Outcome) -> JudgedItem:
    """Return an item with its outcome under one judge."""
    return JudgedItem(
        task=item.task,
        model=item.model,
        case=item.case,
        response=item.response,
        place=item.place,
        judge=judge,
        outcome=outcome,
        step=step,
        inputs=item.inputs,
    )


def journal_key(step: Step[Any, Any], item: Item, judge: AnyJudge | None, split: bool) -> str:
    """A digest of everything that a judge's outcome depends on; empty without a judge.

    split: whether the step is asked one dimension a call.
    """
    if judge is None:
        return ""
    prompt = step.load_prompt()
    spec = as_judge(judge).spec.model_dump(mode="json")
    asked = [step.prompt_name, step.version, prompt.hash, item.inputs, spec]
    return fingerprint([*asked, "one dimension a call"] if split else asked)


def _typed(step: Step[Any, Any], item: Item, outcome: Outcome) -> Outcome:
    if outcome.status == "failed" or outcome.value is None:
        return outcome
    value = step.read_value(item.inputs, outcome.value)
    return outcome.model_copy(update={"value": value, "cached": True})
