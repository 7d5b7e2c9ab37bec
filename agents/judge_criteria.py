"""Judge which criteria a response to a conversation meets, as HealthBench does."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from ..prompts.load import Value
from .people.declared import ForPeople
from .rules.technical import abstain_on
from .step import Step
from .verdict import Parts, Verdict, Worded


class Message(BaseModel):
    """One message of a conversation."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    role: str
    content: str


class Criterion(BaseModel):
    """One criterion: what a response does, its points (negative for a fault), and its tags."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    criterion: str = Field(min_length=1)
    points: float = Field(default=1.0, allow_inf_nan=False)
    tags: tuple[str, ...] = ()


def _as_criterion(value: Any) -> Any:
    return {"criterion": value} if isinstance(value, str) else value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str | Mapping | Criterion) else value


Criteria = Annotated[
    tuple[Annotated[Criterion, BeforeValidator(_as_criterion)], ...], BeforeValidator(_as_list)
]


class CriteriaInput(BaseModel):
    """A conversation (a text, or messages with role and content), a response, and the criteria.

    criteria: a text is a criterion of one point.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    conversation: str | tuple[Message, ...] = Field(min_length=1)
    response: str
    criteria: Criteria = Field(min_length=1)


class CriterionAnswer(BaseModel):
    """The judgement on one criterion."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(description="What in the response meets the criterion, or what is missing.")
    met: bool = Field(description="true if the response does all that the criterion says.")


class CriteriaAnswer(BaseModel):
    """The judgement on every criterion, each on its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class MetCriteria(BaseModel):
    """Whether the response meets each criterion, in their order, and why.

    points: the sum of the points of the criteria that are met. reason: all reasons in one text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    met: tuple[bool, ...]
    reasons: tuple[str, ...] = ()
    points: float = 0.0
    reason: str = ""


def conversation_text(messages: Sequence[Mapping[str, Any] | Message]) -> str:
    """Return messages as one text, each after its role.

    >>> conversation_text([{"role": "user", "content": "Is it gout?"}])
    'user: Is it gout?'
    """
    typed = [Message.model_validate(one) for one in messages]
    return "\n\n".join(f"{one.role}: {one.content}" for one in typed)


def _render(inputs: CriteriaInput) -> Mapping[str, Value]:
    told = inputs.conversation
    return {
        "conversation": told if isinstance(told, str) else conversation_text(told),
        "response": inputs.response,
        "criteria": [
            f"{name}: {one.criterion}"
            for name, one in zip(_names(inputs), inputs.criteria, strict=True)
        ],
    }


def _names(inputs: CriteriaInput) -> tuple[str, ...]:
    return tuple(f"c{number}" for number in range(1, len(inputs.criteria) + 1))


@lru_cache(maxsize=256)
def _answer_model(names: tuple[str, ...]) -> type[CriteriaAnswer]:
    fields: dict[str, Any] = {name: (CriterionAnswer, Field(...)) for name in names}
    return create_model("CriteriaAnswer", __base__=CriteriaAnswer, **fields)


def _answers(inputs: CriteriaInput, answer: CriteriaAnswer) -> Iterator[CriterionAnswer]:
    for name in _names(inputs):
        yield getattr(answer, name)


def _explained(inputs: CriteriaInput, answer: CriteriaAnswer) -> list[str]:
    pairs = zip(_names(inputs), _answers(inputs, answer), strict=True)
    return [f"{name}.reason: is empty" for name, one in pairs if not one.reason.strip()]


def _finish(inputs: CriteriaInput, answer: CriteriaAnswer) -> MetCriteria:
    answers = list(_answers(inputs, answer))
    return _result(inputs, [one.met for one in answers], [one.reason.strip() for one in answers])


def _result(inputs: CriteriaInput, met: Sequence[bool], reasons: Sequence[str]) -> MetCriteria:
    pairs = zip(inputs.criteria, met, strict=True)
    named = [f"{name}: {why}" for name, why in zip(_names(inputs), reasons, strict=True)]
    return MetCriteria(
        met=tuple(met),
        reasons=tuple(reasons),
        points=sum(one.points for one, is_met in pairs if is_met),
        reason=reasons[0] if len(reasons) == 1 else " ".join(named),
    )


def _parts(inputs: CriteriaInput) -> tuple[str, ...]:
    """Return the criteria by number, one verdict each; nothing for a single criterion."""
    return _names(inputs) if len(inputs.criteria) > 1 else ()


def _split(inputs: CriteriaInput, value: MetCriteria) -> dict[str, Worded]:
    reasons = value.reasons or ("",) * len(value.met)
    verdicts = map(Worded, value.met, reasons)
    return dict(zip(_names(inputs), verdicts, strict=True))


def _join(
    inputs: CriteriaInput, verdicts: Mapping[str, Worded], values: Sequence[MetCriteria]
) -> dict[str, Any]:
    worded = [verdicts[name] for name in _names(inputs)]
    met, reasons = [bool(one.verdict) for one in worded], [one.words for one in worded]
    return _result(inputs, met, reasons).model_dump()


def _texts(inputs: CriteriaInput) -> dict[str, str]:
    pairs = zip(_names(inputs), inputs.criteria, strict=True)
    return {name: one.criterion for name, one in pairs}


def _only(met: tuple[bool, ...]) -> bool:
    return met[0]


JUDGE_CRITERIA: Step[CriteriaInput, CriteriaAnswer, MetCriteria] = Step(
    name="judge_criteria",
    version=1,
    input=CriteriaInput,
    judged="response",
    output=lambda inputs: _answer_model(_names(inputs)),
    render=_render,
    checks=(_explained,),
    finish=_finish,
    result=MetCriteria,
    verdict=Verdict(
        "met",
        words="reason",
        kind="truth",
        write=_only,
        read=lambda is_met: (is_met,),
        shown={True: "met", False: "not met"},
        parts=Parts(names=_parts, split=_split, join=_join, kind="truth", total="points"),
    ),
    stand_ins={"code": abstain_on("response")},
    people=ForPeople(explain=_texts),
    returns="whether a response meets each of the criteria of its case, and why; points by code",
    scale="met, not met",
)
