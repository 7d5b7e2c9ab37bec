"""Define the jurors of a jury: models, stand-ins and people; and check their combination."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ...agents.engine.families import families_of
from ...agents.engine.judges import AnyJudge, Judge, as_judge, one_model
from ...agents.stand_ins import ALWAYS
from ...agents.step import Step
from ...errors import InputError, UsageError
from ...files.counted import counted
from ...scoring.votes import Vote
from ..verdicts import read_human
from .votes_file import read_votes

HUMAN = "human:"
_SHOWN = 5  # cases in a sentence


@dataclass(frozen=True)
class HumanVotes:
    """Votes of people, read with `votes_file.read_votes`; each person is one juror."""

    votes: tuple[Vote, ...]
    name: str = "human"


AnyJuror: TypeAlias = AnyJudge | HumanVotes


@dataclass(frozen=True)
class Juror:
    """A judge of a jury: a model, a stand-in of the step, or a person whose votes are in a file.

    `votes` are the votes of a person, by case and step.
    """

    name: str
    kind: Literal["model", "stand-in", "human"]
    judge: Judge | None = None
    votes: Mapping[tuple[str, str], Vote] = field(default_factory=dict)


def jurors_of(step: Step[Any, Any], judges: Iterable[AnyJuror]) -> tuple[Juror, ...]:
    """Return the jurors for names, specs, model objects, "rules", "human:FILE" and HumanVotes.

    Raises UsageError for any other value, and InputError for votes that cannot be read, that are
    not on this step, or that are not of its kind.
    """
    jurors: list[Juror] = []
    for judge in judges:
        if isinstance(judge, str) and judge.startswith(HUMAN):
            file = judge.removeprefix(HUMAN)
            judge = HumanVotes(tuple(read_votes(file, steps=(step,))), file)
        if isinstance(judge, HumanVotes):
            jurors += _people(step, judge)
        elif isinstance(judge, str) and judge in step.stand_ins and judge != ALWAYS:
            jurors.append(Juror(judge, "stand-in"))
        else:
            jurors.append(_model(step, judge))
    return tuple(jurors)


def check_jurors(jurors: Sequence[Juror], replacements: Sequence[Juror]) -> None:
    """Raise UsageError if there is no judge, or if a judge is named twice."""
    if not jurors:
        raise UsageError("a jury needs at least one judge")
    seen: set[str] = set()
    for juror in (*jurors, *replacements):
        name = one_model(juror.judge) if juror.judge else juror.name.lower()
        if name in seen:
            raise UsageError(
                f"the judge {juror.name} is named twice; name it once, or use repeats to ask "
                "one model several times"
            )
        seen.add(name)


def warn_of_kin(jurors: Sequence[Juror], under_test: str | Iterable[str]) -> list[str]:
    """Warn of each judge of the same family as a model under test, and return the warnings."""
    tested = [under_test] if isinstance(under_test, str) else list(under_test)
    texts = []
    for juror in jurors:
        if juror.judge is None:
            continue
        spec = juror.judge.spec
        own = families_of(spec.model)
        for model in tested:
            shared = sorted(own & families_of(model))
            if shared:
                texts.append(
                    f"the judge {juror.name} and the model under test {model} are of one family "
                    f"({', '.join(shared)}); the judge may favour this model"
                )
    for text in texts:
        warnings.warn(text, stacklevel=3)
    return texts


def _model(step: Step[Any, Any], judge: AnyJudge) -> Juror:
    try:
        live = as_judge(judge)
    except UsageError as fault:
        standing = [name for name in step.stand_ins if name != ALWAYS]
        if isinstance(judge, str) and ":" not in judge:
            known = ", ".join(standing) or "none"
            raise UsageError(
                f"{judge!r} is not a judge; write openai:MODEL, anthropic:MODEL, human:FILE or a "
                f"stand-in of {step.name} ({known})"
            ) from fault
        raise
    return Juror(live.spec.endpoint, "model", live)


def votes_not_read(step: Step[Any, Any], people: HumanVotes, cases: Iterable[str]) -> Iterator[str]:
    """Yield a sentence on the votes of people on other cases than these, and on other steps."""
    known = set(cases)
    of_step = [vote for vote in people.votes if _is_on(step, vote)]
    others = [vote.case for vote in of_step if vote.case not in known]
    if others:
        names = list(dict.fromkeys(others))
        listed = ", ".join(names[:_SHOWN]) + ", …" * (len(names) > _SHOWN)
        yield f"{people.name}: not read: {counted(len(others), 'vote')} on other cases: {listed}"
    if more := len(people.votes) - len(of_step):
        yield f"{people.name}: not read: {counted(more, 'vote')} on other steps than {step.name}"


def _is_on(step: Step[Any, Any], vote: Vote) -> bool:
    return vote.step == step.name or vote.step.startswith(f"{step.name}.")


def _people(step: Step[Any, Any], people: HumanVotes) -> list[Juror]:
    votes_by_person: dict[str, dict[tuple[str, str], Vote]] = {}
    for vote in people.votes:
        if not _is_on(step, vote):
            continue
        own = votes_by_person.setdefault(vote.judge, {})
        if (vote.case, vote.step) in own:
            raise InputError(
                f"{people.name}: {vote.judge} has two votes on case {vote.case} in {vote.step}"
            )
        try:
            own[vote.case, vote.step] = read_human(step, vote)
        except UsageError as fault:
            raise InputError(f"{people.name}: {fault}") from fault
    if not votes_by_person:
        raise InputError(f"{people.name} has no vote on the step {step.name}")
    return [
        Juror(f"{HUMAN}{name}", "human", votes=votes) for name, votes in votes_by_person.items()
    ]
