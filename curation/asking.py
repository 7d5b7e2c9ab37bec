"""Ask a step about one item of a procedure, and end the item if there is no answer."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..agents.engine.ask import ask
from ..agents.engine.judges import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.making.guess_option import GUESS_OPTION
from ..agents.making.solve_question import SOLVE_QUESTION
from ..agents.outcome import Outcome, read_outcome, write_outcome
from ..agents.step import Step
from ..cache.key import fingerprint
from ..files.journal import Journal
from .item import Ending, Trace, ending_of, trace

SOLVING = frozenset({GUESS_OPTION.name, SOLVE_QUESTION.name})
"""The steps that the solver is asked."""


class Ended(Exception):
    """Ends the item with this ending."""

    def __init__(self, ending: Ending) -> None:
        self.ending = ending


def open_journal(path: Path | None) -> Journal[Outcome]:
    """Open the journal of the outcomes of a procedure, so that a killed run can continue.

    It also has the outcomes that reject an item. The cache of replies does not: it has only
    valid replies. Raises InputError and OutputError as `Journal` does.
    """
    return Journal(path, read=read_outcome, write=write_outcome, job={"curate": 1})


@dataclass(frozen=True)
class Asking:
    """The judge, the run and the journal of a procedure.

    solver: the model that tries to solve what the judge wrote; by default the judge.
    """

    judge: Judge
    run: Run
    journal: Journal[Outcome] = field(default_factory=lambda: open_journal(None))
    solver: Judge | None = None

    def judge_of(self, step: Step[Any, Any]) -> Judge:
        """Return the model that is asked this step."""
        return self.solver if self.solver is not None and step.name in SOLVING else self.judge

    async def outcome(self, step: Step[Any, Any], inputs: Any, repeat: int = 0) -> Outcome:
        """Return the outcome of a step: from the journal, or asked and then recorded."""
        judge = self.judge_of(step)
        key = self._key(step, inputs, judge, repeat)
        recorded = self.journal.find(key)
        if recorded is not None:
            return recorded
        outcome = await ask(step, inputs, judge=judge, run=self.run, repeat=repeat)
        if outcome.status != "failed" or outcome.kind == "invalid":
            self.journal.keep(key, outcome)
        return outcome

    def _key(self, step: Step[Any, Any], inputs: Any, judge: Judge, repeat: int) -> str:
        typed: BaseModel = step.read_input(inputs)
        spec = judge.spec.model_dump(mode="json")
        prompt = step.load_prompt().hash
        shown = typed.model_dump(mode="json")
        return fingerprint([step.prompt_name, step.version, prompt, shown, spec, repeat])


def asking_of(
    judge: AnyJudge,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
    solver: AnyJudge | None = None,
) -> Asking:
    """Return the asking of a procedure; without a run or a journal, with new ones."""
    solving = as_judge(solver) if solver is not None else None
    return Asking(as_judge(judge), run or Run(), journal or open_journal(None), solving)


@dataclass(frozen=True)
class StageAsking:
    """Asks the steps of one stage of one item, and keeps a trace of each.

    repeat: how often the stage was run before; another try is another sample of the answers.
    """

    asking: Asking
    stage: str
    repeat: int = 0
    trail: list[Trace] = field(default_factory=list)

    async def value(self, step: Step[Any, Any], inputs: Any) -> Any:
        """Return the step's value. Raises Ended if the step abstains or fails."""
        value = await self.optional(step, inputs, abstained_ends=True)
        assert value is not None
        return value

    async def optional(
        self, step: Step[Any, Any], inputs: Any, *, abstained_ends: bool = False
    ) -> Any:
        """Return the step's value, or None if it abstains. Raises Ended if the step fails."""
        outcome = await self.asking.outcome(step, inputs, self.repeat)
        self.trail.append(trace(self.stage, outcome))
        if outcome.status == "abstained" and not abstained_ends:
            return None
        ending = ending_of(self.stage, outcome)
        if ending is not None:
            raise Ended(ending)
        assert outcome.status == "done"
        return step.read_value(inputs, outcome.value)

    def reject(self, *reasons: str) -> Ended:
        """Return the exception that rejects the item at this stage."""
        return Ended(Ending(status="rejected", stage=self.stage, reasons=reasons))
