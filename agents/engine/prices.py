"""The prices of calls, from a dated list; the price of a model not in it is unknown."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ...errors import InputError
from ..judge import JudgeSpec
from .models import PROVIDERS

_SNAPSHOT = re.compile(r"(-latest|-0|-\d{4}-\d{2}-\d{2}|[-@]\d{8})$")


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens; `cached` is the price of a cached prompt prefix.

    up_to: the largest prompt, in tokens, for which the price is valid.
    """

    input: float
    output: float
    cached: float | None = None
    up_to: int | None = None

    def times(self, factor: float) -> "Price":
        """Return the price multiplied by a factor."""
        cached = None if self.cached is None else self.cached * factor
        return replace(self, input=self.input * factor, output=self.output * factor, cached=cached)

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float | None:
        """Return the US dollars of one call, None for a prompt of more than `up_to` tokens.

        The sum is ((in - cached) x input + cached x cached price + out x output) / 1e6.
        """
        if self.up_to is not None and tokens_in > self.up_to:
            return None
        cached_price = self.input if self.cached is None else self.cached
        dollars = (tokens_in - cached) * self.input + cached * cached_price
        return (dollars + tokens_out * self.output) / 1e6


@dataclass(frozen=True)
class Prices:
    """A price list: its date, its source, and (provider, model) -> price.

    batch: the factor by which a provider's prices are multiplied in a batch.
    """

    date: str
    source: str
    models: Mapping[tuple[str, str], Price]
    batch: Mapping[str, float] = field(default_factory=dict)

    def of(self, spec: JudgeSpec) -> Price | None:
        """Return the price of a judge, or None if it is unknown.

        A model on your own server has a price only if your price list names it in full, as
        `NAME@http://host/v1`. For a provider where each customer has another address, the name of
        the model is enough.
        """
        if spec.identity:
            return None
        if spec.base_url and PROVIDERS[spec.provider].url:
            return self.models.get((spec.provider, f"{spec.model}@{spec.base_url}"))
        plain = _SNAPSHOT.sub("", spec.model)
        exact = self.models.get((spec.provider, spec.model))
        return exact or self.models.get((spec.provider, plain))

    def in_batch(self, spec: JudgeSpec) -> Price | None:
        """Return the price of a judge in a batch, or None if it or the factor is unknown."""
        price, factor = self.of(spec), self.batch.get(spec.provider)
        return None if price is None or factor is None else price.times(factor)


@cache
def load_prices(path: Path | None = None) -> Prices:
    """Read a price list; None reads the one in the package.

    Raises InputError, naming the file and the fault.
    """
    where = path or Path(__file__).parent / "prices.yaml"
    try:
        data = yaml.safe_load(where.read_text(encoding="utf-8"))
        models = {
            (provider, str(name)): Price(**_numbers(price))
            for provider, listed in data["models"].items()
            for name, price in listed.items()
        }
        factors = _numbers(data.get("batch") or {})
        return Prices(str(data["date"]), str(data["source"]), models, factors)
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as fault:
        raise InputError(f"price list {where}: {fault!r}") from fault


def _numbers(price: Mapping[str, Any]) -> dict[str, Any]:
    if any(not isinstance(value, (int, float)) or value < 0 for value in price.values()):
        raise ValueError(f"a price is not a number of 0 or more: {dict(price)}")
    return dict(price)
