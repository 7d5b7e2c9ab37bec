"""List every diagnosis that a text considers, in the order of the text."""

import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from .rules.technical import abstain_on
from .rules.wording import as_verdict, blank_entries, faults, merge
from .step import Step
from .verdict import Verdict

_ENTRY = re.compile(r"^\s*(?:\(?\d{1,2}[.):]|[-*•–])\s+(?P<name>\S.*)$")
_LONGEST_NAME = 12  # words; a longer line probably contains an explanation
_REMARK = re.compile(r"[:.,;]\s|\b(?:ruled out|excluded|unlikely|less likely|not)\b", re.IGNORECASE)


class TextInput(BaseModel):
    """A text that considers diagnoses."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str


class DdxAnswer(BaseModel):
    """The differential diagnosis."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnoses: list[str] = Field(
        description="Every diagnosis that the text considers, each one once by its bare name, "
        "in the order of the text; empty if it considers none."
    )


class MergedEntry(BaseModel):
    """An entry that names the same disease as one kept earlier in the list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kept: str
    dropped: str


class Ddx(BaseModel):
    """Distinct diagnoses in the order of the text, and the entries that code merged into them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnoses: tuple[str, ...]
    merged: tuple[MergedEntry, ...] = ()


def _names_only(inputs: TextInput, answer: DdxAnswer) -> list[str]:
    problems = [f"diagnoses.{place}: is empty" for place in blank_entries(answer.diagnoses)]
    for place, name in enumerate(merge(answer.diagnoses)[0], 1):
        problems += [f"diagnoses.{place}: {fault}" for fault in faults(name)]
    return problems


def _none(inputs: TextInput, answer: DdxAnswer) -> str | None:
    return None if answer.diagnoses else "the text considers no diagnosis"


def make_ddx(entries: list[str]) -> Ddx:
    """Remove numbers, probabilities and remarks, and merge entries for the same disease."""
    diagnoses, merged = merge(entries)
    return Ddx(
        diagnoses=diagnoses,
        merged=tuple(MergedEntry(kept=kept, dropped=dropped) for kept, dropped in merged),
    )


def _merge(inputs: TextInput, answer: DdxAnswer) -> Ddx:
    return make_ddx(answer.diagnoses)


def bare_list(inputs: TextInput) -> Ddx | None:
    """Read a text that is only a numbered or bulleted list of names; None for any other text."""
    lines = [line for line in inputs.text.splitlines() if line.strip()]
    entries = [match["name"] for line in lines if (match := _ENTRY.match(line))]
    if len(entries) < 2 or len(entries) != len(lines):
        return None
    ddx = make_ddx(entries)
    plain = all(
        len(name.split()) <= _LONGEST_NAME and not faults(name) and not _REMARK.search(name)
        for name in ddx.diagnoses
    )
    return ddx if plain else None


def _join(diagnoses: Sequence[str]) -> str:
    return "; ".join(map(as_verdict, diagnoses))


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split("; "))


def _tidy(text: str) -> str:
    return _join(text.split(";"))


DDX_VERDICT = Verdict("diagnoses", kind="text", write=_join, read=_split, normal=_tidy)
"""The verdict is the whole list, in order, as one text."""

EXTRACT_DDX: Step[TextInput, DdxAnswer, Ddx] = Step(
    name="extract_ddx",
    version=1,
    input=TextInput,
    judged="text",
    output=DdxAnswer,
    checks=(_names_only,),
    abstain=_none,
    finish=_merge,
    result=Ddx,
    verdict=DDX_VERDICT,
    stand_ins={"code": abstain_on("text"), "rules": bare_list},
    returns="the diagnoses a text considers, in order, each once",
    scale="list of free texts",
)
