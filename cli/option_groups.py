"""Groups of options that several commands share, in the form that the runners take."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import MissingExtra, UsageError
from .options import (
    MODEL,
    AccountFile,
    Batch,
    BatchRepairs,
    Cache,
    CacheMode,
    Concurrency,
    ExtraBody,
    LogFile,
    MaxCalls,
    MaxCost,
    MaxTokens,
    OneDimension,
    Otel,
    PriceList,
    ReasoningEffort,
    RequestsAMinute,
    Timeout,
    TokensAMinute,
)

if TYPE_CHECKING:
    from ..agents.engine.judges import Judge
    from ..agents.engine.permits import Permits
    from ..agents.engine.run import Run
    from ..agents.judge import JudgeSpec
    from ..agents.step import Step
    from ..agents.watching.sender import Sender

JURY = "Jury"

Temperature = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=2,
        help="The temperature of the model. By default that of the step.",
        rich_help_panel=MODEL,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="The seed that is sent to models that take one.", rich_help_panel=MODEL),
]
JudgeTemperature = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=2,
        metavar="NUMBER",  # a short one: the names of the other options need the width
        help="The temperature of the judge. By default that of the step.",
        rich_help_panel=MODEL,
    ),
]
JudgeSeed = Annotated[
    int | None,
    typer.Option(help="The seed that is sent to judges that take one.", rich_help_panel=MODEL),
]
Rule = Annotated[
    str | None,
    typer.Option(
        help="How the votes make one verdict: majority (the default), plurality, unanimous, "
        "weighted, mean, median, min or max.",
        rich_help_panel=JURY,
    ),
]
Repeats = Annotated[
    int, typer.Option(min=1, help="How often each model is asked.", rich_help_panel=JURY)
]
Variants = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,NAME",
        help="Further wordings of the prompt; each model is asked with each of them too.",
        rich_help_panel=JURY,
    ),
]
Quorum = Annotated[
    int | None,
    typer.Option(
        help="How many votes must give a verdict. By default more than half.", rich_help_panel=JURY
    ),
]
Replacements = Annotated[
    list[str] | None,
    typer.Option(
        "--replacement",
        metavar="MODEL",
        help="A judge that replaces a judge that fails. May be repeated.",
        rich_help_panel=JURY,
    ),
]
Escalate = Annotated[
    bool,
    typer.Option(
        "--escalate",
        help="Ask the first two judges, and the others only where these two differ.",
        rich_help_panel=JURY,
    ),
]
Human = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A table of people's votes with the columns case, step, judge and verdict. May be "
        "repeated.",
        rich_help_panel=JURY,
    ),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        help="A table with the columns judge and weight, or a table of votes with a column label, "
        "from which the weights are learnt.",
        rich_help_panel=JURY,
    ),
]
UnderTest = Annotated[
    list[str] | None,
    typer.Option(
        help="A model whose texts are judged. A judge of the same family gives a warning.",
        rich_help_panel=JURY,
    ),
]


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Budget, pace and cache of a command that asks models."""

    max_calls: MaxCalls = None
    max_cost: MaxCost = None
    prices: PriceList = None
    concurrency: Concurrency = None
    rpm: RequestsAMinute = None
    tpm: TokensAMinute = None
    timeout: Timeout = 120.0
    cache: Cache = None
    cache_mode: CacheMode = "read-write"
    account: AccountFile = None
    log: LogFile = None
    otel: Otel = False

    def open(self, ledger: Path | None = None, permits: "Permits | None" = None) -> "Run":
        """Return a run with these settings. Raises UsageError and InputError as `Run` does."""
        from ..agents.engine.run import Run
        from ..files.bytes import check_writable

        if self.account is not None:
            check_writable(self.account)
        sender = _open_sender() if self.otel else None
        run = Run(
            cache=self.cache,
            mode=self.cache_mode,  # type: ignore[arg-type]
            max_calls=self.max_calls,
            max_cost=self.max_cost,
            prices=self.prices,
            concurrency=self.concurrency,
            rpm=self.rpm,
            tpm=self.tpm,
            timeout=self.timeout,
            ledger=ledger,
            log=self.log,
            account=self.account,
            tracer=sender.tracer if sender else None,
            permits=permits,
        )
        run.sender = sender
        return run


