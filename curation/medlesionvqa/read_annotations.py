"""Read annotation records, and say which of them cannot be used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...agents.making.annotation import Annotation, annotation_faults
from ...agents.step import problems_of
from ...errors import InputError
from ...files.cells import cell_text, is_empty
from ...files.forms import Form
from ...files.rows_in import read_sheet, records
from ...prompts.annotations import ValueLists
from ..item import Ending, Item
from ..paths import is_remote

_LISTS = ("images", "regions", "reasoning", "advice")


@dataclass(frozen=True)
class ReadRecords:
    """The records that can be used, and an item for each that cannot."""

    records: tuple[Annotation, ...]
    failed: tuple[Item, ...]


def read_annotations(source: str, lists: ValueLists, form: Form | None = None) -> ReadRecords:
    """Read records from JSON Lines, or any table whose cells hold lists and objects.

    Paths of images are relative to the folder of the file. A record with a term that is not in its
    value list, or that contradicts itself, becomes a failed item that says why. Raises InputError
    naming the row for an id that is missing or occurs twice.
    """
    sheet = read_sheet(source, form or Form(), list_allowed=False)
    folder, seen = Path(source).parent, set[str]()
    good: list[Annotation] = []
    failed: list[Item] = []
    for number, row in enumerate(records(sheet)):
        name = cell_text(row.get("id")).strip()
        if not name or name in seen:
            what = f"the id {name!r} occurs twice" if name else "the id is missing"
            raise InputError(f"{sheet.place(number)}: {what}")
        seen.add(name)
        record, faults = _read(row, folder, lists)
        if record is not None and not faults:
            good.append(record)
        else:
            ending = Ending(status="failed", stage="read", reasons=tuple(faults))
            failed.append(Item(id=name, ending=ending, data={}, trail=()))
    if not seen:
        raise InputError(f"{sheet.name} has no record")
    return ReadRecords(tuple(good), tuple(failed))


def _read(
    row: Mapping[str, Any], folder: Path, lists: ValueLists
) -> tuple[Annotation | None, Sequence[str]]:
    filled = {name: cell for name, cell in row.items() if not is_empty(cell)}
    filled |= {name: [filled[name]] for name in _LISTS if isinstance(filled.get(name), str)}
    try:
        record = Annotation.model_validate(filled)
    except ValidationError as fault:
        return None, problems_of(fault)
    images = tuple(
        image if is_remote(image) else (folder / image).as_posix() for image in record.images
    )
    return record.model_copy(update={"images": images}), annotation_faults(record, lists)
