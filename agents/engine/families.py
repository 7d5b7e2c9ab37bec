"""Families of models: a judge may favour answers of its own family."""

import re
from functools import cache
from importlib import resources

import yaml

from .models import PROVIDERS


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("families.yaml").read_text(encoding="utf-8")
    patterns = {}
    for family, parts in yaml.safe_load(text).items():
        patterns[family] = re.compile(rf"(?<![a-z])(?:{'|'.join(map(_whole, parts))})")
    return patterns


def _whole(part: str) -> str:
    """Return a part's pattern: a short part is a whole word, and `o1` does not match `o12`."""
    if part[-1].isdigit():
        return f"{part}(?![a-z0-9])"
    return f"{part}(?![a-z])" if len(part) <= 3 else part


def families_of(name: str) -> frozenset[str]:
    """Return the families of a model by its name, which may be none.

    A provider before a colon and an address after an @ are not parts of the name, because any
    server can speak a provider's protocol.

    >>> sorted(families_of("openai:deepseek-r1-distill-qwen-7b@http://127.0.0.1:8080/v1"))
    ['deepseek', 'qwen']
    >>> families_of("careful")
    frozenset()
    """
    bare = re.sub(r"@https?://.*$", "", name.strip())
    provider, colon, model = bare.partition(":")
    bare = (model if colon and provider in (*PROVIDERS, "object") else bare).lower()
    return frozenset(family for family, one in _patterns().items() if one.search(bare))
