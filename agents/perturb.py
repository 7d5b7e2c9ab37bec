"""Change an item in ways that should not change its verdict; each change has a seed.

    order        candidates, options, categories, dimensions or entries in another order
    swap         the two things that are compared change places, where the step is symmetric
    wording      the prompt in other words, as `wording:care`; `wording` alone means all wordings
    whitespace   other white space in the judged text
    case         the judged text in capitals
    irrelevant   an unrelated sentence added to the judged text
    injection    a sentence that imitates an instruction added to the judged text
    repeat       the same item again, at a temperature

The content that is judged stays the same. `restore` translates a result for the changed item
back into the letters and places of the original item.
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from ..cache.key import fingerprint
from ..errors import UsageError
from ..files.nearest import did_you_mean
from ..prompts.load import Rendered, load_sentences
from .step import Step, variants_of, vary

KINDS = ("order", "swap", "wording", "whitespace", "case", "irrelevant", "injection", "repeat")
_WORDING = "wording:"

Change = dict[str, Any]
Restore = Callable[[Any], Any]


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Perturbed:
    """A changed item, the step that judges it, and how to translate its result back."""

    step: Step[Any, Any]
    inputs: BaseModel
    restore: Restore = field(default=_unchanged, compare=False)


@dataclass(frozen=True)
class NotApplicable:
    """The reason why an item cannot be changed in this way."""

    reason: str


def perturbations(step: Step[Any, Any], names: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the named perturbations, with `wording` expanded to each wording; None names all.

    Raises UsageError for an unknown name; the message suggests the nearest name.
    """
    wordings = tuple(f"{_WORDING}{variant}" for variant in variants_of(step))
    known = (*KINDS, *wordings)
    chosen: dict[str, None] = {}
    for name in KINDS if names is None else names:
        if name not in known:
            hint = did_you_mean(name, known, f"there are {', '.join(KINDS)}")
            raise UsageError(f"step {step.prompt_name} has no perturbation {name!r}; {hint}")
        chosen.update(dict.fromkeys((wordings or (name,)) if name == "wording" else (name,)))
    if not chosen:
        raise UsageError(f"no perturbation is named; there are {', '.join(KINDS)}")
    return tuple(chosen)


def perturb(
    step: Step[Any, Any], inputs: BaseModel, name: str, seed: int = 0
) -> Perturbed | NotApplicable:
    """Change an item; the same item, name and seed always give the same change.

    name: one of `perturbations(step)`. Return NotApplicable if the item has nothing to change or
    the judge would see the same prompt.
    """
    if name == "repeat":
        return Perturbed(step, inputs)
    if name.startswith(_WORDING):
        return Perturbed(vary(step, name.removeprefix(_WORDING)), inputs)
    draw = random.Random(f"{seed} {name} {fingerprint(inputs.model_dump(mode='json'))}")
    changed = _CHANGES[name](step, inputs, draw) if name in _CHANGES else None
    if changed is None:
        return NotApplicable(f"the prompt {step.prompt_name} has no other wordings")
    if isinstance(changed, NotApplicable):
        return changed
    change, restore = changed
    try:
        item = step.input.model_validate({**dict(inputs), **change})
    except ValueError:
        return NotApplicable("the changed item is not a valid input")
    if _shown(step, item) == _shown(step, inputs):
        return NotApplicable("the judge would see the same prompt")
    return Perturbed(step, item, restore)


def _shown(step: Step[Any, Any], inputs: BaseModel) -> Rendered:
    return step.load_prompt().render(step.values(inputs))


Changed = tuple[Change, Restore] | NotApplicable


def _order(step: Step[Any, Any], inputs: Any, draw: random.Random) -> Changed:
    for name, change in _ORDERS.items():
        if name in type(inputs).model_fields:
            return change(inputs, draw)
    return NotApplicable("the item has no field whose order can change")


def _swap(step: Step[Any, Any], inputs: Any, draw: random.Random) -> Changed:
    if not step.symmetric:
        return NotApplicable("the step does not have two fields that can be exchanged")
    first, second = step.symmetric
    return {first: getattr(inputs, second), second: getattr(inputs, first)}, _unchanged


def _whitespace(text: str, draw: random.Random) -> str:
    wide = re.sub(r" +", lambda spaces: " " * draw.choice((1, 2, 3)), text)
    return f"\n  {wide} \n"


def _capitals(text: str, draw: random.Random) -> str:
    return text.lower() if text == text.upper() else text.upper()


def _add(kind: str) -> Callable[[str, random.Random], str]:
    def add(text: str, draw: random.Random) -> str:
        return f"{text.rstrip()}\n\n{draw.choice(load_sentences(kind))}"

    return add


