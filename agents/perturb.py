"""Changes to an item that should not change its verdict, each a pure function with a seed.

    order        candidates, options, categories, dimensions or entries in another order
    swap         the two things that are compared change places, where the step is symmetric
    wording      the prompt in other words, `wording:care`; `wording` alone means all of them
    whitespace   other white space in the text under judgement
    case         the text under judgement in capitals
    irrelevant   a sentence that has nothing to do with it added
    injection    a sentence that poses as an instruction added
    repeat       the same item once more, at a temperature

What is judged stays the same thing: `restore` says in the item's own terms (its letters, its
places) what a verdict on the changed item means.
"""

import difflib
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from ..cache.key import fingerprint
from ..errors import UsageError
from ..prompts.load import Rendered, load_sentences
from .step import Step
from .variants import variants_of, vary

KINDS = ("order", "swap", "wording", "whitespace", "case", "irrelevant", "injection", "repeat")
_WORDING = "wording:"

Change = dict[str, Any]
Restore = Callable[[Any], Any]


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Perturbed:
    """A changed item, the step to put it to, and what its verdict means for the item itself."""

    step: Step[Any, Any]
    inputs: BaseModel
    restore: Restore = field(default=_as_it_is, compare=False)


@dataclass(frozen=True)
class NotApplicable:
    """Why an item cannot be changed in this way."""

    reason: str


def perturbations(step: Step[Any, Any], names: Iterable[str] | None = None) -> tuple[str, ...]:
    """The perturbations of these names, `wording` written out; None: all of them.

    Raises UsageError with the nearest name for one that does not exist.
    """
    wordings = tuple(f"{_WORDING}{variant}" for variant in variants_of(step))
    known = (*KINDS, *wordings)
    found: dict[str, None] = {}
    for name in KINDS if names is None else names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KINDS)}"
            raise UsageError(f"step {step.prompt_name} has no perturbation {name!r}; {hint}")
        found.update(dict.fromkeys((wordings or (name,)) if name == "wording" else (name,)))
    if not found:
        raise UsageError(f"no perturbation is named; there are {', '.join(KINDS)}")
    return tuple(found)


def perturb(
    step: Step[Any, Any], inputs: BaseModel, name: str, seed: int = 0
) -> Perturbed | NotApplicable:
    """Change an item; the same item, name and seed always give the same change.

    name: one of `perturbations(step)`. A change that the judge would not see does not apply.
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
        made = step.input.model_validate({**dict(inputs), **change})
    except ValueError:
        return NotApplicable("the changed item is no valid input")
    if _shown(step, made) == _shown(step, inputs):
        return NotApplicable("the judge would see the same prompt")
    return Perturbed(step, made, restore)


def _shown(step: Step[Any, Any], inputs: BaseModel) -> Rendered:
    return step.load_prompt().render(step.values(inputs))


Changed = tuple[Change, Restore] | NotApplicable


def _order(step: Step[Any, Any], inputs: Any, draw: random.Random) -> Changed:
    for name, change in _ORDERS.items():
        if name in type(inputs).model_fields:
            return change(inputs, draw)
    return NotApplicable("the item holds nothing that has an order")


def _swap(step: Step[Any, Any], inputs: Any, draw: random.Random) -> Changed:
    if not step.symmetric:
        return NotApplicable("the step does not compare two things that could change places")
    first, second = step.symmetric
    return {first: getattr(inputs, second), second: getattr(inputs, first)}, _as_it_is


def _whitespace(text: str, draw: random.Random) -> str:
    wide = re.sub(r" +", lambda found: " " * draw.choice((1, 2, 3)), text)
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
    """A change of the text under judgement; of a tuple of texts, every one or the last."""

    def changed(step: Step[Any, Any], inputs: Any, draw: random.Random) -> Changed:
        held = getattr(inputs, step.judged) if step.judged else ()
        if not held:
            why = "the item holds no text under judgement"
            declare = "" if step.judged else ": the step does not say which field that is (judged)"
            return NotApplicable(f"{why}{declare}")
        if isinstance(held, str):
            return {step.judged: change(held, draw)}, _as_it_is
        kept = () if every else tuple(held[:-1])
        rest = held if every else held[-1:]
        return {step.judged: (*kept, *(change(text, draw) for text in rest))}, _as_it_is

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
    """The places 0 to count - 1 in another order, never the given one where there is another."""
    places = list(range(count))
    while count > 1 and places == sorted(places):
        draw.shuffle(places)
    return places


def _options(inputs: Any, draw: random.Random) -> Changed:
    """The texts move, the letters stay where they are: a verdict's letters are mapped back."""
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
    """A tuple of which the verdict names one by its place."""

    def change(inputs: Any, draw: random.Random) -> Changed:
        held = getattr(inputs, name)
        places = shuffled(len(held), draw)

        def restore(value: Any) -> Any:
            index = None if value.index is None else places[value.index]
            return value.model_copy(update={"index": index})

        return {name: tuple(held[place] for place in places)}, restore

    return change


def _entries(name: str) -> Callable[[Any, random.Random], Changed]:
    """A tuple of which the verdict names none by its place."""

    def change(inputs: Any, draw: random.Random) -> Changed:
        return {name: _in_other_order(getattr(inputs, name), draw)}, _as_it_is

    return change


def _data(name: str, inside: str) -> Callable[[Any, random.Random], Changed]:
    """The entries of a rubric, a taxonomy or a list of categories; verdicts name them."""

    def change(inputs: Any, draw: random.Random) -> Changed:
        data = getattr(inputs, name)
        entries = _in_other_order(getattr(data, inside), draw)
        return {name: data.model_copy(update={inside: entries})}, _as_it_is

    return change


def _in_other_order(held: Sequence[Any], draw: random.Random) -> tuple[Any, ...]:
    return tuple(held[place] for place in shuffled(len(held), draw))


# By the input's field, the first that there is.
_ORDERS: dict[str, Callable[[Any, random.Random], Changed]] = {
    "options": _options,
    "option_a": _two_options,
    "candidates": _numbered("candidates"),
    "answers": _numbered("answers"),
    "ddx": _entries("ddx"),
    "evidence": _entries("evidence"),
    "rubric": _data("rubric", "dimensions"),
    "taxonomy": _data("taxonomy", "categories"),
    "categories": _data("categories", "categories"),
}
