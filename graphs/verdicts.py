"""Which verdict a step's result carries, as votes and agreement count it: the one place.

    judge_equivalence                       true or false
    grade_ddx, grade_final_diagnosis        the grade, a number
    score_open_answer                       the score, a number
    score_free_answer                       the option, A or B
    match_option                            the letters as one text, "A" or "A,C"
    choose_candidate                        the chosen name
    choose_best                             the place of the chosen answer, from 0
    extract_final_diagnosis,
    translate_diagnosis                     the diagnosis, normalised as mapping does
    extract_ddx, generate_ddx               the whole list in its order, normalised, as one text
    score_rubric.DIMENSION                  the level that counts, a number, for each dimension
    label_errors.CATEGORY                   true or false for each category of the taxonomy
    assign_category.CATEGORY                the same; with `multiple: false` assign_category
                                            alone, the one name
    a step of your own                      its only field, or the whole result as JSON text

A rubric's total is no verdict: code computes it from the levels, those of a jury too.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from ..agents.outcome import Outcome
from ..agents.step import Step
from ..agents.wording import fold
from ..cache.key import canonical
from ..errors import UsageError
from ..scoring.jury import NUMERIC, RULES, JuryVerdict, Rule
from ..scoring.votes import Scalar, Vote, identity


def _fold(name: Any) -> str:
    return fold(str(name)) or str(name)  # a text of marks alone folds to nothing


def _join_names(names: Sequence[str]) -> str:
    return "; ".join(map(_fold, names))


def _letters(text: Any) -> str:
    return ",".join(sorted(part.strip().upper() for part in str(text).split(",")))


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class _One:
    """A result with one verdict: its field, the field of the judge's words, and the way back.

    kinds: what a verdict may be. normal: what makes two texts the same verdict.
    """

    field: str
    kinds: tuple[type, ...] = (str,)
    words: str = ""
    write: Callable[[Any], Scalar] = _same
    read: Callable[[Any], Any] = _same
    normal: Callable[[Any], Scalar] = _same


_NUMBERS = (int, float)
_LIST = _One(
    "diagnoses",
    write=_join_names,
    read=lambda text: text.split("; "),
    normal=lambda text: _join_names(text.split(";")),
)
_ONES: dict[str, _One] = {
    "judge_equivalence": _One("equivalent", (bool,)),
    "grade_ddx": _One("score", _NUMBERS, "rationale"),
    "grade_final_diagnosis": _One("score", _NUMBERS, "rationale"),
    "score_open_answer": _One("score", _NUMBERS, "explanation"),
    "score_free_answer": _One("choice"),
    "match_option": _One(
        "letters", write=",".join, read=lambda text: tuple(text.split(",")), normal=_letters
    ),
    "choose_candidate": _One("name"),
    "choose_best": _One("index", (int,), "reason"),
    "extract_final_diagnosis": _One("diagnosis", write=_fold, normal=_fold),
    "translate_diagnosis": _One("english", write=_fold, normal=_fold),
    "extract_ddx": _LIST,
    "generate_ddx": _LIST,
}
LISTED = frozenset({*_ONES, "score_rubric", "label_errors", "assign_category"})
"""The steps whose verdicts this page lists."""
_ONE_CATEGORY = _One("categories", write=", ".join, read=lambda text: (text,))


def parts_of(step: Step[Any, Any], inputs: BaseModel | None) -> tuple[str, ...]:
    """The parts of a step that are voted on, each by itself; ("",) is the step as a whole."""
    given: Any = inputs
    if given is None:
        return ("",)
    if step.name == "score_rubric":
        return tuple(dimension.name for dimension in given.rubric.dimensions)
    if step.name == "label_errors":
        return tuple(category.name for category in given.taxonomy.categories)
    if step.name == "assign_category" and given.multiple:
        return tuple(category.name for category in given.categories.categories)
    return ("",)


def vote_step(step: Step[Any, Any], part: str) -> str:
    """The name that votes on a part have in their field `step`."""
    return f"{step.name}.{part}" if part else step.name


def verdicts_of(
    step: Step[Any, Any], inputs: BaseModel, value: Any
) -> dict[str, tuple[Scalar, str]]:
    """Part -> (verdict, the judge's words) of a step's result."""
    if step.name == "score_rubric":
        return {name: (score.raw, score.justification) for name, score in value.dimensions.items()}
    if step.name == "label_errors":
        found: dict[str, list[str]] = {part: [] for part in parts_of(step, inputs)}
        for error in value.errors:
            found[error.category].append(error.explanation)
        return {part: (bool(held), " / ".join(held)) for part, held in found.items()}
    if step.name == "assign_category" and getattr(inputs, "multiple", False):
        return {part: (part in value.categories, "") for part in parts_of(step, inputs)}
    one = _one(step)
    if one is None:
        return {"": _of_any(value)}
    words = str(getattr(value, one.words)) if one.words else ""
    return {"": (one.write(getattr(value, one.field)), words)}


def votes_of(
    step: Step[Any, Any],
    inputs: BaseModel | None,
    outcome: Outcome,
    *,
    case: str,
    judge: str,
    variant: str = "",
    groups: Mapping[str, str] | None = None,
) -> list[Vote]:
    """An outcome as votes, one a part; `outcome.value` is the step's result type.

    Tokens and cost are those of the whole answer, on the first part; the others have 0.
    inputs: None where they cannot be used.
    """
    shared: dict[str, Any] = {
        "case": case,
        "judge": judge,
        "repeat": outcome.repeat,
        "variant": variant,
        "groups": dict(groups or {}),
    }
    found: dict[str, dict[str, Any]] = {}
    if outcome.status == "done":
        assert inputs is not None  # it was judged
        for part, (verdict, words) in verdicts_of(step, inputs, outcome.value).items():
            found[part] = {"verdict": verdict, "explanation": words}
    elif outcome.status == "abstained":
        about = {"status": "abstained", "reason": outcome.reason}
        found = dict.fromkeys(parts_of(step, inputs), about)
    else:
        about = {"status": "failed", "reason": f"{outcome.kind}: {'; '.join(outcome.reasons)}"}
        found = dict.fromkeys(parts_of(step, inputs), about)
    spent: dict[str, Any] = {
        "tokens_in": outcome.tokens_in,
        "tokens_out": outcome.tokens_out,
        "cost": outcome.cost,
    }
    votes = []
    for part, said in found.items():
        votes.append(Vote(step=vote_step(step, part), **shared, **said, **spent))
        spent = dict.fromkeys(spent, 0)
    return votes


def check_rule(step: Step[Any, Any], rule: Rule) -> None:
    """Raise UsageError for no rule, or one that calculates with verdicts that are no numbers."""
    if rule not in RULES:
        raise UsageError(f"no rule {rule!r}; there are {', '.join(RULES)}")
    if rule in NUMERIC and step.name in LISTED and not is_numeric(step):
        raise UsageError(
            f"the rule {rule} needs numbers, and the verdicts of {step.name} are none; use "
            "majority, plurality, unanimous or weighted"
        )


def is_numeric(step: Step[Any, Any]) -> bool:
    """Whether the verdicts of a step of the toolkit are numbers."""
    one = _ONES.get(step.name)
    return step.name == "score_rubric" or (one is not None and one.kinds == _NUMBERS)


def read_human(step: Step[Any, Any], vote: Vote) -> Vote:
    """A person's vote with its verdict as this step's votes have it.

    Raises UsageError, naming case and judge, for a verdict of another kind.
    """
    if vote.verdict is None:
        return vote
    one = _one(step)
    kinds: tuple[type, ...] = one.kinds if one else (str, *_NUMBERS, bool)
    if vote.step != step.name:
        kinds = _NUMBERS if step.name == "score_rubric" else (bool,)
    fits = isinstance(vote.verdict, kinds) and (bool in kinds or not isinstance(vote.verdict, bool))
    if not fits:
        wanted = {bool: "true or false", str: "text"}.get(kinds[0], "a number")
        raise UsageError(
            f"the verdict of {vote.judge} on case {vote.case} in {vote.step} is "
            f"{vote.verdict!r}; it must be {wanted}"
        )
    verdict = one.normal(vote.verdict) if one and vote.step == step.name else vote.verdict
    return Vote(**{**vars(vote), "verdict": verdict})


def compose(
    step: Step[Any, Any],
    inputs: BaseModel,
    verdicts: Mapping[str, JuryVerdict],
    values: Sequence[Any],
) -> BaseModel | None:
    """The step's result that a jury's verdicts make; None where no type can hold it.

    verdicts: by part, all decided. values: the results of those who voted. Where one of them
    says what the jury says it stands for the jury (the first by its text, so not by the order
    of votes); else it is made of the verdict, with the votes in place of an explanation.
    """
    said = {part: found.verdict for part, found in verdicts.items()}
    if step.name == "score_rubric":
        return _rubric(step, inputs, verdicts)
    if step.name == "label_errors":
        return _errors(step, inputs, said, values)
    if step.name == "assign_category" and "" not in said:
        kept = [part for part, verdict in said.items() if verdict]
        return step.read_value(inputs, {"categories": kept}) if kept else None
    verdict = said[""]
    assert verdict is not None  # decided
    alike = [
        value
        for value in values
        if identity(verdicts_of(step, inputs, value)[""][0]) == identity(verdict)
    ]
    if alike:
        found: BaseModel = _first(alike)
        return found
    one = _one(step)
    if one is None or step.result is None:
        return None
    fields = {one.field: one.read(verdict)}
    if one.words:
        fields[one.words] = _tally(verdicts[""])
    try:
        return step.result.model_validate(_with_blanks(step.result, fields))
    except ValidationError:
        return None  # a person's verdict does not tell every field


def _one(step: Step[Any, Any]) -> _One | None:
    return _ONE_CATEGORY if step.name == "assign_category" else _ONES.get(step.name)


def _of_any(value: Any) -> tuple[Scalar, str]:
    """The verdict of a step that is not listed here."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    if isinstance(plain, dict) and len(plain) == 1:
        only = next(iter(plain.values()))
        if isinstance(only, str | int | float) and only != "":
            return only, ""
    return json.dumps(plain, sort_keys=True, ensure_ascii=False), ""


def _first(values: Sequence[BaseModel]) -> BaseModel:
    return min(values, key=lambda value: canonical(value.model_dump(mode="json")))


def _tally(found: JuryVerdict) -> str:
    shares = ", ".join(f"{verdict} by {share:.0%}" for verdict, share in found.shares)
    return f"{found.rule} of {found.done} votes: {shares}"


def _rubric(step: Step[Any, Any], inputs: Any, verdicts: Mapping[str, JuryVerdict]) -> BaseModel:
    factors = {dimension.name: dimension.factor for dimension in inputs.rubric.dimensions}
    dimensions = {
        name: {
            "given": found.verdict,
            "raw": found.verdict,
            "points": float(found.verdict or 0) * factors[name],
            "justification": _tally(found),
            "quotes": (),
            "invented": (),
        }
        for name, found in verdicts.items()
    }
    total = sum(float(found.verdict or 0) * factors[name] for name, found in verdicts.items())
    return step.read_value(
        inputs,
        {
            "rubric": inputs.rubric.name,
            "dimensions": dimensions,
            "total": total,
            "best": inputs.rubric.best,
        },
    )


def _errors(
    step: Step[Any, Any], inputs: Any, said: Mapping[str, Scalar | None], values: Sequence[Any]
) -> BaseModel:
    """The errors of each category that the jury finds, in the words of one who found them."""
    errors: list[Any] = []
    for part, present in said.items():
        if not present:
            continue
        held = [
            [error.model_dump(mode="json") for error in value.errors if error.category == part]
            for value in values
        ]
        found = [each for each in held if each]
        group = next(item.group for item in inputs.taxonomy.categories if item.name == part)
        blank = {"category": part, "group": group, "quote": None, "reasoning_step": ""}
        errors += min(found, key=canonical) if found else [{**blank, "explanation": ""}]
    return step.read_value(inputs, {"taxonomy": inputs.taxonomy.name, "errors": errors})


def _with_blanks(result: type[BaseModel], fields: dict[str, Any]) -> dict[str, Any]:
    """Fields that a verdict does not tell and that have no default are None."""
    needed = (name for name, field in result.model_fields.items() if field.is_required())
    return {**dict.fromkeys(needed), **fields}
