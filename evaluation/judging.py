"""Asking the judges: every item of a step, for every judge, with the journal in between."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..agents.engine.judges import AnyJudge, as_judge
from ..agents.engine.run import Run
from ..agents.outcome import Done, Outcome, read_outcome, write_outcome
from ..agents.stand_ins import ALWAYS
from ..agents.step import Step
from ..cache.key import fingerprint
from ..files.journal import Journal
from ..graphs.jury.given import jury_over, rule_for
from ..graphs.jury.result import as_outcome
from ..graphs.loop import run_here
from ..graphs.step import stream_step
from ..scoring.jury import Rule

Progress = Callable[[str, int, int], None]
RecordKey = tuple[str, str, str, str, int, int]
"""Judge ("" for an extraction), task, model, case, response, place."""
NO_JUDGE = "stand-ins"
"""The name of the panel where no model judges: rules and the ontology."""
JURY = "jury:"
"""How the name of a jury begins; its rule follows."""


def open_journal(path: Path | None) -> Journal[Outcome]:
    """What models have decided so far, so that a run can go on where it stopped.

    Failures are not kept: the next run tries them again.
    """
    return Journal(path, read=read_outcome, write=write_outcome)


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Verdict:
    """An item and how it ended under one judge.

    step, inputs: what was asked; the step says what the verdict of the outcome is.
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
    def value(self) -> Any:
        """The step's result; None unless done."""
        return self.outcome.value if isinstance(self.outcome, Done) else None


@dataclass(frozen=True)
class Panel:
    """Who judges. Without judges only stand-ins decide.

    jury: the rule by which the judges' verdicts, two or more, make those of one more judge. A
    rule that calculates applies to numbers; verdicts that are none are decided by majority.
    quorum, weights: of the jury, as in `scoring.jury.combine`.
    records: outcomes of an earlier run; what is in them, by the same version of the step, is not
        asked.
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
        """The judges' labels, or the one name that stands for no judge; the jury's is last."""
        jury = (f"{JURY}{self.jury}",) if self.jury and len(self.judges) > 1 else ()
        return (*self._labels, *jury)

    @property
    def _labels(self) -> tuple[str, ...]:
        return tuple(as_judge(judge).spec.label for judge in self.judges) or (NO_JUDGE,)

    def can(self, step: Step[Any, Any]) -> bool:
        """Whether anybody here decides such items."""
        return bool(self.judges) or any(name != ALWAYS for name in step.stand_ins)

    def ask(
        self, step: Step[Any, Any], items: Sequence[Item], *, first_only: bool = False
    ) -> list[Verdict]:
        """The verdicts of every judge (or of the first only), in the order of the items.

        Those of a jury come last.
        """
        judges: tuple[AnyJudge | None, ...] = self.judges or (None,)
        names = self._labels
        if first_only:
            judges, names = judges[:1], names[:1]
        verdicts: list[Verdict] = []
        for name, judge in zip(names, judges, strict=True):
            stage = f"{items[0].task}, {name}" if items else ""
            known = [self._recorded("" if first_only else name, step, item) for item in items]
            outcomes = run_here(self._outcomes(step, items, judge, stage, known))
            verdicts += [
                _verdict(step, item, name, outcome)
                for item, outcome in zip(items, outcomes, strict=True)
            ]
        if len(judges) > 1 and self.jury:
            verdicts += self._jury_verdicts(step, items, verdicts, self.jury)
        return verdicts

    def _jury_verdicts(
        self,
        step: Step[Any, Any],
        items: Sequence[Item],
        verdicts: Sequence[Verdict],
        rule: Rule,
    ) -> list[Verdict]:
        """The jury's verdict on every item; verdicts: judge by judge, in the items' order."""
        of_the_jury = []
        for place, item in enumerate(items):
            outcomes = {one.judge: one.outcome for one in verdicts[place :: len(items)]}
            verdict = jury_over(
                step,
                item.inputs,
                outcomes,
                rule_for(step, rule),
                quorum=self.quorum,
                weights=self.weights,
                case=item.case,
            )
            outcome = as_outcome(step, item.inputs, verdict)
            of_the_jury.append(_verdict(step, item, f"{JURY}{rule}", outcome))
        return of_the_jury

    def _recorded(self, name: str, step: Step[Any, Any], item: Item) -> Outcome | None:
        key = (name, item.task, item.model, item.case, item.response, item.place)
        held = self.records.get(key)
        if held is None or held.version != step.version:  # another prompt is another question
            return None
        return _typed(step, item, held)

    async def _outcomes(
        self,
        step: Step[Any, Any],
        items: Sequence[Item],
        judge: AnyJudge | None,
        stage: str,
        known: Sequence[Outcome | None],
    ) -> list[Outcome]:
        keys = [_key(step, item, judge) for item in items]
        outcomes = {place: held for place, held in enumerate(known) if held is not None}
        asked: dict[str, int] = {}
        for index, key in enumerate(keys):
            if index in outcomes:
                continue
            if key and (held := self.journal.find(key)) is not None:
                outcomes[index] = _typed(step, items[index], held)
            else:
                asked.setdefault(key or str(index), index)
        open_items = list(asked.values())
        async for place, outcome in self._stream(step, [items[i] for i in open_items], judge):
            index = open_items[place]
            outcomes[index] = outcome
            if keys[index] and outcome.status != "failed" and outcome.decided_by == "llm":
                self.journal.keep(keys[index], outcome)
            if self.progress:
                self.progress(stage, len(outcomes), len(items))
        for index, key in enumerate(keys):
            if index not in outcomes:  # two models said the same: asked once, one verdict
                outcomes[index] = outcomes[asked[key]].model_copy(update=_AT_NO_COST)
        return [outcomes[index] for index in range(len(items))]

    async def _stream(
        self, step: Step[Any, Any], items: Sequence[Item], judge: AnyJudge | None
    ) -> AsyncIterator[tuple[int, Outcome]]:
        if not items:
            return
        inputs = [item.inputs for item in items]
        async with aclosing(stream_step(step, inputs, judge=judge, run=self.run)) as stream:
            async for pair in stream:
                yield pair


_AT_NO_COST = {"cached": True, "calls": 0, "tokens_in": 0, "tokens_out": 0, "cost": 0.0}


def _verdict(step: Step[Any, Any], item: Item, judge: str, outcome: Outcome) -> Verdict:
    return Verdict(
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


def _key(step: Step[Any, Any], item: Item, judge: AnyJudge | None) -> str:
    """What a verdict of a model depends on; empty where no model is asked."""
    if judge is None:
        return ""
    prompt = step.load_prompt()
    spec = as_judge(judge).spec.model_dump(mode="json")
    return fingerprint([step.prompt_name, step.version, prompt.hash, item.inputs, spec])


def _typed(step: Step[Any, Any], item: Item, outcome: Outcome) -> Outcome:
    if outcome.status == "failed" or outcome.value is None:
        return outcome
    value = step.read_value(item.inputs, outcome.value)
    return outcome.model_copy(update={"value": value, "cached": True})
