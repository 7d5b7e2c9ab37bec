"""The model that chooses among the candidates, from the options of `dxjudge map`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ...agents.choose_candidate import CHOOSE_CANDIDATE
from ...agents.judge import JudgeSpec
from ...agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ...errors import AuthenticationFault, UsageError
from ...graphs.chooser import Chooser, is_judge
from ..command import given_flags
from ..option_groups import BatchRunOptions, ModelOptions

if TYPE_CHECKING:
    from ...agents.engine.judges import Judge
    from ...agents.engine.run import Run


@dataclass(frozen=True)
class Asked:
    """The model that chooses, the options of its `Chooser`, and the options of its `Run`."""

    judge: JudgeSpec
    options: dict[str, Any]
    run: BatchRunOptions
    estimate_only: bool = False


def read_models(
    model: str | None,
    encoder: str | None,
    options: dict[str, Any],
    asked: ModelOptions,
    run: BatchRunOptions,
) -> tuple[str, Asked | None]:
    """Return the name of the embedding model, and the model that chooses, if `model` names one.

    options: the options of the choice; None where an option is not given. Raises UsageError for
    two embedding models, for an encoder that writes text, and for options of a model that
    chooses where there is none.
    """
    if encoder is not None and is_judge(encoder):
        raise UsageError(
            f"--encoder {encoder} is a model that writes text, not an embedding model: write "
            f"--model {encoder} to let it choose codes"
        )
    if model is not None and is_judge(model):
        choosing = {name: value for name, value in options.items() if value is not None}
        only = choosing.pop("estimate")
        return encoder or "default", Asked(asked.judge(model), choosing, run, only)
    if model is not None and encoder is not None:
        raise UsageError(
            f"--model {model} and --encoder {encoder} are two embedding models: give one"
        )
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
        why = f", because {model} is read as the name of an embedding model" if model else ""
        raise UsageError(f"{flags}: no model is asked{why}; name one with --model openai:gpt-4o")
    return model or encoder or "default", None


@contextmanager
def asking(asked: Asked | None) -> Iterator[Chooser | None]:
    """Open the chooser with its own run, or yield None where no model chooses.

    Raises UsageError where the model has no price and a limit on cost is set, and
    AuthenticationFault where a key is missing and the cache has no reply of the model's steps.
    """
    if asked is None:
        yield None
        return
    # This import takes half a second, and most runs do not need it.
    from ...agents.engine.judges import as_judge

    with asked.run.open() as run:
        judge = as_judge(asked.judge)
        chooser = Chooser(judge, run, **asked.options)
        run.check(judge)
        if not asked.estimate_only:
            run.price(judge.spec)
            _check_key(judge, run)
        yield chooser


def mapper_settings(chooser: Chooser | None) -> dict[str, Any]:
    """Return a chooser as the arguments of `Mapper`."""
    if chooser is None:
        return {}
    return {field.name: getattr(chooser, field.name) for field in fields(chooser)}


def _check_key(judge: "Judge", run: "Run") -> None:
    """Raise for a missing key, except where kept replies may answer everything."""
    from ...agents.engine.judges import check_key

    if run.replies.mode == "replay":
        return
    try:
        check_key(judge)
    except AuthenticationFault:
        steps = (CHOOSE_CANDIDATE.name, TRANSLATE_DIAGNOSIS.name)
        has_replies = any(any(run.replies.entries(step)) for step in steps)
        if not run.replies.reads or not has_replies:
            raise
