"""What a term source says of a code, before it is checked: a row, and how it refers to it."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Literal, NamedTuple

from ...errors import InputError
from ..release import Release

Relation = Literal["exact", "near", "unstated", "other"]
"""Of a disease to a code: the same, within a broader code, not said, anything else."""

_REFERENCE = re.compile(r"(.+)[:/#]([^:/#]+)/?")


class Row(NamedTuple):
    """A term and a code as a source gives them; `where` is the line or node, for messages.

    `own` tells a code of the release's vocabulary from one of a release akin to it, whose codes
    it mostly but not always shares. `source` stands where a row names its own.
    """

    where: str
    text: str
    code: str
    own: bool = True
    relation: Relation = "exact"
    source: str = ""


def code_in(reference: str, release: Release) -> tuple[str, bool] | None:
    """The code in a CURIE or address and whether it is of the release's own vocabulary.

    None where it refers to something else: another vocabulary, or one that is not akin.
    """
    found = _REFERENCE.fullmatch(reference.strip())
    if found is None:
        return None
    vocabulary, code = found.groups()
    if release.is_named(vocabulary):
        return code, True
    return (code, False) if any(each.is_named(vocabulary) for each in release.akin) else None


def parse_xml(path: Path, text: str) -> ET.Element:
    """The root of an XML document. Raises InputError that names the line."""
    try:
        return ET.fromstring(text)
    except ET.ParseError as error:
        raise InputError(f"{path}, line {error.position[0]}: is not whole XML: {error}") from error
