"""Join the codes of conditions, by what the release and the project's table say about two codes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from .mapping import Additional, Mapping
from .notes.patient import PREGNANT
from .notes.pregnant import is_not_pregnant
from .packaged import packaged_rows
from .reading.agents import agent, organism
from .reading.joined import Part
from .reading.normalise import normalise_text
from .tree import Tree

LEAST = 0.5
"""The lowest score of a condition by itself."""

SECONDARY = ("C77", "C78", "C79")
"""How the codes of secondary tumors begin."""

OF_CAUSE = ("A49", "B95", "B96", "B97", "Z16")
"""How the codes begin that say of an infection only its organism or what that resists."""

INJURY = ("S", "T")
"""How the codes of injuries, poisonings and adverse effects begin."""

STATED = ("the drug that the text names", "the cause that the text names")
"""Why a drug or an accident stands beside what it causes, whatever code that has."""

POISONING = tuple(f"T{n}" for n in range(36, 66))
"""How the codes of poisonings, toxic and adverse effects begin."""

# These codes name the drug themselves.
_BY_ITSELF = ("F1", "P04", "P96.1", *POISONING)
_EXTERNAL = ("V", "W", "X", "Y")  # how the codes of what injures begin
_BEHAVIOR = "F91"
# How those begin that say of a disease only its cause, or only that behavior is disturbed.
_NO_DISEASE = (*_EXTERNAL, "Z57", "Z77", _BEHAVIOR)
_OF_NEWBORN = "P"
_INDUCED = re.compile(r"\b(?:drug|toxic|induced|secondary (?!malignant))", re.IGNORECASE)

CAUSES = frozenset(
    """alcoholic toxic drug diabetic hypertensive syphilitic tuberculous gonococcal postprocedural
    traumatic congenital gestational pregnancy newborn neonatal following postpartum""".split()
)
"""Words of names that say a cause or a time, which a text must say as well."""

# A code that names no infection is none of an organism: "VRE exposure".
_INFECTION = re.compile(
    r"infect|sep(?:sis|tic)|itis\b|pneumonia|abscess|bacter|fung|viral|pyo|empyema|gangrene|"
    r"furuncle|carbuncle|ulcer|impetigo",
    re.IGNORECASE,
)
_TUMORS = ("C", "D0", "D1", "D2", "D3", "D4")  # how their codes begin
_NOTES = ("use_additional_code", "code_also")
_RANGE = re.compile(
    r"\b([A-Z]\d[\dA-Z](?:\.[\dA-Z]*)?)-?(?:(?<=-)([A-Z]\d[\dA-Z](?:\.[\dA-Z]*)?))?"
)


@dataclass(frozen=True)
class Coded:
    """A condition of the text with the code that it has by itself."""

    part: Part
    code: str
    score: float
    category_score: float


@dataclass(frozen=True)
class Joined:
    """The conditions joined so far: `code` names all of them but those of `further`.

    combined: whether `code` is none of the conditions' own. is_listed: whether the table of
    combinations says what stands beside what.
    """

    mapping: Mapping
    code: str
    named: tuple[Coded, ...]
    further: tuple[Additional, ...]
    combined: bool = False
    is_listed: bool = False


class Combination(NamedTuple):
    """One line of the table: two conditions by prefixes, their code, what stands beside it."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    code: str
    further: str


