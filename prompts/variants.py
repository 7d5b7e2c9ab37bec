"""Prompts in other words: `NAME~VARIANT` is the prompt NAME, worded as variants.yaml says.

A variant keeps the prompt's placeholders, labels and order of answering; what it changes is one
axis of wording (length, order, role, politeness, ...). Its hash differs from the prompt's, so
that its replies and signatures do.
"""

import difflib
import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from ..errors import UsageError
from .load import Prompt, hash_of, load_prompt

MARK = "~"
"""Stands between a prompt's name and its variant."""

_PART = re.compile(r"\[\[(\w+)\]\]")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BULLET = re.compile(r"^- ", re.MULTILINE)


@cache
def find_prompt(name: str) -> Prompt:
    """The prompt NAME or NAME~VARIANT.

    Raises UsageError for a prompt that cannot be loaded, or a variant that it does not have.
    """
    base, _, variant = name.partition(MARK)
    prompt = load_prompt(base)
    if not variant:
        return prompt
    made = _made(base)
    if variant not in made:
        near = difflib.get_close_matches(variant, made, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(made) or 'none'}"
        raise UsageError(f"prompt {base} has no variant {variant!r}; {hint}")
    return made[variant]


def variant_names(name: str) -> tuple[str, ...]:
    """The variants that a prompt has, in the order of variants.yaml; none for one of its variants.

    Raises UsageError for a prompt that cannot be loaded.
    """
    return () if MARK in name else tuple(_made(name))


def axes() -> dict[str, str]:
    """Every variant there is, with what it changes."""
    return {name: axis["about"] for name, axis in _data()["axes"].items()}


@cache
def _made(name: str) -> Mapping[str, Prompt]:
    prompt = load_prompt(name)
    parts = {**_parts(prompt), **_data()["words"].get(name, {})}
    made: dict[str, Prompt] = {}
    for variant, axis in _data()["axes"].items():
        if not set(_PART.findall(axis["system"] + axis["user"])) <= set(parts):
            continue
        system, user = _fill(axis["system"], parts), _fill(axis["user"], parts)
        if (system, user) != (prompt.system, prompt.user):
            made[variant] = replace(
                prompt,
                name=f"{name}{MARK}{variant}",
                system=system,
                user=user,
                hash=hash_of([system, user], prompt.placeholders),
            )
    return made


def _parts(prompt: Prompt) -> dict[str, str]:
    """The parts that every prompt has; a user message without a question is all material."""
    opening, *rules = _BLANK_LINE.split(prompt.system)
    *material, question = _BLANK_LINE.split(prompt.user)
    if "{{" in question:
        material, question = [*material, question], ""
    return {
        "opening": opening,
        "rules": "\n\n".join(rules),
        "numbered": "\n\n".join(map(_numbered, rules)),
        "material": "\n\n".join(material),
        "reversed": "\n\n".join(reversed(material)),
        "question": question,
    }


def _numbered(paragraph: str) -> str:
    numbers = itertools.count(1)
    return _BULLET.sub(lambda found: f"{next(numbers)}. ", paragraph)


def _fill(template: str, parts: Mapping[str, str]) -> str:
    filled = _PART.sub(lambda found: parts[found[1]], template)
    return re.sub(r"\n{3,}", "\n\n", filled).strip()


@cache
def _data() -> Mapping[str, Any]:
    text = (resources.files(__package__) / "variants.yaml").read_text(encoding="utf-8")
    data: Mapping[str, Any] = yaml.safe_load(text)
    return data
