"""Estimate what a procedure would ask, before anything is asked.

The calls of the first step are known. Those of later steps depend on replies that nobody has yet:
their number is that of an item that passes every check at once, and their lengths are multiples of
the source's length, as measured on the examples of this repository.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..agents.assign_category import ASSIGN_CATEGORY
from ..agents.engine.estimate import Estimate, estimate
from ..agents.engine.prices import Price
from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE
from ..agents.making.extract_record import EXTRACT_CASE_RECORD
from ..agents.making.guess_option import GUESS_OPTION
from ..agents.making.list_unsupported import LIST_UNSUPPORTED
from ..agents.making.solve_question import SOLVE_QUESTION
from ..agents.making.summarise_evidence import SUMMARISE_EVIDENCE
from ..agents.making.verify_record import VERIFY_RECORD
from ..agents.making.write_distractors import WRITE_DISTRACTORS
from ..agents.making.write_question import WRITE_VISUAL_QUESTION
from ..agents.making.write_reasoning import WRITE_REASONING
from ..agents.making.write_rejected import WRITE_REJECTED
from ..agents.score_open_answer import SCORE_OPEN_ANSWER
from ..agents.step import Step
from .asking import Asking

_CHARACTERS_A_TOKEN = 4
_SHORT = 40  # tokens of an answer of a few fields


@dataclass(frozen=True)
class Later:
    """A step after the first. times: its calls for an item.

    fixed: the characters of forms and rules in one call, beyond the prompt. read, written: those of
    the inputs and of the answer that come from the item, as multiples of the source's characters.
    """

    step: Step[Any, Any]
    times: float = 1
    fixed: int = 200
    read: float = 0.0
    written: float = 0.0


DERMCASE = (
    Later(EXTRACT_CASE_RECORD, 1, 1100, 1.0, 1.0),
    Later(VERIFY_RECORD, 1, 1000, 2.1, 0.9),
    Later(EXTRACT_DDX, 1, 300, 0.4, 0.1),
    Later(WRITE_VISUAL_QUESTION, 1, 500, 1.0, 0.3),
    Later(LIST_UNSUPPORTED, 2, 200, 2.2),
    Later(WRITE_REASONING, 1, 300, 1.7, 1.5),
    Later(JUDGE_EQUIVALENCE),
    Later(WRITE_REJECTED, 2, 500, 2.0, 1.6),
)
MEDSYN = (
    Later(VERIFY_RECORD, 1, 1300, 2.1, 0.9),
    Later(EXTRACT_DDX, 1, 300, 0.2, 0.1),
    Later(SUMMARISE_EVIDENCE, 5, 300, 0.4, 0.2),
    Later(LIST_UNSUPPORTED, 5, 200, 0.4),
    Later(WRITE_DISTRACTORS, 1, 600, 0.3, 0.2),
    Later(JUDGE_EQUIVALENCE, 4),
    Later(GUESS_OPTION, 1, 100, 0.1),
)
MEDICONFUSION = (Later(SOLVE_QUESTION, 3, 300, 0.4), Later(ASSIGN_CATEGORY, 2, 300, 0.5))
MEDLESIONVQA = (Later(SOLVE_QUESTION, 2, 300, 0.5), Later(SCORE_OPEN_ANSWER, 0.2))
NAMES_BY_CODE = Later(EXTRACT_DDX, 1, 300, 0.3, 0.1)
"""With codes, the diagnoses that a text names are listed, to compare their codes."""


def estimate_procedure(
    first: Step[Any, Any],
    inputs: Sequence[Mapping[str, Any]],
    lengths: Sequence[int],
    later: Sequence[Later],
    asking: Asking,
) -> list[tuple[str, str, Estimate]]:
    """Return (label of the model, name of the step, estimate) for each step of a procedure.

    inputs: of the first step, one for each item. lengths: the characters of each item's source.
    Items whose first reply is kept are left out of the later steps.
    """
    begun = estimate(first, inputs, judge=asking.judge, run=asking.run)
    parts = [(asking.judge.spec.label, first.name, begun)]
    characters = sum(lengths) / len(lengths) if lengths else 0.0
    for one in later:
        judge = asking.judge_of(one.step)
        price = asking.run.prices.of(judge.spec)
        asked = _later(one, begun.calls, characters, price)
        parts.append((judge.spec.label, one.step.name, asked))
    return parts


def _later(one: Later, items: int, characters: float, price: Price | None) -> Estimate:
    calls = round(one.times * items)
    prompt = one.step.load_prompt()
    read = len(prompt.system) + len(prompt.user) + one.fixed + one.read * characters
    tokens_in = round(read / _CHARACTERS_A_TOKEN)
    tokens_out = round(_SHORT + one.written * characters / _CHARACTERS_A_TOKEN)
    each = price.cost(tokens_in, tokens_out) if price else None
    return Estimate(
        items=calls,
        unusable=0,
        by_stand_in=0,
        cached=0,
        calls=calls,
        tokens_in=calls * tokens_in,
        tokens_out=calls * tokens_out,
        cost=None if each is None else calls * each,
    )
