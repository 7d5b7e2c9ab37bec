"""Match a free answer to the options of a question."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, field_validator

from ..prompts.load import Value
from .people.declared import ForPeople
from .rules.technical import abstain_on
from .rules.wording import fold
from .step import Nothing, Step
from .verdict import Verdict

_FRAME = re.compile(
    r"^(?:the\s+)?(?:(?:correct|right|best|final)\s+)?(?:answers?|options?|choices?)?\s*(?:is|are)?"
    r"\s*[:=]?\s*(?P<letters>.+?)[\s.]*$",
    re.IGNORECASE | re.DOTALL,
)
_TOKEN = re.compile(r"[(\[]?([A-Za-z0-9]{1,2})[)\].:]?$")
_ROW = re.compile(r"[(\[]?([A-Z]{2,})[)\].:]*$")
_LETTER = re.compile(r"(?<![A-Za-z0-9'\-])([A-Z])(?![A-Za-z0-9'\-])")
_STATED = re.compile(
    r"(?:\b(?i:answers?|options?|choices?)(?:\s+(?:is|are|would\s+be|letter))*\s*[:=]?\s*|^\W*)"
    r"(?P<open>[(\[\"'*]*)(?P<letter>[A-Z])(?:[)\]\"'*:.,;]+(?=\s|$)|\s*$|\s+(?:is|because|since|as)\b)"
    r"|[(\[\"]+(?P<bracketed>[A-Z])[)\]\"]+",
    re.MULTILINE,
)
_UNSURE = re.compile(
    r"\b(?:not|nor|neither|either|both|rather|instead|except|unlike|cannot|unable|incorrect|wrong|"
    r"unsure|unclear|if|or)\b|n't\b",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*(?:,|;|/|&|\+|、|，|；|\band\b)\s*|\s+", re.IGNORECASE)


def _lettered(options: Any) -> Any:
    if isinstance(options, list | tuple):
        return {chr(ord("A") + place): text for place, text in enumerate(options)}
    return options


class OptionInput(BaseModel):
    """A question, its options by letter (a bare list is lettered from A), and a free answer.

    `multiple`: whether several options may be right.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    options: Annotated[dict[str, str], BeforeValidator(_lettered)] = Field(min_length=2)
    answer: str
    multiple: bool = False

    @field_validator("options")
    @classmethod
    def _letters(cls, options: dict[str, str]) -> dict[str, str]:
        if not all(re.fullmatch(r"[A-Z]|[1-9][0-9]?", letter) for letter in options):
            raise ValueError("an option must be named by a capital letter or by a number 1 to 99")
        if not all(text.strip() for text in options.values()):
            raise ValueError("an option has no text")
        return options


class OptionAnswer(BaseModel):
    """The options that the answer amounts to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    letters: list[str]


class MatchedOptions(BaseModel):
    """Option letters in the order of the options; empty for none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    letters: tuple[str, ...]


def _render(inputs: OptionInput) -> Mapping[str, Value]:
    return {
        "question": inputs.question,
        "options": "\n".join(f"{letter}. {text}" for letter, text in inputs.options.items()),
        "answer": inputs.answer,
        "count": "Several options can be right." if inputs.multiple else "One option is right.",
    }


@lru_cache(maxsize=256)
def _answer_model(letters: tuple[str, ...], multiple: bool) -> type[OptionAnswer]:
    field = Field(
        # The bound also stops a model with constrained decoding from writing without end.
        max_length=len(letters) if multiple else 1,
        description="The letters of the options that the answer means; empty if it means none.",
    )
    return create_model(
        "OptionAnswer",
        __base__=OptionAnswer,
        letters=(list[Literal[letters]], field),  # type: ignore[valid-type]
    )


def _matched(inputs: OptionInput, letters: set[str]) -> MatchedOptions:
    return MatchedOptions(letters=tuple(letter for letter in inputs.options if letter in letters))


def _finish(inputs: OptionInput, answer: OptionAnswer) -> MatchedOptions:
    return _matched(inputs, set(answer.letters))


def _none(inputs: OptionInput, answer: OptionAnswer) -> str | None:
    return None if answer.letters else "the answer means none of the options"


