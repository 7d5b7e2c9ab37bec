"""What a jury comes to on one item: its verdicts and every vote behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ...agents.outcome import Abstained, Done, Failed, Outcome, html_table
from ...agents.step import Step
from ...scoring.jury import JuryStatus, JuryVerdict
from ...scoring.votes import Scalar, Vote
from ..verdicts import compose

# The worse one stands for an item of several parts.
_WORST: tuple[JuryStatus, ...] = ("no_quorum", "tied", "abstained", "decided")


@dataclass(frozen=True)
class JuryOutcome:
    """The jury's verdicts on one item.

    verdicts: by the `step` of the votes: one for most steps, one a dimension for a rubric, one
        a category for labels (see `graphs.verdicts`).
    votes: every vote, also those that were replaced; the group `replaces` names whose place
        a replacement took.
    value: the fields of the step's result that the verdicts make; None unless all are decided.
    replaced: judge that failed -> judge that took its place.
    escalated: whether the judges after the second were asked because the first two differed.
    """

    case: str
    step: str
    verdicts: Mapping[str, JuryVerdict]
    votes: tuple[Vote, ...]
    value: Mapping[str, Any] | None = None
    replaced: Mapping[str, str] = field(default_factory=dict)
    escalated: bool = False

    @property
    def status(self) -> JuryStatus:
        """The status of the verdict; of several the worst."""
        return min((held.status for held in self.verdicts.values()), key=_WORST.index)

    @property
    def verdict(self) -> Scalar | None:
        """The only verdict; None where there are several or it is not decided."""
        held = list(self.verdicts.values())
        return held[0].verdict if len(held) == 1 else None

    @property
    def reason(self) -> str:
        """Why there is no verdict, of each part that has none."""
        if len(self.verdicts) == 1:
            return next(iter(self.verdicts.values())).reason
        said = [f"{name}: {held.reason}" for name, held in self.verdicts.items() if held.reason]
        return "; ".join(said)

    def __repr__(self) -> str:
        """The status and the verdicts; the votes stay out."""
        verdicts = {name: held.verdict for name, held in self.verdicts.items()}
        return f"JuryOutcome(case={self.case!r}, status={self.status!r}, verdicts={verdicts!r})"

    def _repr_html_(self) -> str:
        """The outcome as a notebook shows it: a row a verdict."""
        rows = [
            (name, f"{held.verdict if held.status == 'decided' else held.status} "
                   f"({', '.join(f'{verdict}: {share:.0%}' for verdict, share in held.shares)})")
            for name, held in self.verdicts.items()
        ]  # fmt: skip
        about = [("reason", self.reason), ("votes", len(self.votes))]
        return html_table(f"{self.step}, case {self.case}: {self.status}", [*rows, *about])


_READER: TypeAdapter[JuryOutcome] = TypeAdapter(JuryOutcome)


def write_jury(outcome: JuryOutcome) -> dict[str, Any]:
    """A jury's outcome as plain JSON."""
    found: dict[str, Any] = _READER.dump_python(outcome, mode="json")
    return found


def read_jury(data: Mapping[str, Any]) -> JuryOutcome:
    """Read what `write_jury` wrote."""
    return _READER.validate_python(dict(data))


def value_of(
    step: Step[Any, Any],
    inputs: BaseModel,
    verdicts: Mapping[str, JuryVerdict],
    values: Sequence[Any],
) -> dict[str, Any] | None:
    """The fields of the step's result that verdicts (by the votes' `step`) make, None for none.

    values: the results of those who voted.
    """
    if any(found.status != "decided" for found in verdicts.values()):
        return None
    by_part = {name.removeprefix(step.name)[1:]: one for name, one in verdicts.items()}
    found = compose(step, inputs, by_part, values)
    return found.model_dump(mode="json") if found is not None else None


def as_outcome(step: Step[Any, Any], inputs: Any, found: JuryOutcome) -> Outcome:
    """A jury's outcome as a step's: decided_by "jury"; a tie and a missing quorum are failures."""
    about: dict[str, Any] = {"step": step.name, "version": step.version, "decided_by": "jury"}
    if found.status == "abstained":
        return Abstained(**about, reason=found.reason)
    if found.status == "decided" and found.value is not None:
        return Done(**about, value=step.read_value(inputs, dict(found.value)))
    reason = found.reason or "the verdicts make no result"
    return Failed(**about, kind="undecided", reasons=(f"{found.status}: {reason}",))
