"""Groups of options that several commands share, as what the runners take."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import (
    MODEL,
    Cache,
    CacheMode,
    Concurrency,
    MaxCalls,
    MaxCost,
    MaxTokens,
    PriceList,
    ReasoningEffort,
    RequestsAMinute,
    Timeout,
    TokensAMinute,
)

if TYPE_CHECKING:
    from ..agents.engine.judges import Judge
    from ..agents.engine.run import Run
    from ..agents.judge import JudgeSpec

JURY = "Jury"

Temperature = Annotated[
    float | None,
    typer.Option(min=0, max=2, help="The step's own unless given.", rich_help_panel=MODEL),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Sent to models that take a seed.", rich_help_panel=MODEL),
]
JudgeTemperature = Annotated[
    float | None,
    typer.Option(min=0, max=2, help="The step's own unless given.", rich_help_panel=MODEL),
]
JudgeSeed = Annotated[
    int | None,
    typer.Option(help="Sent to judges that take a seed.", rich_help_panel=MODEL),
]
Rule = Annotated[
    str | None,
    typer.Option(
        help="majority (the default), plurality, unanimous, weighted, mean, median, min or max.",
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
        help="Further wordings of the prompt that each model is asked in.",
        rich_help_panel=JURY,
    ),
]
Quorum = Annotated[
    int | None,
    typer.Option(
        help="How many votes must decide; more than half unless given.", rich_help_panel=JURY
    ),
]
Replacements = Annotated[
    list[str] | None,
    typer.Option(
        "--replacement",
        metavar="MODEL",
        help="A judge that takes the place of one that fails. May be repeated.",
        rich_help_panel=JURY,
    ),
]
Escalate = Annotated[
    bool,
    typer.Option(
        "--escalate",
        help="Ask the first two judges, and the others only where those differ.",
        rich_help_panel=JURY,
    ),
]
Human = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A table of people's votes: case, step, judge, verdict. May be repeated.",
        rich_help_panel=JURY,
    ),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        help="Judge and weight, or votes with a column label to learn the weights from.",
        rich_help_panel=JURY,
    ),
]
UnderTest = Annotated[
    list[str] | None,
    typer.Option(
        help="A model whose texts are judged; a judge of its family is warned of.",
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

    def open(self, ledger: Path | None = None) -> "Run":
        """A run of these settings. Raises UsageError and InputError as `Run` does."""
        from ..agents.engine.run import Run

        return Run(
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
        )


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """How a model is asked."""

    temperature: Temperature = None
    seed: Seed = None
    max_tokens: MaxTokens = None
    reasoning_effort: ReasoningEffort = None

    def judge(self, name: str) -> "JudgeSpec":
        """A named model, asked like this. Raises UsageError."""
        return _judge(name, vars(self))


@dataclass(frozen=True, kw_only=True)
class JudgeModelOptions:
    """How a judge is asked, in a command whose --seed and --temperature say something else."""

    judge_temperature: JudgeTemperature = None
    judge_seed: JudgeSeed = None
    max_tokens: MaxTokens = None
    reasoning_effort: ReasoningEffort = None

    @property
    def _parameters(self) -> dict[str, Any]:
        return {name.removeprefix("judge_"): value for name, value in vars(self).items()}

    def judge(self, name: str) -> "JudgeSpec":
        """A named model, asked like this. Raises UsageError."""
        return _judge(name, self._parameters)

    def applied(self, judge: "Judge") -> "Judge":
        """A judge, asked like this where an option says so. Raises UsageError."""
        given = {name: value for name, value in self._parameters.items() if value is not None}
        if not given:
            return judge
        spec = judge.spec
        asked = _judge(spec.label, {**spec.model_dump(include=set(_SAMPLED)), **given})
        return replace(judge, spec=spec.model_copy(update={n: getattr(asked, n) for n in given}))


_SAMPLED = ("temperature", "seed", "max_tokens", "reasoning_effort")


def _judge(name: str, parameters: dict[str, Any]) -> "JudgeSpec":
    from ..agents.judge import parse_judge

    return parse_judge(name, **parameters)


@dataclass(frozen=True, kw_only=True)
class JuryOptions:
    """How several judges make one verdict."""

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
        """The names of the further wordings."""
        return tuple(name.strip() for name in (self.variants or "").split(",") if name.strip())
