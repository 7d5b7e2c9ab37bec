"""Put prompts in other words: `NAME~VARIANT` is the prompt NAME in a wording of variants.yaml.

A variant keeps the prompt's placeholders, labels and order of answering. It changes one axis of
wording (length, order, role, politeness, ...). Its hash, and so its replies and signatures,
differ from those of the prompt. A prompt does not have a variant whose wording needs words that
the prompt does not have (the task in a sentence, the rules in short).
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from ..errors import UsageError
from ..files.nearest import did_you_mean
from .load import Prompt, load_prompt

MARK = "~"
"""The mark between a prompt's name and its variant."""

_PART = re.compile(r"\[\[(\w+)\]\]")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BULLET = re.compile(r"^- ", re.MULTILINE)


@cache
def find_prompt(name: str) -> Prompt:
    """Return the prompt NAME or NAME~VARIANT of the toolkit.

    Raises UsageError for a prompt that cannot be loaded, or a variant that it does not have.
    """
    base, _, variant = name.partition(MARK)
    prompt = load_prompt(base)
    return vary_prompt(prompt, variant) if variant else prompt


def vary_prompt(prompt: Prompt, variant: str) -> Prompt:
    """Return the prompt in other words. Raises UsageError for an unknown variant."""
    wordings = _wordings(prompt)
    if variant not in wordings:
        hint = did_you_mean(variant, wordings, f"it has {', '.join(wordings) or 'none'}")
        raise UsageError(f"prompt {prompt.name} has no variant {variant!r}; {hint}")
    return wordings[variant]


def variant_names(prompt: Prompt) -> tuple[str, ...]:
    """Return the names of a prompt's variants, in the order of variants.yaml."""
    return tuple(_wordings(prompt))


def axes() -> dict[str, str]:
    """Return all variants, with a text that says what each changes."""
    return {name: axis["about"] for name, axis in _data()["axes"].items()}


def _wordings(prompt: Prompt) -> Mapping[str, Prompt]:
    """Return the prompt in each of its wordings, by variant."""
    if MARK in prompt.name:
        return {}
    parts = {**_parts(prompt), **prompt.words}
    wordings: dict[str, Prompt] = {}
    for variant, axis in _data()["axes"].items():
        if not set(_PART.findall(axis["system"] + axis["user"])) <= set(parts):
            continue
        system, user = _fill(axis["system"], parts), _fill(axis["user"], parts)
        if (system, user) != (prompt.system, prompt.user):
            name = f"{prompt.name}{MARK}{variant}"
            wordings[variant] = replace(prompt, name=name, system=system, user=user)
    return wordings


def _parts(prompt: Prompt) -> dict[str, str]:
    """Return the parts that every prompt has; without a question, all of `user` is material."""
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
    return _BULLET.sub(lambda match: f"{next(numbers)}. ", paragraph)


def _fill(template: str, parts: Mapping[str, str]) -> str:
    filled = _PART.sub(lambda match: parts[match[1]], template)
    return re.sub(r"\n{3,}", "\n\n", filled).strip()


@cache
def _data() -> Mapping[str, Any]:
    text = (resources.files(__package__) / "variants.yaml").read_text(encoding="utf-8")
    data: Mapping[str, Any] = yaml.safe_load(text)
    return data
