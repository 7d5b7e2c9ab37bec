"""Translate a diagnosis from any language into English, so that it can be mapped."""

from pydantic import BaseModel, ConfigDict, Field

from .rules.wording import as_verdict
from .step import Step
from .verdict import Verdict

_LONGEST = 400  # characters; the search reads no more of a text


class TranslationInput(BaseModel):
    """One diagnosis, in any language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnosis: str = Field(min_length=1)


class Translation(BaseModel):
    """The language of the diagnosis, in English, and the diagnosis in English."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # This field comes first, so that a model decides on the language before it translates.
    language: str = Field(description="The language of the diagnosis, as an English word.")
    english: str | None = Field(description="The diagnosis in English; null if it is none.")


def _problems(inputs: TranslationInput, answer: Translation) -> list[str]:
    if answer.english is None:
        return []
    english = answer.english.strip()
    problems = []
    if not english:
        problems.append("english: is empty; give the diagnosis in English, or null")
    if "\n" in english or len(english) > _LONGEST:
        problems.append("english: give the diagnosis alone, on one line")
    foreign = [char for char in english if char.isalpha() and not _latin_or_greek(char)]
    if foreign:
        problems.append(f"english: {''.join(foreign[:20])!r} is not English; translate all of it")
    return problems


def _latin_or_greek(char: str) -> bool:
    """Whether a letter is Latin (with or without accents) or Greek, as in β-thalassemia."""
    return char < "\u0400" or "\u1e00" <= char < "\u2000"


def _none(inputs: TranslationInput, answer: Translation) -> str | None:
    return "the model sees no diagnosis in the text" if answer.english is None else None


def _tidy(inputs: TranslationInput, answer: Translation) -> Translation:
    english = " ".join((answer.english or "").split())
    return Translation(language=answer.language.strip(), english=english)


TRANSLATE_DIAGNOSIS: Step[TranslationInput, Translation] = Step(
    name="translate_diagnosis",
    version=1,
    input=TranslationInput,
    output=Translation,
    checks=(_problems,),
    abstain=_none,
    finish=_tidy,
    result=Translation,
    verdict=Verdict("english", write=as_verdict, normal=as_verdict),
    returns="the diagnosis in English and its language, or none",
    scale="free text",
)