def _text(
    change: Callable[[str, random.Random], str], *, every: bool = True
) -> Callable[[Step[Any, Any], Any, random.Random], Changed]:
    """Return a change of the judged text; of a tuple of texts, it changes all or only the last."""

    def changed(step: Step[Any, Any], inputs: Any, draw: random.Random) -> Changed:
        judged = getattr(inputs, step.judged) if step.judged else ()
        if not judged:
            why = "the item has no judged text"
            declare = "" if step.judged else "; name its field with `judged` in the step"
            return NotApplicable(f"{why}{declare}")
        if isinstance(judged, str):
            return {step.judged: change(judged, draw)}, _unchanged
        unchanged = () if every else tuple(judged[:-1])
        targets = judged if every else judged[-1:]
        return {step.judged: (*unchanged, *(change(text, draw) for text in targets))}, _unchanged

    return changed


_CHANGES: dict[str, Callable[[Step[Any, Any], Any, random.Random], Changed]] = {
    "order": _order,
    "swap": _swap,
    "whitespace": _text(_whitespace),
    "case": _text(_capitals),
    "irrelevant": _text(_add("irrelevant"), every=False),
    "injection": _text(_add("injection"), every=False),
}


def shuffled(count: int, draw: random.Random) -> list[int]:
    """Return the places 0 to count - 1 in another order, which differs if count is above 1."""
    places = list(range(count))
    while count > 1 and places == sorted(places):
        draw.shuffle(places)
    return places


def _options(inputs: Any, draw: random.Random) -> Changed:
    """Move the texts and keep the letters in order; the result's letters are translated back."""
    letters = list(inputs.options)
    places = shuffled(len(letters), draw)
    moved = {letters[at]: inputs.options[letters[place]] for at, place in enumerate(places)}
    own = {letters[at]: letters[place] for at, place in enumerate(places)}

    def restore(value: Any) -> Any:
        meant = {own[letter] for letter in value.letters}
        return value.model_copy(update={"letters": tuple(x for x in letters if x in meant)})

    return {"options": moved}, restore


def _two_options(inputs: Any, draw: random.Random) -> Changed:
    def restore(value: Any) -> Any:
        update = {"closeness_a": value.closeness_b, "closeness_b": value.closeness_a}
        other = {"A": "B", "B": "A"}.get(value.choice)
        return value.model_copy(update={**update, "choice": other})

    return {"option_a": inputs.option_b, "option_b": inputs.option_a}, restore


def _numbered(name: str) -> Callable[[Any, random.Random], Changed]:
    """Return a change of a tuple whose entries the verdict names by place."""

    def change(inputs: Any, draw: random.Random) -> Changed:
        entries = getattr(inputs, name)
        places = shuffled(len(entries), draw)

        def restore(value: Any) -> Any:
            index = None if value.index is None else places[value.index]
            return value.model_copy(update={"index": index})

        return {name: tuple(entries[place] for place in places)}, restore

    return change


def _entries(name: str) -> Callable[[Any, random.Random], Changed]:
    """Return a change of a tuple whose entries the verdict does not name by place."""

    def change(inputs: Any, draw: random.Random) -> Changed:
        return {name: _in_other_order(getattr(inputs, name), draw)}, _unchanged

    return change


def _data(name: str, inside: str) -> Callable[[Any, random.Random], Changed]:
    """Return a change of the entries of a rubric, taxonomy or category list, named in verdicts."""

    def change(inputs: Any, draw: random.Random) -> Changed:
        data = getattr(inputs, name)
        entries = _in_other_order(getattr(data, inside), draw)
        return {name: data.model_copy(update={inside: entries})}, _unchanged

    return change


def _criteria(inputs: Any, draw: random.Random) -> Changed:
    """Move the criteria; what is met, and why, is put back in the order of the original item."""
    places = shuffled(len(inputs.criteria), draw)

    def restore(value: Any) -> Any:
        back = [places.index(place) for place in range(len(places))]
        met = tuple(value.met[at] for at in back)
        return value.model_copy(
            update={"met": met, "reasons": tuple(value.reasons[at] for at in back)}
        )

    return {"criteria": tuple(inputs.criteria[place] for place in places)}, restore


def _other_side_first(inputs: Any, draw: random.Random) -> Changed:
    """Show two responses in the other order; the verdict names them as they are given."""
    return {"swapped": not inputs.swapped}, _unchanged


def _in_other_order(entries: Sequence[Any], draw: random.Random) -> tuple[Any, ...]:
    return tuple(entries[place] for place in shuffled(len(entries), draw))


# The first of these fields that the input has is changed.
_ORDERS: dict[str, Callable[[Any, random.Random], Changed]] = {
    "options": _options,
    "option_a": _two_options,
    "candidates": _numbered("candidates"),
    "answers": _numbered("answers"),
    "swapped": _other_side_first,
    "ddx": _entries("ddx"),
    "evidence": _entries("evidence"),
    "criteria": _criteria,
    "rubric": _data("rubric", "dimensions"),
    "taxonomy": _data("taxonomy", "categories"),
    "categories": _data("categories", "categories"),
}
