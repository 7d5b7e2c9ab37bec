"""Who judges the rows of `dxjudge judge --cluster`: one judge, or a jury.

Both go to the workers as settings; nothing is open in them.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.outcome import Outcome, read_outcome, write_outcome
from ...agents.stand_ins import check_engine
from ...agents.step import Step
from ...agents.steps import find_step
from ...graphs.both_orders import check_step, compare_both_orders
from ...graphs.columns import judged_columns, result_types
from ...graphs.jury.columns import jury_columns, jury_types
from ...graphs.jury.jurors import HumanVotes
from ...graphs.jury.plan import JuryPlan, plan_jury
from ...graphs.jury.result import JuryOutcome, read_jury, write_jury
from ...graphs.jury.run_jury import run_jury_sync
from ...graphs.step import run_step_sync
from ..judging_options import JudgeOptions
from ..runs.estimates import Group, groups_of_judge, groups_of_jury
from ..runs.judge_jury import about_jury, codes_decide, is_final, settings_of, voters_of
from ..runs.jury_summary import JuryCounts, count_jury, tell_jury
from ..runs.step_rows import engines_by_codes
from ..terminal.facts import Fact
from ..terminal.judged import Judged, count_outcomes, tell_judged
from .equal_codes import EqualCodes, open_codes

Counts = dict[str, Any]
"""What is counted of outcomes, as plain JSON: counts by name, and `failures`: (row, why)."""


@dataclass(frozen=True)
class Asking(ABC):
    """Who judges.

    case: the column that names the cases; None for `id`, if there is one, "" for none. codes:
    where equal codes judge.
    """

    step_name: str
    case: str | None
    codes: EqualCodes | None = field(default=None, kw_only=True)

    def step_for(self, inputs: Sequence[Any]) -> Step[Any, Any]:
        """Return the step, which can judge these inputs."""
        step = find_step(self.step_name)
        return self.codes.deciding(step, inputs) if self.codes else step

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Return everything that changes the results. Raises UsageError for settings that clash."""

    @abstractmethod
    def models(self) -> Sequence[JudgeSpec]:
        """Return the models that may be asked."""

    @abstractmethod
    def people(self) -> Sequence[HumanVotes]:
        """Return the votes of people among the judges."""

    @abstractmethod
    def groups(self, inputs: Sequence[Any]) -> Sequence[Group]:
        """Return the calls that an estimate counts, for these inputs."""

    @abstractmethod
    def ask(self, inputs: Sequence[Any], cases: Sequence[str], run: Run) -> Sequence[Any]:
        """Return the outcome of each input. cases: their names, each different."""

    @abstractmethod
    def read(self, plain: Any) -> Any:
        """Return an outcome from plain JSON."""

    @abstractmethod
    def write(self, outcome: Any) -> Any:
        """Return an outcome as plain JSON."""

    @abstractmethod
    def is_final(self, outcome: Any) -> bool:
        """Whether an outcome is kept, because asking again would not change it."""

    @abstractmethod
    def count(self, outcomes: Sequence[Any]) -> Counts:
        """Count outcomes; the rows of failures count from 0."""

    @abstractmethod
    def columns(self, outcomes: Sequence[Any]) -> Mapping[str, Sequence[Any]]:
        """Return the columns that are added to the rows."""

    @abstractmethod
    def types(self) -> Mapping[str, frozenset[type]]:
        """Return the types that the values of each column may have."""

    @abstractmethod
    def facts(self, total: Counts, before: int, run: Run, started: float) -> Iterator[Fact | str]:
        """Yield the summary. before: rows that an earlier run judged."""


@dataclass(frozen=True)
class OneJudge(Asking):
    """One judge, or none where rules decide."""

    judge: JudgeSpec | None
    engine: str
    repeat: int
    both_orders: bool = False

    @override
    def about(self) -> dict[str, Any]:
        step = self.step_for(())
        check_engine(step, self.engine, self.judge is not None, engines_by_codes(step))
        if self.both_orders:
            check_step(step)
        return {
            **({"both_orders": True} if self.both_orders else {}),
            "step": [step.name, step.version, step.load_prompt().hash],
            "judge": self.judge.model_dump(mode="json") if self.judge else None,
            "engine": self.engine,
            "repeat": self.repeat,
            **({"mapper": self.codes.signature} if self.codes else {}),
        }

    @override
    def models(self) -> Sequence[JudgeSpec]:
        return [self.judge] if self.judge else []

    @override
    def people(self) -> Sequence[HumanVotes]:
        return ()

    @override
    def groups(self, inputs: Sequence[Any]) -> Sequence[Group]:
        return groups_of_judge(
            self.step_for(inputs), self.judge, self.engine, self.repeat,
            both_orders=self.both_orders,
        )  # fmt: skip

    @override
    def ask(self, inputs: Sequence[Any], cases: Sequence[str], run: Run) -> Sequence[Outcome]:
        ask = compare_both_orders if self.both_orders else run_step_sync
        return ask(
            step=self.step_for(inputs), inputs=list(inputs), judge=self.judge, run=run,
            engine=self.engine, repeat=self.repeat,
        )  # fmt: skip

    @override
    def read(self, plain: Any) -> Outcome:
        return read_outcome(plain)

    @override
    def write(self, outcome: Outcome) -> Any:
        return write_outcome(outcome)

    @override
    def is_final(self, outcome: Outcome) -> bool:
        return outcome.status != "failed"

    @override
    def count(self, outcomes: Sequence[Outcome]) -> Counts:
        return count_outcomes(outcomes, range(len(outcomes)))._asdict()

    @override
    def columns(self, outcomes: Sequence[Outcome]) -> Mapping[str, Sequence[Any]]:
        return judged_columns(find_step(self.step_name), outcomes)

    @override
    def types(self) -> Mapping[str, frozenset[type]]:
        return result_types(find_step(self.step_name))

    @override
    def facts(self, total: Counts, before: int, run: Run, started: float) -> Iterator[Fact | str]:
        of = {name: Counter[str](total.get(name, {})) for name in ("statuses", "deciders")}
        failures = sorted(total.get("failures", []))
        return tell_judged(Judged(**of, failures=failures), before, run, started)


