"""Term sources that can be downloaded by name, and the weights of sources (data/sources.yaml)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from ...errors import UsageError
from ..packaged import packaged


@dataclass(frozen=True)
class KnownSource:
    """A source of the catalogue: its address, file form, licence and weight.

    format: a name of `forms.FORMATS`. home: the web page of the source. inexact: whether matches
    wider than the disease are taken too.
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
    """Return the sources by name, in the order of the data file."""
    return {name: KnownSource(name, **entry) for name, entry in _data()["known"].items()}


def default_weight() -> float:
    """Return the weight of the user's own sources, in (0, 1]."""
    return float(_data()["default_weight"])


def check_weight(weight: float) -> float:
    """Return the weight. Raise UsageError for a weight outside (0, 1]."""
    if not 0 < weight <= 1:
        raise UsageError(f"weight {weight:g} must be above 0 and at most 1")
    return weight


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    text = packaged("sources.yaml").read_text("utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return data