@dataclass(frozen=True, kw_only=True)
class BatchRunOptions(RunOptions):
    """Budget, pace and cache of a command that can ask by batches."""

    batch: Batch = False
    batch_repairs: BatchRepairs = "batch"

    def open(self, ledger: Path | None = None, permits: "Permits | None" = None) -> "Run":
        """Return a run with these settings. Raises UsageError and InputError as `Run` does."""
        from ..agents.batches.settings import Batching

        batching = Batching(self.batch_repairs)  # type: ignore[arg-type]
        if not self.batch and self.batch_repairs != "batch":
            raise UsageError(f"--batch-repairs {self.batch_repairs} is for --batch")
        run = super().open(ledger, permits)
        if self.batch:
            run.ask_by_batches(batching)
        return run


@dataclass(frozen=True, kw_only=True)
class JudgingRunOptions(BatchRunOptions):
    """Budget, pace and cache of a command that runs one step, and whether it is split."""

    one_dimension_a_call: OneDimension = False

    def open(self, ledger: Path | None = None, permits: "Permits | None" = None) -> "Run":
        """Return a run with these settings. Raises UsageError and InputError as `Run` does."""
        run = super().open(ledger, permits)
        run.one_dimension = self.one_dimension_a_call
        return run

    def about(self, step: "Step[Any, Any]") -> dict[str, Any]:
        """Return what a journal says of the split: nothing without one.

        Raises UsageError for a step without dimensions.
        """
        if not self.one_dimension_a_call:
            return {}
        if step.dimensions is None:
            raise UsageError(
                f"--one-dimension-a-call: {step.name} has no dimensions; score_rubric and "
                "label_errors have"
            )
        return {"one_dimension_a_call": True}


def _open_sender() -> "Sender":
    """Raises MissingExtra if the packages of the extra `otel` are missing."""
    try:
        from ..agents.watching.sender import Sender
    except ImportError as fault:
        raise MissingExtra("--otel", "otel", fault) from fault
    return Sender()


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The parameters with which a model is asked."""

    temperature: Temperature = None
    seed: Seed = None
    max_tokens: MaxTokens = None
    reasoning_effort: ReasoningEffort = None
    extra_body: ExtraBody = None

    def judge(self, name: str) -> "JudgeSpec":
        """Return the named model with these parameters. Raises UsageError."""
        return _judge(name, vars(self))


@dataclass(frozen=True, kw_only=True)
class JudgeModelOptions:
    """The parameters of a judge, in a command whose --seed and --temperature mean other things."""

    judge_temperature: JudgeTemperature = None
    judge_seed: JudgeSeed = None
    max_tokens: MaxTokens = None
    reasoning_effort: ReasoningEffort = None
    extra_body: ExtraBody = None

    @property
    def _parameters(self) -> dict[str, Any]:
        return {name.removeprefix("judge_"): value for name, value in vars(self).items()}

    def judge(self, name: str) -> "JudgeSpec":
        """Return the named model with these parameters. Raises UsageError."""
        return _judge(name, self._parameters)

    def applied(self, judge: "Judge") -> "Judge":
        """Return a judge with the parameters that the options set. Raises UsageError."""
        changes = {name: value for name, value in self._parameters.items() if value is not None}
        if not changes:
            return judge
        spec = judge.spec
        changed = _judge(spec.label, {**{n: getattr(spec, n) for n in _SAMPLED}, **changes})
        update = {name: getattr(changed, name) for name in changes}
        return replace(judge, spec=spec.model_copy(update=update))


_SAMPLED = ("temperature", "seed", "max_tokens", "reasoning_effort", "extra_body")


def _judge(name: str, parameters: dict[str, Any]) -> "JudgeSpec":
    from ..agents.engine.judges import as_judge
    from ..agents.judge import parse_judge

    # With the address that the environment sets: a journal is of one server's verdicts.
    return as_judge(parse_judge(name, **parameters)).spec


@dataclass(frozen=True, kw_only=True)
class JuryOptions:
    """How the votes of several judges make one verdict."""

    rule: Rule = None
    repeats: Repeats = 1
    variants: Variants = None
    quorum: Quorum = None
    replacement: Replacements = None
    escalate: Escalate = False
    human: Human = None
    weights: Weights = None
    under_test: UnderTest = None

    @property
    def wordings(self) -> tuple[str, ...]:
        """Return the names of the further wordings."""
        return tuple(name.strip() for name in (self.variants or "").split(",") if name.strip())