def join(state: Joined, condition: Coded, tree: Tree) -> Joined | None:
    """Return the state with one more condition, None where it cannot be said what is meant.

    A drug is joined with the condition before it: in "diabetes with acne due to steroids" it is no
    cause of the diabetes.
    """
    before = state.named[-1]
    is_later = bool(state.further or state.combined or "," in before.part.span)
    is_of_further = is_later and is_drug(condition)
    own = Coded(before.part, state.code, before.score, before.category_score)
    for first, second in ((own, condition), (condition, own)):
        line = find_combination(first.code, second.code)
        if line and second.code == PREGNANT and is_not_pregnant(second.part.span):
            line = None
        if line and not is_of_further:
            code = line.code.format(
                first=first.code,
                second=second.code,
                category=tree.category(first.code).code,
                prefix=first.code[: _longest(first.code, line.first)],
            )
            further = _of_line(line.further, code, first, second, tree)
            is_more = state.combined and first is own and state.code not in line.first
            if is_more and _is_beside(code, state.code, tree):
                more = _with_complication(state, condition, code, tree)
                return replace(more, further=(*more.further, *further))
            combined = state.combined or line.code not in {"{first}", "{second}"}
            return replace(
                state,
                code=code,
                named=(*state.named, condition),
                further=(*state.further, *further),
                combined=combined,
                is_listed=True,
            )
    why = note_for(state.code, condition.code, tree) or _why_beside(state, condition)
    if why is None:
        return None
    return replace(state, further=(*state.further, additional_of(condition, why, tree)))


def is_drug(condition: Coded) -> bool:
    """Return whether a condition is the drug that a text names as a cause."""
    return condition.code.startswith(INJURY) and agent(condition.part.text) is not None


def names_drug(name: str) -> bool:
    """Return whether a name says that a drug or another thing is the cause."""
    return _INDUCED.search(name) is not None


def is_unsaid_newborn(code: str, text: str, tree: Tree) -> bool:
    """Return whether a code is of a newborn, of whom the text says nothing."""
    names = set(normalise_text(tree.name(code)).split()) & {"newborn", "neonatal"}
    return code.startswith(_OF_NEWBORN) and bool(names - set(normalise_text(text).split()))


def says_no_disease(code: str) -> bool:
    """Return whether a code is only that of the cause of a disease, or of disturbed behavior."""
    return code.startswith(_NO_DISEASE)


def disease_beside(code: str, coded: Sequence[Coded | None]) -> Coded | None:
    """Return the first disease among the conditions of a text whose code `says_no_disease`.

    "Frostbite due to cold exposure" is frostbite, "autism and behavioral disturbance" autism.
    """
    named = coded[:1] if code.startswith(_BEHAVIOR) else coded
    none = (*_NO_DISEASE, "Z")
    return next((one for one in named if one and not one.code.startswith(none)), None)


def accidents_of(coded: Sequence[Coded | None], tree: Tree) -> tuple[Additional, ...]:
    """Return the codes of the accidents among conditions, which stand beside the injury."""
    accidents = (one for one in coded if one and one.code.startswith(_EXTERNAL))
    return tuple(additional_of(one, STATED[1], tree) for one in accidents)


def _why_beside(state: Joined, condition: Coded) -> str | None:
    """Return why a condition without a note stands beside the code, None where it cannot be said.

    An organism stands beside the infection that the text names it as the cause of, what spread to
    a place beside a tumor: "infection spread to bone" has no metastasis. The tumor that secondary
    ones come from stands beside them ("lung mets from colon cancer"), as a drug stands beside its
    adverse effect, and an accident beside the injury.
    """
    relation = condition.part.relation
    if agent(condition.part.text) is not None:
        drug = is_drug(condition)
        if relation not in {"due to", "agent"} or (drug and state.code.startswith(_BY_ITSELF)):
            return None
        return STATED[0] if drug else "the organism that the text names"
    if condition.code.startswith(_EXTERNAL):
        is_cause = relation in {"due to", "after"} and state.code.startswith(INJURY)
        return STATED[1] if is_cause else None
    if relation == "due to" and state.code.startswith(SECONDARY):
        return f"{state.code} spread from it" if condition.code.startswith(_TUMORS) else None
    has_spread = relation == "spread" and state.code.startswith(_TUMORS)
    is_other = relation in {"with", "on"} or has_spread
    return f"{state.code} does not name it" if is_other else None


