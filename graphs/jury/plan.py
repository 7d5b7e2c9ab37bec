"""What a jury is, but for the item: who sits on it, how it decides, and whether that fits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...agents.stand_ins import check_engine
from ...agents.step import Step
from ...agents.steps import find_step
from ...agents.variants import vary
from ...errors import UsageError
from ...scoring.jury import Rule, check_weights
from ..verdicts import check_rule
from .jurors import AnyJuror, Juror, check_jurors, jurors_of, warn_of_kin


@dataclass(frozen=True)
class JuryPlan:
    """Everything about a jury but the item; checked when it is made (see `plan_jury`)."""

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
        """Who is asked before anything is known."""
        return self.jurors[:2] if self.escalate else self.jurors

    @property
    def least(self) -> int:
        """How many votes are cast at least."""
        each = self.repeats * len(self.steps)
        return sum(each if juror.kind == "model" else 1 for juror in self.first)

    def juror(self, name: str) -> Juror:
        """Who goes by a name."""
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
    """Check who sits on a jury and how it decides; see `jury_graph` for the arguments.

    Raises UsageError for what does not fit together, before anybody is asked.
    """
    found = find_step(step)
    jurors, spare = jurors_of(found, judges), jurors_of(found, replacements)
    check_jurors(jurors, spare)
    check_rule(found, rule)
    if any(juror.kind == "model" for juror in (*jurors, *spare)):
        check_engine(found, engine, has_judge=True)
    if repeats < 1 or not variants or len(set(variants)) < len(variants):
        raise UsageError("repeats must be at least 1, and variants different from each other")
    if rule == "weighted":
        check_weights(weights, {juror.name for juror in (*jurors, *spare)})
    steps = {name: vary(found, name) if name else found for name in variants}
    plan = JuryPlan(
        found, jurors, spare, repeats, steps, rule, quorum, weights, escalate, engine
    )  # fmt: skip
    _check_sizes(plan)
    warn_of_kin((*jurors, *spare), under_test)
    return plan


def _check_sizes(plan: JuryPlan) -> None:
    if plan.escalate and len(plan.jurors) < 3:
        raise UsageError("to escalate takes three judges: two first, the rest where they differ")
    least = plan.least
    if plan.quorum is not None and not 1 <= plan.quorum <= least:
        raise UsageError(
            f"a quorum of {plan.quorum} cannot be met: {least} votes are cast"
            + (" where the first two agree" if plan.escalate else "")
        )
