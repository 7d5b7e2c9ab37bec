"""Choose the better of two responses to the same case, or call a tie."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..prompts.load import Value
from .rules.technical import technical_fault
from .step import Nothing, Step
from .verdict import Verdict

Side = Literal["A", "B", "tie"]
_OTHER: dict[Side, Side] = {"A": "B", "B": "A", "tie": "tie"}


class BetterInput(BaseModel):
    """A case with two responses to it, and the reference answer if there is one.

    swapped: shows response B first, under the label A. The verdict always names the responses as
    they are given here, so that the verdicts of both orders can be compared.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str = Field(min_length=1)
    response_a: str
    response_b: str
    reference: str = ""
    swapped: bool = False


class BetterAnswer(BaseModel):
    """What the model writes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(description="What decides between the two responses, in a sentence or two.")
    better: Side = Field(description="A or B for the better response, tie if they are as good.")


class Better(BaseModel):
    """The better response, A or B as given, or tie; and the reason in the judge's words.

    swapped: whether response B was shown first. The reason uses the labels that the judge saw.
    flipped: whether the verdicts of the two orders differed; None if only one order was asked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    better: Side
    reason: str
    swapped: bool = False
    flipped: bool | None = None


def settle_orders(given: Better, swapped: Better) -> Better:
    """Return the verdict of both orders: the one that they share, or a tie if they differ.

    A win counts only if it does not depend on the order in which the responses are shown, as in
    Zheng et al. (2023), "Judging LLM-as-a-judge with MT-Bench and Chatbot Arena".
    """
    flipped = given.better != swapped.better
    return Better(
        better="tie" if flipped else given.better,
        reason=f"A shown first: {given.reason} B shown first: {swapped.reason}",
        flipped=flipped,
    )


def _render(inputs: BetterInput) -> Mapping[str, Value]:
    shown = (inputs.response_a.strip() or "(empty)", inputs.response_b.strip() or "(empty)")
    first, second = reversed(shown) if inputs.swapped else shown
    return {
        "case": inputs.case,
        "reference": inputs.reference.strip() or "(none)",
        "response_a": first,
        "response_b": second,
    }


def _explained(inputs: BetterInput, answer: BetterAnswer) -> list[str]:
    return [] if answer.reason.strip() else ["reason: is empty"]


def _find(inputs: BetterInput, answer: BetterAnswer) -> Better:
    better = _OTHER[answer.better] if inputs.swapped else answer.better
    return Better(better=better, reason=answer.reason.strip(), swapped=inputs.swapped)


def _broken(inputs: BetterInput) -> Better | Nothing | None:
    """Abstain if both responses are empty or broken; if one is, the other is better."""
    fault_a, fault_b = technical_fault(inputs.response_a), technical_fault(inputs.response_b)
    if fault_a and fault_b:
        return Nothing("technical error: both responses are empty or broken")
    if not (fault_a or fault_b):
        return None
    return Better(
        better="B" if fault_a else "A",
        reason=f"technical error in {'A' if fault_a else 'B'}: {fault_a or fault_b}",
        swapped=inputs.swapped,
    )


def _alike(inputs: BetterInput) -> Better | None:
    """Decide "tie" if both responses are the same text; None otherwise."""
    a, b = (" ".join(text.split()).casefold() for text in (inputs.response_a, inputs.response_b))
    if a != b:
        return None
    return Better(better="tie", reason="both responses are the same", swapped=inputs.swapped)


CHOOSE_BETTER: Step[BetterInput, BetterAnswer, Better] = Step(
    name="choose_better",
    version=1,
    input=BetterInput,
    judged="response_b",
    output=BetterAnswer,
    render=_render,
    checks=(_explained,),
    finish=_find,
    result=Better,
    verdict=Verdict("better", words="reason", levels=("A", "B", "tie"), scale="nominal"),
    stand_ins={"code": _broken, "rules": _alike},
    returns="which of two responses to one case is better, or a tie, and why",
    scale="A, B, tie",
)