def letters_only(inputs: OptionInput) -> MatchedOptions | Nothing | None:
    """Match an answer that is only option letters or the text of one option; None otherwise.

    If no option has the letter "Z", the answer "Z" means none of the options, as in MedLesionVQA.
    """
    by_text = [
        letter
        for letter, text in inputs.options.items()
        if fold(inputs.answer) in (fold(text), fold(f"{letter} {text}"))
    ]
    if len(by_text) == 1:
        return _matched(inputs, set(by_text))
    if "Z" not in inputs.options and named_letters(inputs.answer, ("Z",)):
        return Nothing("the answer means none of the options")
    letters = named_letters(inputs.answer, tuple(inputs.options))
    if not letters and not inputs.multiple:
        letters = stated_letter(inputs.answer, inputs.options)
    if not letters or (len(letters) > 1 and not inputs.multiple):
        return None
    return _matched(inputs, letters)


def stated_letter(answer: str, options: Mapping[str, str]) -> set[str]:
    """Return the one option that the sentences of an answer state; empty if they are not sure.

    The letter must stand where only an option can stand: after "answer", "option" or "choice", in
    brackets or quotation marks, or at the beginning of a line before a sign or a verb. No other
    capital letter may stand alone, no word may deny or weigh options, and the text of no other
    option may occur.

    >>> options = {"A": "above", "B": "below"}
    >>> stated_letter("The correct answer is B because of the mass.", options)
    {'B'}
    >>> stated_letter("A mass is seen.", options), stated_letter("B, not A.", options)
    (set(), set())
    """
    if _UNSURE.search(answer):
        return set()
    alone = set(_LETTER.findall(answer)) - ({"I"} - set(options))
    stated = {match["letter"] or match["bracketed"] for match in _STATED.finditer(answer)}
    if len(alone) != 1 or alone != stated or not alone <= set(options):
        return set()
    words = f" {fold(answer)} "
    others = [text for letter, text in options.items() if letter not in stated]
    return set() if any(f" {fold(text)} " in words for text in others) else stated


def named_letters(answer: str, known: tuple[str, ...]) -> set[str]:
    """Return the option letters that an answer consists of; empty if it says anything else.

    >>> sorted(named_letters("Answer: A and C.", ("A", "B", "C")))
    ['A', 'C']
    >>> sorted(named_letters("AC", ("A", "B", "C"))), sorted(named_letters("(A)(C)", ("A", "C")))
    (['A', 'C'], ['A', 'C'])
    >>> named_letters("A rash", ("A", "B")), named_letters("CAB", ("A", "B", "C"))
    (set(), set())
    """
    frame = _FRAME.match(answer.strip().strip("*_ "))
    if not frame:
        return set()
    text = frame["letters"].strip("*_ ").replace(")(", ") (")
    tokens = [token for token in _SPLIT.split(text) if token]
    if len(tokens) == 1 and (row := _ROW.match(tokens[0])) and _is_row(row[1], known):
        return set(row[1])
    letters = [match[1].upper() for token in tokens if (match := _TOKEN.match(token))]
    if len(letters) != len(tokens) or not set(letters) <= set(known):
        return set()
    return set(letters)


def _is_row(text: str, known: tuple[str, ...]) -> bool:
    """Whether letters written together are options; letters out of order may be a word."""
    return list(text) == sorted(set(text)) and set(text) <= set(known)


def _split_letters(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def _sort_letters(text: str) -> str:
    return ",".join(sorted(part.strip().upper() for part in text.split(",")))


def _texts(inputs: OptionInput) -> dict[str, str]:
    return {f"letters={letter}": text for letter, text in inputs.options.items()}


MATCH_OPTION: Step[OptionInput, OptionAnswer, MatchedOptions] = Step(
    name="match_option",
    version=2,
    input=OptionInput,
    judged="answer",
    output=lambda inputs: _answer_model(tuple(inputs.options), inputs.multiple),
    render=_render,
    abstain=_none,
    finish=_finish,
    result=MatchedOptions,
    verdict=Verdict(
        "letters", kind="text", write=",".join, read=_split_letters, normal=_sort_letters
    ),
    stand_ins={"code": abstain_on("answer"), "rules": letters_only},
    people=ForPeople(explain=_texts),
    returns="the option letters a free answer means, or none",
    scale="the options shown",
)
