"""A row of a term source before it is checked, and the codes in references such as CURIEs."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Literal, NamedTuple

from ...errors import InputError
from ..release import Release

Relation = Literal["exact", "near", "unstated", "other"]
"""The relation of a disease to a code: the same, within a broader code, not stated, any other."""

_REFERENCE = re.compile(r"(.+)[:/#]([^:/#]+)/?")


class Row(NamedTuple):
    """A term and a code as a source gives them; `where` is the line or node, for messages.

    own: True for a code of the release's vocabulary, False for a code of an akin release, which
    shares most but not all codes. source: the source that the row itself names, else "".
    """

    where: str
    text: str
    code: str
    own: bool = True
    relation: Relation = "exact"
    source: str = ""


def code_in(reference: str, release: Release) -> tuple[str, bool] | None:
    """Return the code in a CURIE or address, and whether it is of the release's own vocabulary.

    Returns None for a reference to a vocabulary of neither the release nor an akin release.
    """
    match = _REFERENCE.fullmatch(reference.strip())
    if match is None:
        return None
    vocabulary, code = match.groups()
    if release.is_named(vocabulary):
        return code, True
    return (code, False) if any(akin.is_named(vocabulary) for akin in release.akin) else None


def parse_xml(path: Path, text: str) -> ET.Element:
    """Return the root of an XML document. Raises InputError that names the line."""
    try:
        return ET.fromstring(text)
    except ET.ParseError as error:
        raise InputError(f"{path}, line {error.position[0]}: is not valid XML: {error}") from error
