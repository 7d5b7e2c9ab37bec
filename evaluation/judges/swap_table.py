"""Tabulate one metric under several judges, over the units that all resolved for all models."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...scoring.bootstrap import Floats
from ...scoring.flat import ranks
from ..measures.measure import Measure, Units
from ..measures.numbers import joint_statistic


@dataclass(frozen=True)
class SwapTable:
    """The measures of one metric, by judge and model.

    silent: the judges that resolved no unit of some model. They have no measure here.
    """

    metric: str
    judges: tuple[str, ...]
    silent: tuple[str, ...]
    models: tuple[str, ...]
    measures: tuple[Measure, ...]
    units: Units

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher number is better."""
        return self.measures[0].higher_is_better

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """The units that every judge resolved for every model, in the order of the units."""
        everything = np.ones(len(self.units.ids), dtype=bool)
        resolved = [one.columns(everything).resolved.all(axis=1) for one in self.measures]
        every: NDArray[np.bool_] = np.logical_and.reduce(resolved)
        return every

    @property
    def drawn(self) -> list[str]:
        """What is resampled, in an order that does not depend on the rows of a file."""
        return [self.units.drawn[at] for at in self.units.order]

    @property
    def present(self) -> NDArray[np.bool_]:
        """The common units in the order of `drawn`, as one column."""
        return self.common[self.units.order][:, None]

    def means(self, drawn: Floats) -> Floats:
        """Turn weights (b, units in the order of `drawn`) into values (b, judges, models)."""
        values = joint_statistic(self.measures, self.common, self.units.order)(drawn)
        shaped: Floats = values.reshape(len(drawn), len(self.judges), len(self.models))
        return shaped

    def by_unit(self) -> Floats:
        """Return the value of every single unit: judges x models x units."""
        values = np.stack([one.values() for one in self.measures])
        shaped: Floats = values.reshape(len(self.judges), len(self.models), -1)
        return shaped

    def ranked(self, values: Floats) -> dict[str, int]:
        """Return the ranks of the models by their values; a model without a value has no rank."""
        scores = {m: v for m, v in zip(self.models, values.tolist(), strict=True) if v == v}
        return ranks(scores, higher_is_better=self.higher_is_better)


def swap_table(
    measures: Sequence[Measure], metric: str, judges: Sequence[str], units: Units
) -> SwapTable | None:
    """Return the table of a metric; None if no judge has a verdict for it.

    A model counts if some judge resolved a unit of it. A judge counts if it resolved a unit of
    every such model.
    """
    everything = np.ones(len(units.ids), dtype=bool)
    spoken = {
        (one.judge, one.model): one
        for one in measures
        if one.metric == metric and not one.slice and one.judge in judges
        and one.columns(everything).resolved.any()
    }  # fmt: skip
    models = tuple(dict.fromkeys(one.model for one in measures if one in spoken.values()))
    speaking = tuple(j for j in judges if all((j, model) in spoken for model in models))
    if not models or not speaking:
        return None
    silent = tuple(judge for judge in judges if judge not in speaking)
    chosen = tuple(spoken[judge, model] for judge in speaking for model in models)
    return SwapTable(metric, speaking, silent, models, chosen, units)
