"""The type of a figure, which the report shows and files hold."""

from dataclasses import dataclass
from functools import cached_property

from ...files.charts import Chart, to_svg


@dataclass(frozen=True)
class Figure:
    """A chart with its file name, its title, and a sentence that says how to read it."""

    name: str
    title: str
    caption: str
    chart: Chart

    @cached_property
    def svg(self) -> str:
        """The drawing."""
        return to_svg(self.chart.spec)
