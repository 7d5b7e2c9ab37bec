"""The type of a figure, which the report shows and a file holds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A drawing with its file name, its title, and a sentence that says how to read it."""

    name: str
    title: str
    caption: str
    svg: str
