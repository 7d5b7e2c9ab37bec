"""The model that chooses among the candidates, as `dxjudge map` was told of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ...agents.choose_candidate import CHOOSE_CANDIDATE
from ...agents.judge import JudgeSpec
from ...agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ...errors import AuthenticationFault, UsageError
from ...graphs.chooser import Chooser
from ...graphs.mapper import is_judge
from ..command import given_flags
from ..option_groups import ModelOptions, RunOptions

if TYPE_CHECKING:
    from ...agents.engine.judges import Judge
    from ...agents.engine.run import Run


@dataclass(frozen=True)
class Asked:
    """The judge, how it is asked (options of `Chooser`) and the settings of its `Run`."""

    judge: JudgeSpec
    options: dict[str, Any]
    run: RunOptions
    estimate_only: bool = False


def read_models(
    model: str | None,
    encoder: str | None,
    options: dict[str, Any],
    asked: ModelOptions,
    run: RunOptions,
) -> tuple[str, Asked | None]:
    """The embedding model's name, and what is asked of a judge where `model` names one.

    An option that is None is not given. Raises UsageError for two embedding models, for a judge
    in place of one, and for options of a judge without a judge.
    """
    if encoder is not None and is_judge(encoder):
        raise UsageError(f"{encoder} writes text and embeds none; as the judge it is --model")
    if model is not None and is_judge(model):
        given = {name: value for name, value in options.items() if value is not None}
        only = given.pop("estimate")
        return encoder or "default", Asked(asked.judge(model), given, run, only)
    if model is not None and encoder is not None:
        raise UsageError(f"two embedding models: --model {model} and --encoder {encoder}")
    needing = [
        *(
            f"--{name.replace('_', '-')}"
            for name, value in options.items()
            if value not in (None, False)
        ),
        *given_flags(asked),
        *given_flags(run),
    ]
    if needing:
        flags = ", ".join(needing)
        why = f", since {model} is an embedding model by its name" if model else ""
        raise UsageError(f"{flags}: no model is asked{why}; name one with --model openai:gpt-4o")
    return model or encoder or "default", None


@contextmanager
def asking(asked: Asked | None) -> Iterator[Chooser | None]:
    """The chooser with a run of its own, or None where no judge is asked.

    Raises UsageError where a limit on cost cannot be kept, and AuthenticationFault where a key
    is missing and no kept reply could do without.
    """
    if asked is None:
        yield None
        return
    # Half a second of imports, which most runs do without.
    from ...agents.engine.judges import as_judge

    with asked.run.open() as run:
        judge = as_judge(asked.judge)
        chooser = Chooser(judge, run, **asked.options)
        if not asked.estimate_only:
            run.price(judge.spec)
            _check_key(judge, run)
        yield chooser


def mapper_settings(chooser: Chooser | None) -> dict[str, Any]:
    """A chooser as the arguments of `Mapper`."""
    return {each.name: getattr(chooser, each.name) for each in fields(chooser)} if chooser else {}


def _check_key(judge: "Judge", run: "Run") -> None:
    """Raise for a missing key, but where replies are kept: those may be all that is needed."""
    from ...agents.engine.judges import check_key

    if run.replies.mode == "replay":
        return
    try:
        check_key(judge)
    except AuthenticationFault:
        steps = (CHOOSE_CANDIDATE.name, TRANSLATE_DIAGNOSIS.name)
        kept = (any(run.replies.entries(step)) for step in steps)
        if not run.replies.reads or not any(kept):
            raise
