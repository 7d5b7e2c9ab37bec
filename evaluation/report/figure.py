"""A figure: what the report shows and what is written as a file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A drawing with its file name, title, and a sentence on how to read it."""

    name: str
    title: str
    caption: str
    svg: str