def _with_complication(state: Joined, condition: Coded, code: str, tree: Tree) -> Joined:
    """Return the state with the code of one more complication of a combined condition.

    As many codes of diabetes stand beside each other as it has complications.
    """
    why = f"{state.code} names another complication"
    more = additional_of(replace(condition, code=code), why, tree)
    return replace(state, named=(*state.named, condition), further=(*state.further, more))


def _of_line(
    further: str, code: str, first: Coded, second: Coded, tree: Tree
) -> tuple[Additional, ...]:
    """Return the codes that stand beside a combination, with the note that asks for each."""
    return tuple(_beside(one, code, first, second, tree) for one in further.split())


def _beside(one: str, code: str, first: Coded, second: Coded, tree: Tree) -> Additional:
    """Return what a word of the table names beside `code`: first, second or a code."""
    own = first if code == second.code or one == "first" else second
    if one not in {"first", "second"}:
        own = replace(own, code=one)
    why = note_for(code, own.code, tree) or f"{code} does not say all of it"
    return additional_of(own, why, tree)


def additional_of(condition: Coded, why: str, tree: Tree) -> Additional:
    """Return the further code of a condition, with why it stands beside the first."""
    code = condition.code
    score = condition.category_score
    return Additional(code, tree.name(code), score, condition.part.span, why)


def _is_beside(one: str, other: str, tree: Tree) -> bool:
    """Return whether two codes of one category are not above each other."""
    return tree.category(one) == tree.category(other) and not in_line(one, other, tree)


def in_line(one: str, other: str, tree: Tree) -> bool:
    """Return whether two codes are the same or one is above the other."""
    return (
        one == other
        or tree.node(one) in tree.ancestors(other)
        or tree.node(other) in tree.ancestors(one)
    )


def find_combination(first: str, second: str) -> Combination | None:
    """Return the line for two codes in this order, that with the longest prefixes, else None."""
    fitting = [
        (length, line)
        for line in _combinations()
        if (length := _longest(first, line.first) * _longest(second, line.second))
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def note_for(code: str, further: str, tree: Tree) -> str | None:
    """Return the note by which a code asks for a further one, or the further one for the code.

    Notes of the codes above count as well. Returns None where there is no such note.
    """
    if note := asks_for(code, further, tree):
        return note
    for node in (tree.node(further), *tree.ancestors(further)):
        for note in tree.notes(node).get("code_first", ()):
            if _covers(note, code):
                return f"code first: {note.strip(' ,.')}"
    return None


def asks_for(code: str, further: str, tree: Tree) -> str | None:
    """Return the note by which a code, or one above it, asks for a further code; else None."""
    for node in (tree.node(code), *tree.ancestors(code)):
        for kind in _NOTES:
            for note in tree.notes(node).get(kind, ()):
                if _covers(note, further):
                    return f"{kind.replace('_', ' ')}: {note.strip(' ,.').removeprefix('code ')}"
    return None


def is_effect(condition: Coded, agent_part: Part, tree: Tree) -> bool:
    """Return whether a condition may come of its agent: of an organism, only an infection does.

    The code of the infection names no cause but those that the text says.
    """
    if organism(agent_part.text) is None:
        return True
    name, text = tree.name(condition.code), normalise_text(condition.part.text)
    unsaid = CAUSES & set(normalise_text(name).split()) - set(text.split())
    return not unsaid and (condition.code[0] in "AB" or _INFECTION.search(name) is not None)


def _covers(note: str, code: str) -> bool:
    """Return whether a note names a code: alone, above it ("N18.-"), or in a range ("B95-B97")."""
    for low, high in _RANGE.findall(note):
        low, high = low.rstrip("."), (high or low).rstrip(".")
        if low <= code[: len(low)] and code[: len(high)] <= high:
            return True
    return False


def _longest(code: str, prefixes: tuple[str, ...]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=0)


@lru_cache(maxsize=1)
def _combinations() -> tuple[Combination, ...]:
    lines = packaged_rows("combinations.tsv")
    return tuple(
        Combination(tuple(first.split()), tuple(second.split()), code, further)
        for first, second, code, further in lines
    )
