"""Ask a step about one item of a procedure, and end the item if there is no answer."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..agents.engine.ask import ask
from ..agents.engine.judges import Judge
from ..agents.engine.run import Run
from ..agents.outcome import Outcome, read_outcome, write_outcome
from ..agents.step import Step
from ..cache.key import fingerprint
from ..files.journal import Journal
from .item import Ending, Trace, ending_of, trace


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
    """The judge, the run and the journal of a procedure."""

    judge: Judge
    run: Run
    journal: Journal[Outcome] = field(default_factory=lambda: open_journal(None))

    async def outcome(self, step: Step[Any, Any], inputs: Any, repeat: int = 0) -> Outcome:
        """Return the outcome of a step: from the journal, or asked and then recorded."""
        key = self._key(step, inputs, repeat)
        recorded = self.journal.find(key)
        if recorded is not None:
            return recorded
        outcome = await ask(step, inputs, judge=self.judge, run=self.run, repeat=repeat)
        if outcome.status != "failed" or outcome.kind == "invalid":
            self.journal.keep(key, outcome)
        return outcome

    def _key(self, step: Step[Any, Any], inputs: Any, repeat: int) -> str:
        typed: BaseModel = step.read_input(inputs)
        spec = self.judge.spec.model_dump(mode="json")
        prompt = step.load_prompt().hash
        shown = typed.model_dump(mode="json")
        return fingerprint([step.prompt_name, step.version, prompt, shown, spec, repeat])


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
