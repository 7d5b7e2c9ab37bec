"""Plan a jury: its judges and its rule, checked before any judge is asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...agents.stand_ins import check_engine
from ...agents.step import Step, vary
from ...agents.steps import find_step
from ...errors import UsageError
from ...files.counted import counted
from ...scoring.jury import Rule, check_weights
from ..verdicts import check_rule
from .jurors import AnyJuror, Juror, check_jurors, jurors_of, warn_of_kin


@dataclass(frozen=True)
class JuryPlan:
    """All settings of a jury, without the item; `plan_jury` checks them."""

    step: Step[Any, Any]
    jurors: tuple[Juror, ...]
    replacements: tuple[Juror, ...]
    repeats: int
    steps: Mapping[str, Step[Any, Any]]
    rule: Rule
    quorum: int | None
    weights: Mapping[str, float] | None
    escalate: bool
    engine: str

    @property
    def first(self) -> tuple[Juror, ...]:
        """The jurors who are asked first."""
        return self.jurors[:2] if self.escalate else self.jurors

    @property
    def least(self) -> int:
        """The smallest number of votes that are cast on an item."""
        votes_of_model = self.repeats * len(self.steps)
        return sum(votes_of_model if juror.kind == "model" else 1 for juror in self.first)

    def juror(self, name: str) -> Juror:
        """Return the juror with this name."""
        return next(one for one in (*self.jurors, *self.replacements) if one.name == name)


def plan_jury(
    step: Step[Any, Any] | str,
    judges: Iterable[AnyJuror],
    *,
    repeats: int = 1,
    variants: Sequence[str] = ("",),
    rule: Rule = "majority",
    quorum: int | None = None,
    weights: Mapping[str, float] | None = None,
    replacements: Iterable[AnyJuror] = (),
    escalate: bool = False,
    engine: str = "llm",
    under_test: str | Iterable[str] = (),
) -> JuryPlan:
    """Check the settings of a jury; see `jury_graph` for the arguments.

    Raises UsageError for settings that do not fit together, before any judge is asked.
    """
    known_step = find_step(step)
    jurors, spare = jurors_of(known_step, judges), jurors_of(known_step, replacements)
    check_jurors(jurors, spare)
    check_rule(known_step, rule)
    if any(juror.kind == "model" for juror in (*jurors, *spare)):
        check_engine(known_step, engine, has_judge=True)
    if repeats < 1 or not variants or len(set(variants)) < len(variants):
        raise UsageError("repeats must be at least 1, and variants must be different")
    if rule == "weighted":
        check_weights(weights, {juror.name for juror in (*jurors, *spare)})
    steps = {name: vary(known_step, name) if name else known_step for name in variants}
    plan = JuryPlan(
        known_step, jurors, spare, repeats, steps, rule, quorum, weights, escalate, engine
    )  # fmt: skip
    _check_sizes(plan)
    warn_of_kin((*jurors, *spare), under_test)
    return plan


def _check_sizes(plan: JuryPlan) -> None:
    if plan.escalate and len(plan.jurors) < 3:
        raise UsageError(
            f"escalate needs at least three judges, and there are {len(plan.jurors)}: two are "
            "asked first, and the others if those differ"
        )
    least = plan.least
    if plan.quorum is not None and not 1 <= plan.quorum <= least:
        raise UsageError(
            f"a quorum of {plan.quorum} cannot be met by {counted(least, 'vote')}"
            + (" if the first two agree" if plan.escalate else "")
        )
