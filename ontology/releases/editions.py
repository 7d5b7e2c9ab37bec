"""Read another edition of ICD-10-CM from the official files: "icd10cm@FOLDER".

The files are those of the CDC's and CMS's yearly publication: the tabular list as XML, and the list
of codes (`icd10cm-codes-…txt` or `icd10cm-order-…txt`), unpacked into one folder.
"""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

from ...errors import InputError, UsageError
from ..release import Release, Rows
from .icd10cm import ICD10CM, rows_of
from .installed import text_of

_REFERENCE = re.compile(rf"{ICD10CM.name}@(?P<folder>.+)")
_TABULAR = ("*tabular*.xml",)
_LISTS = ("*codes*.txt", "*code-list*.txt", "*order*.txt")


def is_edition(text: str) -> bool:
    """Return whether a text names the folder of an edition."""
    return _REFERENCE.fullmatch(text) is not None


def load_edition(reference: str) -> Release:
    """Return the edition whose official files lie in the folder of "icd10cm@FOLDER".

    Its name has the year: "icd10cm-2025". The project's own synonyms and the fitted models belong
    to the edition that comes with dxjudge, so this one has neither.

    Raises UsageError where there is no such folder, and InputError where it does not hold one
    tabular list and one list of codes, or the list is not XML.
    """
    parts = _REFERENCE.fullmatch(reference)
    assert parts
    folder = Path(parts["folder"]).expanduser()
    if not folder.is_dir():
        raise UsageError(f"{reference}: there is no folder {folder}")
    tabular, codes = _one(folder, _TABULAR), _one(folder, _LISTS)
    try:
        root = ET.parse(tabular).getroot()
        listed = codes.read_text("utf-8")
    except (OSError, ET.ParseError, UnicodeDecodeError) as error:
        raise InputError(f"{tabular} or {codes} cannot be read: {error}") from error
    year = text_of(root.find("version"))
    if not year or root.find("chapter") is None:
        raise InputError(f"{tabular} is not the tabular list of ICD-10-CM")

    def read(release: Release) -> Rows:
        return rows_of(root, listed, tabular.stem)

    return replace(
        ICD10CM,
        name=f"{ICD10CM.name}-{year}",
        title=f"{ICD10CM.title} {year}",
        read=read,
        package=None,
        synonyms=None,
        factors=None,
        akin=(ICD10CM, *ICD10CM.akin),
        fitted=False,
    )


def _one(folder: Path, patterns: tuple[str, ...]) -> Path:
    for pattern in patterns:
        # The lists of what is new in a year lie beside the whole ones.
        paths = [path for path in sorted(folder.glob(pattern)) if "addenda" not in path.name]
        if len(paths) > 1:
            raise InputError(f"{folder} has {len(paths)} files {pattern}; leave one")
        if paths:
            return paths[0]
    raise InputError(f"{folder} has no file {' or '.join(patterns)}")
