"""Charts as Vega-Lite specifications: one specification for pages, SVG, PNG and PDF."""

from .bars import Bar, bars, stacks
from .chart import Chart, Point
from .clouds import clouds, radar
from .draw import to_pdf, to_png, to_svg
from .heat import heat
from .lines import lines, ranks

__all__ = [
    "Bar",
    "Chart",
    "Point",
    "bars",
    "clouds",
    "heat",
    "lines",
    "radar",
    "ranks",
    "stacks",
    "to_pdf",
    "to_png",
    "to_svg",
]