@dataclass(frozen=True)
class Jury(Asking):
    """Several judges. settings: the arguments of `plan_jury` but for step and judges."""

    voters: Sequence[str | JudgeSpec | HumanVotes]
    settings: Mapping[str, Any]

    def _plan(self, inputs: Sequence[Any] = ()) -> JuryPlan:
        return plan_jury(self.step_for(inputs), self.voters, **self.settings)

    @override
    def about(self) -> dict[str, Any]:
        mapper = self.codes.signature if self.codes else None
        return {**about_jury(self._plan(), mapper), "case": self.case}

    @override
    def models(self) -> Sequence[JudgeSpec]:
        plan = self._plan()
        return [one.judge.spec for one in (*plan.jurors, *plan.replacements) if one.judge]

    @override
    def people(self) -> Sequence[HumanVotes]:
        return [voter for voter in self.voters if isinstance(voter, HumanVotes)]

    @override
    def groups(self, inputs: Sequence[Any]) -> Sequence[Group]:
        return groups_of_jury(self._plan(inputs))

    @override
    def ask(self, inputs: Sequence[Any], cases: Sequence[str], run: Run) -> Sequence[JuryOutcome]:
        return run_jury_sync(
            self.step_for(inputs), list(inputs), self.voters, cases=cases, run=run, **self.settings
        )

    @override
    def read(self, plain: Any) -> JuryOutcome:
        return read_jury(plain)

    @override
    def write(self, outcome: JuryOutcome) -> Any:
        return write_jury(outcome)

    @override
    def is_final(self, outcome: JuryOutcome) -> bool:
        return is_final(outcome)

    @override
    def count(self, outcomes: Sequence[JuryOutcome]) -> Counts:
        return dict(vars(count_jury(outcomes)))

    @override
    def columns(self, outcomes: Sequence[JuryOutcome]) -> Mapping[str, Sequence[Any]]:
        return jury_columns(find_step(self.step_name), outcomes)

    @override
    def types(self) -> Mapping[str, frozenset[type]]:
        return jury_types(find_step(self.step_name))

    @override
    def facts(self, total: Counts, before: int, run: Run, started: float) -> Iterator[Fact | str]:
        counts = JuryCounts(
            Counter(total.get("statuses", {})),
            {judge: Counter(of) for judge, of in total.get("by_judge", {}).items()},
            {judge: Counter(of) for judge, of in total.get("replaced", {}).items()},
            total.get("escalated", 0),
            sorted(total.get("failures", [])),
        )
        return tell_jury(counts, before, run, started)


def asking_of(options: JudgeOptions) -> Asking:
    """Return who judges, from the options. Raises UsageError and InputError as they are read."""
    name = options.rows.step
    step = find_step(name)
    codes = open_codes(options.added_sources) if codes_decide(options, step) else None
    if options.has_jury:
        voters, settings = voters_of(options, step), settings_of(options, step)
        return Jury(name, options.case, tuple(voters), settings, codes=codes)
    judge = options.model.judge(options.judge[0]) if options.judge else None
    engine, both = options.engine or "auto", options.both_orders
    return OneJudge(name, "", judge, engine, options.repeat, both, codes=codes)


def add_counts(total: Counts, counts: Mapping[str, Any], at: int) -> None:
    """Add the counts of a block to those of a job. at: the number of the block's first row."""
    for name, value in counts.items():
        if name == "failures":
            total.setdefault(name, []).extend((at + row, why) for row, why in value)
        elif isinstance(value, Mapping):
            add_counts(total.setdefault(name, {}), value, at)
        else:
            total[name] = total.get(name, 0) + value
