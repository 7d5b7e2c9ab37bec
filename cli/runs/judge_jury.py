"""The jury of `dxjudge judge`, from its options: who votes, what the journal says of it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ...agents.judge import JudgeSpec
from ...agents.step import Step
from ...cache.key import fingerprint
from ...files.bytes import check_writable
from ...files.forms import table_format
from ...graphs.jury.jurors import HUMAN, HumanVotes, Juror, votes_not_read
from ...graphs.jury.plan import JuryPlan
from ...graphs.jury.result import JuryOutcome
from ...graphs.jury.votes_file import read_votes
from ...graphs.jury.weights import read_weights
from ..judging_options import JudgeOptions
from .step_rows import engines_by_codes, say

AnyVoter = str | JudgeSpec | HumanVotes


def is_model(name: str) -> bool:
    """Return whether a judge is a model, and not a stand-in or a file of votes."""
    return ":" in name and not name.startswith(HUMAN)


def codes_decide(options: JudgeOptions, step: Step[Any, Any]) -> bool:
    """Whether equal codes judge, so that the texts are mapped before anything is asked."""
    if options.has_jury:
        names = (*(options.judge or ()), *(options.jury.replacement or ()))
        return not {*names}.isdisjoint(engines_by_codes(step))
    return options.engine in engines_by_codes(step) and options.engine not in step.stand_ins


def check_votes(options: JudgeOptions) -> None:
    """Raise UsageError or OutputError where the file of votes cannot be written."""
    if options.votes is not None:
        table_format(str(options.votes), "votes")
        check_writable(options.votes)


def voters_of(options: JudgeOptions, step: Step[Any, Any]) -> list[AnyVoter]:
    """Return the judges of `plan_jury`; votes of people are read here."""
    humans = [f"{HUMAN}{file}" for file in options.jury.human or ()]
    return [_voter(name, options, step) for name in (*(options.judge or ()), *humans)]


def warn_of_votes(step: Step[Any, Any], voters: Iterable[AnyVoter], cases: Collection[str]) -> None:
    """Warn of votes of people that are not read: on other cases than these, and on other steps."""
    for people in voters:
        if isinstance(people, HumanVotes):
            for told in votes_not_read(step, people, cases):
                say(f"dxjudge: warning: {told}")


def settings_of(options: JudgeOptions, step: Step[Any, Any]) -> dict[str, Any]:
    """Return the other arguments of `plan_jury`; weights are read here."""
    jury = options.jury
    return {
        "repeats": jury.repeats,
        "variants": ("", *jury.wordings),
        "rule": jury.rule or ("weighted" if jury.weights else "majority"),
        "quorum": jury.quorum,
        "weights": read_weights(jury.weights, (step,)) if jury.weights else None,
        "replacements": [_voter(name, options, step) for name in jury.replacement or ()],
        "escalate": jury.escalate,
        "engine": options.engine or "llm",
        "under_test": jury.under_test or (),
    }


def _voter(name: str, options: JudgeOptions, step: Step[Any, Any]) -> AnyVoter:
    if name.startswith(HUMAN):
        file = name.removeprefix(HUMAN)
        return HumanVotes(tuple(read_votes(file, steps=(step,))), file)
    return options.model.judge(name) if is_model(name) else name


def about_jury(plan: JuryPlan, mapper: str | None) -> dict[str, Any]:
    """Return what the journal says of a jury. mapper: the signature where equal codes vote."""
    return {
        "jury": _about_jurors(plan.jurors),
        "replacements": _about_jurors(plan.replacements),
        "step": plan.step.name,
        "version": plan.step.version,
        "prompts": {name: step.load_prompt().hash for name, step in plan.steps.items()},
        "engine": plan.engine,
        "repeats": plan.repeats,
        "rule": plan.rule,
        "quorum": plan.quorum,
        "weights": dict(plan.weights) if plan.weights else None,
        "escalate": plan.escalate,
        "mapper": mapper,
    }


def _about_jurors(jurors: Sequence[Juror]) -> list[dict[str, Any]]:
    return [_about_juror(juror) for juror in jurors]


def _about_juror(juror: Juror) -> dict[str, Any]:
    votes = [[*key, vote.status, vote.verdict] for key, vote in juror.votes.items()]
    spec = juror.judge.spec.model_dump(mode="json") if juror.judge else None
    return {"name": juror.name, "spec": spec, "votes": fingerprint(votes) if votes else ""}


def is_final(outcome: JuryOutcome) -> bool:
    """Return whether to keep an outcome: it has a quorum and no vote failed on the budget."""
    over_budget = any(vote.reason.startswith("budget: ") for vote in outcome.votes)
    return outcome.status != "no_quorum" and not over_budget
