"""Define the outcome of a jury on one item: its verdicts and all votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ...agents.outcome import Abstained, Done, Failed, Outcome, html_table
from ...agents.step import Step
from ...files.short import short
from ...scoring.jury import JuryStatus, JuryVerdict
from ...scoring.votes import Scalar, Vote
from ..verdicts import compose

# The status of an item with several parts is the first of these that a part has.
_WORST: tuple[JuryStatus, ...] = ("no_quorum", "tied", "abstained", "decided")


@dataclass(frozen=True)
class JuryOutcome:
    """The jury's verdicts on one item.

    verdicts: by the `step` of the votes. Most steps have one verdict; a rubric has one for each
        dimension, and labels have one for each category (see `graphs.verdicts`).
    votes: every vote, also those that were replaced; for the vote of a replacement, the group
        `replaces` names the judge that it replaced.
    value: the fields of the step's result with these verdicts; None unless all are decided.
    replaced: the replacement of each judge that failed, by the name of the failed judge.
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
        """The status of the verdict, or the worst status of several verdicts."""
        return min((verdict.status for verdict in self.verdicts.values()), key=_WORST.index)

    @property
    def verdict(self) -> Scalar | None:
        """The only verdict; None if there are several or it is not decided."""
        verdicts = list(self.verdicts.values())
        return verdicts[0].verdict if len(verdicts) == 1 else None

    @property
    def reason(self) -> str:
        """The reason why there is no verdict, for each part that has none."""
        if len(self.verdicts) == 1:
            return next(iter(self.verdicts.values())).reason
        reasons = [
            f"{name}: {verdict.reason}" for name, verdict in self.verdicts.items() if verdict.reason
        ]
        return "; ".join(reasons)

    def __repr__(self) -> str:
        """Return the status and the verdicts, without the votes."""
        verdicts = {name: jury.verdict for name, jury in self.verdicts.items()}
        what = f"status={self.status!r}, verdicts={short(verdicts)}"
        return f"JuryOutcome(case={self.case!r}, {what})"

    def _repr_html_(self) -> str:
        """Return the outcome as an HTML table for a notebook, with a row for each verdict."""
        rows = [
            (name, f"{jury.verdict if jury.status == 'decided' else jury.status} "
                   f"({', '.join(f'{verdict}: {share:.0%}' for verdict, share in jury.shares)})")
            for name, jury in self.verdicts.items()
        ]  # fmt: skip
        about = [("reason", self.reason), ("votes", len(self.votes))]
        return html_table(f"{self.step}, case {self.case}: {self.status}", [*rows, *about])


_READER: TypeAdapter[JuryOutcome] = TypeAdapter(JuryOutcome)


def write_jury(outcome: JuryOutcome) -> dict[str, Any]:
    """Return a jury's outcome as plain JSON."""
    plain: dict[str, Any] = _READER.dump_python(outcome, mode="json")
    return plain


def read_jury(data: Mapping[str, Any]) -> JuryOutcome:
    """Read a jury's outcome from the JSON of `write_jury`."""
    return _READER.validate_python(dict(data))


def value_of(
    step: Step[Any, Any],
    inputs: BaseModel,
    verdicts: Mapping[str, JuryVerdict],
    values: Sequence[Any],
) -> dict[str, Any] | None:
    """Return the fields of the step's result with these verdicts; None unless all are decided.

    verdicts: by the `step` of the votes. values: the results of the judges who voted.
    """
    if any(verdict.status != "decided" for verdict in verdicts.values()):
        return None
    by_part = {name.removeprefix(step.name)[1:]: one for name, one in verdicts.items()}
    result = compose(step, inputs, by_part, values)
    return result.model_dump(mode="json") if result is not None else None


def as_outcome(step: Step[Any, Any], inputs: Any, outcome: JuryOutcome) -> Outcome:
    """Return a jury's outcome as a step's outcome.

    A tie is Failed with the kind "tied", and a missing quorum with the kind "no_quorum".
    """
    about: dict[str, Any] = {"step": step.name, "version": step.version, "decided_by": "jury"}
    if outcome.status == "abstained":
        return Abstained(**about, reason=outcome.reason)
    if outcome.status == "decided" and outcome.value is not None:
        return Done(**about, value=step.read_value(inputs, dict(outcome.value)))
    reason = outcome.reason or "the verdicts make no result"
    kind = outcome.status if outcome.status in ("tied", "no_quorum") else "no_result"
    return Failed(**about, kind=kind, reasons=(f"{outcome.status}: {reason}",))
