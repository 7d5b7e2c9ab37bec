"""What a model under test is shown of a case: texts and images, without what is withheld."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...errors import InputError
from ...files.cells import plain_text
from ...files.json_text import load_cell
from ..images import Image, images_of

Presentation = Literal["", "image", "text"]
IMAGE_COLUMNS = ("images", "image", "image_path")
EVIDENCE = "evidence"
_EVIDENCE_FIELDS = ("type", "text", "question", "answer", *IMAGE_COLUMNS)


@dataclass(frozen=True)
class Shown:
    """A case as a model sees it. fields: the values of placeholders; a list has one line each."""

    fields: Mapping[str, str | list[str]]
    images: tuple[Image, ...]


@dataclass(frozen=True)
class Evidence:
    """One piece of evidence: a text, images, or a question that was asked and its answer."""

    type: str
    text: str
    images: tuple[Image, ...]


def evidence_of(row: Mapping[str, Any], folder: Path) -> tuple[Evidence, ...]:
    """Return the evidence in a case's column `evidence`: a list of texts or of objects.

    folder: the folder of the images. Raises InputError for anything else.
    """
    entries = row.get(EVIDENCE)
    if isinstance(entries, str) and entries.lstrip().startswith("["):
        try:
            entries = load_cell(entries)
        except ValueError as fault:
            raise InputError(f"the column evidence is not JSON: {fault}") from fault
    if isinstance(entries, str):
        entries = [entries] if entries.strip() else []
    if not isinstance(entries, list | tuple):
        if entries is None or entries != entries:  # NaN, an empty cell of a frame
            return ()
        raise InputError("the column evidence is not a list")
    return tuple(_evidence(entry, place, folder) for place, entry in enumerate(entries, 1))


def _evidence(entry: Any, place: int, folder: Path) -> Evidence:
    if isinstance(entry, str):
        return Evidence("", entry, ())
    if not isinstance(entry, Mapping):
        raise InputError(f"evidence {place} is not a text or an object")
    filled = {name: value for name, value in entry.items() if value not in (None, "", [])}
    unknown = sorted(set(filled) - set(_EVIDENCE_FIELDS))
    if unknown:
        raise InputError(
            f"evidence {place} has the unknown field {unknown[0]!r}; the fields are "
            f"{', '.join(_EVIDENCE_FIELDS)}"
        )
    words = (filled.get(name) for name in ("question", "answer", "text"))
    text = " ".join(str(word).strip() for word in words if word is not None)
    pictures = images_in(filled, folder)
    if not text and not pictures:
        raise InputError(f"evidence {place} has neither a text nor an image")
    return Evidence(str(filled.get("type", "")).strip(), text, pictures)


def images_in(row: Mapping[str, Any], folder: Path) -> tuple[Image, ...]:
    """Return the images of a row's columns images, image and image_path.

    Raises InputError for a cell that does not name images.
    """
    return tuple(
        image for name in IMAGE_COLUMNS for image in images_of(row.get(name), folder, name)
    )


def show(
    row: Mapping[str, Any], folder: Path, *, withheld: str = "", presented_as: Presentation = ""
) -> Shown:
    """Return what a model sees of a case.

    The value of `evidence` is a line for each piece of evidence, that of `case` the case's text
    followed by the lines that it does not contain. presented_as: "text" leaves out the images of
    evidence that has a text too, "image" leaves out the texts of evidence that has an image; ""
    shows both.

    Raises InputError for evidence that cannot be read, or that has no text to present.
    """
    evidence = [one for one in evidence_of(row, folder) if not is_type(one, withheld)]
    lines: list[str] = []
    pictures = [*images_in(row, folder)]
    for place, one in enumerate(evidence, 1):
        if presented_as == "text" and one.images and not one.text:
            raise InputError(f"evidence {place} ({one.type or 'an image'}) has no text to present")
        hides_text = presented_as == "image" and one.images
        label = f"{one.type}: " if one.type else ""
        if one.text or one.type:
            lines.append(f"{label}{'see the image' if hides_text or not one.text else one.text}")
        if presented_as != "text":
            pictures += one.images
    fields: dict[str, str | list[str]] = {
        name: _text(cell) for name, cell in row.items() if name not in IMAGE_COLUMNS
    }
    case = str(fields.get("case", ""))
    fields[EVIDENCE] = lines
    fields["case"] = "\n".join(filter(None, [case, *(line for line in lines if line not in case)]))
    return Shown(fields, tuple(pictures))


def types_of(evidence: tuple[Evidence, ...]) -> set[str]:
    """Return the types of evidence, in lower case."""
    return {one.type.casefold() for one in evidence if one.type}


def is_type(evidence: Evidence, kind: str) -> bool:
    """Whether evidence is of a type; case does not count."""
    return bool(kind) and evidence.type.casefold() == kind.casefold()


def _text(cell: Any) -> str:
    if cell is None or (isinstance(cell, float) and cell != cell):
        return ""
    return plain_text(cell).strip()
