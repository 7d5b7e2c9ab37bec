"""The ICD-10-CM Alphabetic Index and Table of Neoplasms, in the XML that CMS publishes.

An index entry is a path: a main term, under it terms of level 1, 2 and so on, each with a
title, perhaps nonessential modifiers (`nemod`), a code, or a reference (`see`) to another
entry. A row of the neoplasm table has a code in each of six columns of behaviour.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ..reading.normalise import normalise_text
from ..tree import Tree
from .xref import Row, parse_xml

_LINKS = tuple(
    "with without in due during following from by after complicating complicated associated "
    "affecting caused resulting secondary to of on at as for and or not causing involving".split()
)
_MARKS = re.compile(r"[*#◊†]+")
# "specified NEC", "site NEC", "unspecified" order the entries of the book; no diagnosis holds them.
_PLACE = re.compile(r"^(?:other |specified\b.*|un?specified\b.*|NEC|NOS|type NEC|site NEC)$", re.I)
_NEC = re.compile(r",?\s*\b(?:NEC|NOS)$")

# How a neoplasm of each behaviour is worded for a site; the column headings hold these keys.
_BEHAVIOURS = {
    "primary": ("malignant neoplasm of {}", "{} cancer"),
    "secondary": ("secondary malignant neoplasm of {}", "metastasis to {}"),
    "situ": ("carcinoma in situ of {}",),
    "benign": ("benign neoplasm of {}", "benign tumor of {}"),
    "uncertain": ("neoplasm of uncertain behavior of {}",),
    "unspecified": ("neoplasm of unspecified behavior of {}", "tumor of {}"),
}
_COLUMNS = dict(zip(("2", "3", "4", "5", "6", "7"), _BEHAVIOURS, strict=True))


class Entry(NamedTuple):
    """One entry of the index: the titles that lead to it, and its code or the entry it refers to.

    `cells` holds the codes of a row of the neoplasm table by column.
    """

    path: tuple[str, ...]
    code: str
    see: str
    cells: dict[str, str]


def read_index(path: Path, text: str, tree: Tree) -> Iterator[Row]:
    """Yield a row for each index entry with a code, and for each `see` that leads to one.

    The words stand in the order of speech: "Abscess > lung > with pneumonia" gives "lung abscess
    with pneumonia". A release without "cms-index" in its `books` gets no rows.

    Raises InputError for text that is not XML and for a missing title.
    """
    if "cms-index" not in tree.descriptor.books:
        return
    entries = list(_entries(path, parse_xml(path, text)))
    codes = {_folded(entry.path): entry.code for entry in entries if entry.code}
    for entry in entries:
        code = entry.code or codes.get(_folded(tuple(entry.see.split(","))), "")
        if code and not any(map(_PLACE.match, entry.path)):
            yield Row(f"entry {' > '.join(entry.path)}", spoken(entry.path), _bare(code))


def read_neoplasms(path: Path, text: str, tree: Tree) -> Iterator[Row]:
    """Yield rows for each cell of the neoplasm table that holds a code.

    A release without "cms-neoplasms" in its `books` gets no rows. Raises InputError as
    `read_index` does.
    """
    if "cms-neoplasms" not in tree.descriptor.books:
        return
    root = parse_xml(path, text)
    headings = {
        str(head.get("col")): behaviour
        for head in root.iter("head")
        for behaviour in _BEHAVIOURS
        if behaviour in (head.text or "").lower()
    }
    for entry in _entries(path, root):
        site = _site(entry.path)
        for column, code in entry.cells.items():
            for wording in _BEHAVIOURS[headings.get(column) or _COLUMNS[column]]:
                if site and not any(map(_PLACE.match, entry.path)):
                    yield Row(f"entry {' > '.join(entry.path)}", wording.format(site), _bare(code))


def spoken(path: tuple[str, ...]) -> str:
    """Return the titles of an index entry in the order of speech.

    >>> spoken(("Abscess", "lung", "with pneumonia"))
    'lung abscess with pneumonia'
    >>> spoken(("Pneumonia", "in", "whooping cough"))
    'pneumonia in whooping cough'
    >>> spoken(("Aarskog's syndrome",))
    "Aarskog's syndrome"
    """
    if len(path) == 1:
        return path[0]
    before: list[str] = []
    after: list[str] = []
    for title in path[1:]:
        # A title below a link such as "in" belongs to that link.
        place = after if after or title.split()[0].lower() in _LINKS else before
        place.append(title)
    head = path[0][:1].lower() + path[0][1:] if path[0][1:2].islower() else path[0]
    return " ".join([*reversed(before), head, *after])


def _entries(path: Path, root: ET.Element) -> Iterator[Entry]:
    for main in root.iter("mainTerm"):
        yield from _below(path, main, ())


def _below(path: Path, element: ET.Element, above: tuple[str, ...]) -> Iterator[Entry]:
    title = _title(element.find("title"))
    if not title:
        raise InputError(f"{path}: an entry below {' > '.join(above) or 'a letter'} has no title")
    here = (*above, title)
    cells = {
        str(cell.get("col")): _words(cell)
        for cell in element.findall("cell")
        if _words(cell).strip("-–— ") and str(cell.get("col")) in _COLUMNS
    }
    yield Entry(here, _words(element.find("code")), _words(element.find("see")), cells)
    for child in element.findall("term"):
        yield from _below(path, child, here)


def _title(element: ET.Element | None) -> str:
    """Return a title without nonessential modifiers; "abdomen, abdominal" gives "abdomen"."""
    if element is None:
        return ""
    parts = [element.text or "", *(child.tail or "" for child in element)]
    title = " ".join(_MARKS.sub(" ", " ".join(parts)).split())
    return _NEC.sub("", title.split(", ")[0]).strip(" ,") or title


def _site(path: tuple[str, ...]) -> str:
    """Return the site of a row of the neoplasm table: "lung, lower lobe"."""
    sites = path[1:] if path[0].lower().startswith("neoplasm") else path
    return ", ".join(sites)


def _bare(code: str) -> str:
    """Return a code without the marks that say it needs more characters: "S36.9-", "T86.1X-"."""
    return code.strip("[]() ").rstrip("-–— ").removesuffix(".")


def _folded(path: tuple[str, ...]) -> str:
    return " ".join(normalise_text(part) for part in path)


def _words(element: ET.Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
