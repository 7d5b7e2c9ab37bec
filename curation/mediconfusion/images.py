"""Read the images and captions that pairs are found among."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.cells import cell_text, is_empty
from ...files.forms import Form
from ...files.rows_in import read_sheet, records
from ..paths import is_remote

COLUMNS = ("image", "images", "image_path")
JOINT = "+"
"""Between the ids of two images in the name of their pair."""


@dataclass(frozen=True)
class CaptionedImage:
    """An image with its name, its path or URL, and its caption, which may be empty."""

    id: str
    image: str
    caption: str


def read_images(source: str, form: Form | None = None) -> list[CaptionedImage]:
    """Read a table with the columns id, image and caption.

    A path is relative to the folder of the table, and is returned relative to the working
    directory. Raises InputError naming the row for an id that is missing, occurs twice or contains
    a plus sign, and for a row without an image.
    """
    sheet = read_sheet(source, form or Form(), list_allowed=False)
    folder = Path(source).parent
    images: dict[str, CaptionedImage] = {}
    for number, row in enumerate(records(sheet)):
        place = sheet.place(number)
        name, image = cell_text(row.get("id")).strip(), _image(row, place)
        if not name or JOINT in name:
            raise InputError(f"{place}: the id is {'missing' if not name else f'{name!r}, with +'}")
        if name in images:
            raise InputError(f"{place}: the id {name!r} occurs twice")
        path = image if is_remote(image) else str(folder / image)
        images[name] = CaptionedImage(name, path, cell_text(row.get("caption")).strip())
    if len(images) < 2:
        raise InputError(f"{sheet.name} has {len(images)} images; a pair needs two")
    return list(images.values())


def _image(row: Mapping[str, Any], place: str) -> str:
    cells = [row[column] for column in COLUMNS if not is_empty(row.get(column))]
    if len(cells) != 1 or not isinstance(cells[0], str):
        raise InputError(f"{place}: one column of {', '.join(COLUMNS)} must name one image")
    return cells[0].strip()
