"""The style of the column that `dxjudge map` reads: named by the user, or found from the column."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...ontology.reading.style import ColumnStyle, Style, check_style, find_style

AUTO = "auto"


@dataclass(frozen=True)
class StyleInUse:
    """The style of a run; `column` is what the column looks like, None where the user named it."""

    style: Style
    column: ColumnStyle | None
    specificity: str | None

    def lines(self) -> list[str]:
        """Return what the summary says of it: nothing where nothing changed."""
        if self.style != "form":
            return []
        given = self.specificity
        codes = f"--specificity {given} is kept" if given else "billable codes are given"
        if self.column is None:
            return [f"style form: {codes}"]
        share = f"{100 * self.column.share:.0f} % of the {self.column.texts:,} distinct texts"
        change = "" if given else "; --style chart changes this"
        return [f"{share} are written as on hospital forms: {codes}{change}"]


def read_named_style(name: str) -> Style | None:
    """Return the style that the user named, None for auto. Raises UsageError for another name."""
    return None if name == AUTO else check_style(name, AUTO)


def style_in_use(named: Style | None, texts: Sequence[str], settings: dict[str, Any]) -> StyleInUse:
    """Return the style of a run: the named one, else that of all distinct texts of the column."""
    return style_or(named, lambda: find_style(texts), settings)


def style_or(
    named: Style | None, find: Callable[[], ColumnStyle], settings: dict[str, Any]
) -> StyleInUse:
    """Return the style of a run: the named one, else the one that `find` finds."""
    given = settings["specificity"]
    if named:
        return StyleInUse(named, None, given)
    column = find()
    return StyleInUse(column.style, column, given)
