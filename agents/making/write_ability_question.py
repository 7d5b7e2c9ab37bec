"""Write a question for one ability from an annotation record; the right answer is given."""

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...prompts.annotations import Ability, AbilityRulesField, QuestionType
from ...prompts.load import Value
from ..rules.wording import fold
from ..step import Step
from .annotation import MEASURE
from .facts import missing_numbers, named_in

_WORD = re.compile(r"[\w-]+")
# What stands between the marks of a prompt is named by 12 hexadecimal digits. Small models copy
# them. In other texts they are found as numbers that the source does not have.
_MARK = re.compile(r"(?<![^\W_])(?=\d*[a-f])[0-9a-f]{12}(?![^\W_])")


class AbilityInput(BaseModel):
    """What is asked: an ability, a question type, its subject and its right answer.

    about: terms that the question must name. right: the right options, or the reference of an
    open question. true: everything that is right, also if it is not an option; no wrong option may
    mean the same. candidates: the terms that wrong options are chosen from; empty if they are
    written. record: the annotation as a text. objections: the faults of an earlier question.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ability: str
    type: QuestionType
    about: tuple[str, ...] = ()
    right: tuple[str, ...] = Field(min_length=1)
    true: tuple[str, ...]
    candidates: tuple[str, ...] = ()
    record: str = Field(min_length=1)
    rules: AbilityRulesField = Field(default="medlesionvqa", validate_default=True)
    objections: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _fits(self) -> "AbilityInput":
        names = [ability.name for ability in self.rules.abilities]
        if self.ability not in names:
            raise ValueError(f"ability: must be one of {', '.join(names)}")
        if self.type not in self.rule.types:
            raise ValueError(f"type: {self.ability} has no question of the type {self.type}")
        if self.type == "single" and len(self.right) != 1:
            raise ValueError("right: a single choice has one right option")
        if self.type != "open" and not 1 <= self.wrong < self.rules.options:
            raise ValueError("right: there is no place for a wrong option")
        return self

    @property
    def rule(self) -> Ability:
        """The ability."""
        return self.rules.ability(self.ability)

    @property
    def wrong(self) -> int:
        """How many wrong options are wanted."""
        return 0 if self.type == "open" else self.rules.options - len(self.right)


class AbilityQuestion(BaseModel):
    """The question and its wrong options."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    wrong: list[str] = Field(description="The wrong options; empty for an open question.")


def _render(inputs: AbilityInput) -> Mapping[str, Value]:
    forms = {
        "single": f"It has one right option. Give {inputs.wrong} wrong ones.",
        "multiple": f"Several options are right, and the question says so. Give {inputs.wrong} "
        "wrong ones.",
        "open": "It is answered in a few words. There are no options.",
    }
    written = "(write your own)" if inputs.type != "open" else "(none)"
    return {
        "instruction": inputs.rule.instruction,
        "question_words": str(inputs.rules.question_words),
        "form": forms[inputs.type],
        "about": _listed(inputs.about) or "(the whole image)",
        "right": _listed(inputs.right),
        "candidates": _listed(inputs.candidates) or written,
        "record": inputs.record,
        "objections": _listed(inputs.objections) or "(none)",
    }


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _form(inputs: AbilityInput, answer: AbilityQuestion) -> list[str]:
    words = _WORD.findall(answer.question.lower())
    problems = []
    if not 1 <= len(words) <= inputs.rules.question_words:
        problems.append(f"question: has {len(words)} words; 1 to {inputs.rules.question_words} fit")
    if answer.question.count("?") != 1:
        problems.append("question: must ask exactly one question")
    spaced = f" {' '.join(words)} "
    problems += [
        f"question: says {word!r}; whoever answers sees only the image"
        for word in inputs.rules.silent
        if f" {word} " in spaced
    ]
    return problems


def _subject(inputs: AbilityInput, answer: AbilityQuestion) -> list[str]:
    """Check that the question names its subject, and none of the options."""
    problems = [
        f"question: does not name {term!r}, which it is about"
        for term in inputs.about
        if not named_in(answer.question, [term])
    ]
    hidden = [term for term in (*inputs.true, *answer.wrong) if term not in inputs.about]
    problems += [
        f"question: names {term!r}, which is an option or the answer"
        for term in dict.fromkeys(named_in(answer.question, hidden))
    ]
    return problems + [
        f"question: the number {number} is not in the annotation"
        for number in missing_numbers(answer.question, inputs.record)
    ]


def _wrong(inputs: AbilityInput, answer: AbilityQuestion) -> list[str]:
    """Check the wrong options: their number, that each differs and is wrong, and is listed."""
    problems = []
    if len(answer.wrong) != inputs.wrong:
        problems.append(f"wrong: {inputs.wrong} options are wanted, not {len(answer.wrong)}")
    folded = [fold(text) for text in answer.wrong]
    true = {fold(text) for text in inputs.true}
    for place, text in enumerate(answer.wrong):
        if not folded[place] or folded[place] in folded[:place]:
            problems.append(f"wrong.{place}: {text!r} is empty or occurs twice")
        if folded[place] in true:
            problems.append(f"wrong.{place}: {text!r} is right for this image")
        if inputs.candidates and text not in inputs.candidates:
            problems.append(f"wrong.{place}: {text!r} is none of the wrong options to choose from")
        if _MARK.search(text):
            problems.append(f"wrong.{place}: {text!r} has a mark of this prompt; write an option")
    return problems


def _alike(inputs: AbilityInput, answer: AbilityQuestion) -> list[str]:
    """Check that written options have the length and form of the right one."""
    if inputs.candidates or not answer.wrong:
        return []
    lengths = [len(text) for text in (*inputs.right, *answer.wrong)]
    problems = []
    if max(lengths) > inputs.rules.length_ratio * max(min(lengths), 1):
        problems.append(
            f"wrong: the options have {min(lengths)} to {max(lengths)} characters; the longest may "
            f"have at most {inputs.rules.length_ratio:g} times as many as the shortest"
        )
    if all(MEASURE.fullmatch(text) for text in inputs.right):
        problems += [
            f"wrong.{place}: {text!r} is not a number with mm or cm"
            for place, text in enumerate(answer.wrong)
            if not MEASURE.fullmatch(text)
        ]
    return problems


WRITE_ABILITY_QUESTION: Step[AbilityInput, AbilityQuestion] = Step(
    name="write_ability_question",
    version=2,
    input=AbilityInput,
    output=AbilityQuestion,
    render=_render,
    checks=(_form, _subject, _wrong, _alike),
    temperature=0.7,
    returns="a question for one ability, with its wrong options",
)
