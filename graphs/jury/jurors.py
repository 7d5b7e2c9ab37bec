"""Who sits on a jury: models, stand-ins and people, and what they may not be."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ...agents.engine.families import families_of
from ...agents.engine.judges import AnyJudge, Judge, as_judge
from ...agents.judge import OFFICIAL
from ...agents.stand_ins import ALWAYS
from ...agents.step import Step
from ...errors import InputError, UsageError
from ...scoring.votes import Vote
from ..verdicts import read_human
from .votes_file import read_votes

HUMAN = "human:"


@dataclass(frozen=True)
class HumanVotes:
    """Verdicts of people, as `votes_file.read_votes` reads them; each person is one juror."""

    votes: tuple[Vote, ...]
    name: str = "human"


AnyJuror: TypeAlias = AnyJudge | HumanVotes


@dataclass(frozen=True)
class Juror:
    """One who votes: a model, a stand-in of the step, or a person with the votes of a file.

    `votes` are a person's, by case and step.
    """

    name: str
    kind: Literal["model", "stand-in", "human"]
    judge: Judge | None = None
    votes: Mapping[tuple[str, str], Vote] = field(default_factory=dict)


def jurors_of(step: Step[Any, Any], judges: Iterable[AnyJuror]) -> tuple[Juror, ...]:
    """The jurors that names, specs, model objects, "rules", "human:FILE", HumanVotes stand for.

    Raises UsageError for what is none of them; InputError for votes that cannot be read, are
    not on this step, or not of its kind.
    """
    found: list[Juror] = []
    for judge in judges:
        if isinstance(judge, str) and judge.startswith(HUMAN):
            file = judge.removeprefix(HUMAN)
            judge = HumanVotes(tuple(read_votes(file, steps=(step,))), file)
        if isinstance(judge, HumanVotes):
            found += _people(step, judge)
        elif isinstance(judge, str) and judge in step.stand_ins and judge != ALWAYS:
            found.append(Juror(judge, "stand-in"))
        else:
            found.append(_model(step, judge))
    return tuple(found)


def check_jurors(jurors: Sequence[Juror], replacements: Sequence[Juror]) -> None:
    """Raise UsageError where somebody would sit twice, or where nobody sits."""
    if not jurors:
        raise UsageError("a jury needs at least one judge")
    seen: set[str] = set()
    for juror in (*jurors, *replacements):
        name = one_model(juror.judge) if juror.judge else juror.name.lower()
        if name in seen:
            raise UsageError(
                f"the judge {juror.name} is named twice: one model is one judge; to ask it "
                "several times, use repeats"
            )
        seen.add(name)


def one_model(judge: Judge) -> str:
    """The same for two judges that are one model on one server, however they are asked.

    A model object of a vendor is its model at its address; any other object is itself.
    """
    spec, brought = judge.spec, judge.model
    name = spec.endpoint
    if brought is not None and spec.provider != "object":
        fields = ("openai_api_base", "anthropic_api_url")
        address = next((found for each in fields if (found := getattr(brought, each, None))), "")
        name = f"{spec.label}@{address}".rstrip("@/")
    name = name.lower()
    for official in OFFICIAL.values():
        name = name.removesuffix(f"@{official}")
    return name


def warn_of_kin(jurors: Sequence[Juror], under_test: str | Iterable[str]) -> list[str]:
    """Warn of each judge that is of one family with a model under test; returns what was said."""
    tested = [under_test] if isinstance(under_test, str) else list(under_test)
    said = []
    for juror in jurors:
        if juror.judge is None:
            continue
        spec = juror.judge.spec
        own = families_of(spec.model)
        for model in tested:
            shared = sorted(own & families_of(model))
            if shared:
                said.append(
                    f"the judge {juror.name} and the model under test {model} are of one family "
                    f"({', '.join(shared)}): it may favour it"
                )
    for text in said:
        warnings.warn(text, stacklevel=3)
    return said


def _model(step: Step[Any, Any], judge: AnyJudge) -> Juror:
    try:
        live = as_judge(judge)
    except UsageError as fault:
        standing = [name for name in step.stand_ins if name != ALWAYS]
        if isinstance(judge, str) and ":" not in judge:
            known = ", ".join(standing) or "none"
            raise UsageError(
                f"{judge!r} is no judge: write openai:MODEL, anthropic:MODEL, human:FILE or a "
                f"stand-in of {step.name} ({known})"
            ) from fault
        raise
    return Juror(live.spec.endpoint, "model", live)


def _people(step: Step[Any, Any], given: HumanVotes) -> list[Juror]:
    held: dict[str, dict[tuple[str, str], Vote]] = {}
    for vote in given.votes:
        if vote.step != step.name and not vote.step.startswith(f"{step.name}."):
            continue
        own = held.setdefault(vote.judge, {})
        if (vote.case, vote.step) in own:
            raise InputError(
                f"{given.name}: {vote.judge} has two votes on case {vote.case} in {vote.step}"
            )
        try:
            own[vote.case, vote.step] = read_human(step, vote)
        except UsageError as fault:
            raise InputError(f"{given.name}: {fault}") from fault
    if not held:
        raise InputError(f"{given.name} has no vote on the step {step.name}")
    return [Juror(f"{HUMAN}{name}", "human", votes=votes) for name, votes in held.items()]
