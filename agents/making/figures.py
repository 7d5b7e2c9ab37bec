"""Find the figures that a text refers to, each by number and panel."""

import re

_BEGIN = re.compile(r"\bfig(?:ure)?(s)?\b\.?\s*(?=\d)", re.IGNORECASE)
# A lone panel letter is a capital, except after a dash: "Figure 2 and a scan" is one figure.
# A lone number follows a plural only: "Figure 2, 3 days later" is one figure.
_PIECE = re.compile(
    r"(?P<join>\s*(?:,\s*(?:and|&)|,|and\b|&|[-–—])\s*)?"
    r"(?:(?P<number>\d+)\s?(?P<panel>[A-Za-z](?![A-Za-z\d]))?|(?P<lone>[A-Z](?![A-Za-z\d])|"
    r"(?<=[-–—])[a-z](?![A-Za-z\d])))"
)


def figure_tags(text: str) -> tuple[str, ...]:
    """Return the figures of a text in order, each once, as number and panel.

    A figure with panels does not count without a panel.

    >>> figure_tags("CT (Figs. 1a and 1b) and biopsy (Figures 2A–C, 3); see Figure 1.")
    ('1A', '1B', '2A', '2B', '2C', '3')
    """
    tags: dict[str, None] = {}
    for begin in _BEGIN.finditer(text):
        tags.update(dict.fromkeys(_tags(text, begin.end(), plural=begin[1] is not None)))
    with_panel = {tag[:-1] for tag in tags if tag[-1].isalpha()}
    return tuple(tag for tag in tags if tag not in with_panel)


def figure_tag(name: str) -> str:
    """Return a figure's name in the form of `figure_tags`: "Figure 1a" and "1A" are "1A"."""
    tags = figure_tags(name) or figure_tags(f"Figure {name.strip()}")
    return tags[0] if len(tags) == 1 else name.strip()


def _tags(text: str, place: int, *, plural: bool) -> list[str]:
    tags: list[str] = []
    number, panel = "", ""
    while (piece := _PIECE.match(text, place)) and (piece["join"] or not tags):
        if tags and piece["number"] and not piece["panel"] and not plural:
            break
        digits, letter = piece["number"], (piece["panel"] or piece["lone"] or "").upper()
        span = (piece["join"] or "").strip() in ("-", "–", "—")
        if span and letter and panel and digits in (None, number):
            tags += [f"{number}{chr(code)}" for code in range(ord(panel) + 1, ord(letter) + 1)]
        elif span and digits and not letter and not panel:
            tags += [str(one) for one in range(int(number) + 1, int(digits) + 1)]
        else:
            tags.append(f"{digits or number}{letter}")
        number, panel, place = digits or number, letter, piece.end()
    return tags
