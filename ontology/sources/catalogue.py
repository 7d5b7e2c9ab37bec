"""The term sources that can be fetched by name, and the weights of sources (data/sources.yaml)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from ...errors import UsageError
from ..packaged import packaged


@dataclass(frozen=True)
class KnownSource:
    """An official release: where it is, what it must be, under which licence, how trusted.

    `format` is a name of `sources.FORMATS`; `inexact` takes matches wider than the disease too.
    """

    name: str
    title: str
    url: str
    format: str
    licence: str
    home: str
    weight: float
    inexact: bool


def known_sources() -> dict[str, KnownSource]:
    """The sources by name, in the order of the data file."""
    return {name: KnownSource(name, **entry) for name, entry in _data()["known"].items()}


def default_weight() -> float:
    """The weight of a source of the user's own, in (0, 1]."""
    return float(_data()["default_weight"])


def check_weight(weight: float) -> float:
    """Raise UsageError for a weight outside (0, 1]."""
    if not 0 < weight <= 1:
        raise UsageError(f"weight {weight:g} is outside of what it can be: above 0, at most 1")
    return weight


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    text = packaged("sources.yaml").read_text("utf-8")
    held: dict[str, Any] = yaml.safe_load(text)
    return held
