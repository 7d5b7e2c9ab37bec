"""Read mappings that people made in other tools: SSSOM sets and FHIR ConceptMaps."""

from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, UnknownCode
from ...files.bytes import decode, read_bytes
from ...files.delimited import parse_delimited
from ...files.json_text import load_json
from ..mapping import BETWEEN, Mapping
from ..table_row import Entry, read_additional
from ..tree import Tree
from .fhir import BESIDE
from .sssom import FURTHER, ROWS

_BY_A_PERSON = "ManualMappingCuration"
_NO_CODE = "sssom:NoTermFound"
_NOT_MAPPED = frozenset({"unmatched", "disjoint", "not-related-to"})  # of R4 and R5


class Curated(NamedTuple):
    """What people decided in another tool, in the order of the file.

    passed_over: the rows of the file that no person decided.
    """

    entries: list[Entry]
    passed_over: int = 0


def reviewed_entry(
    text: str,
    code: str | None,
    tree: Tree,
    place: str,
    *,
    further: Iterable[str] = (),
    reviewer: str = "",
    note: str = "",
    rows: str = "",
) -> Entry:
    """Return the reviewed row of a text; without a code it says that no code fits.

    further: the codes beside the first. rows: how many rows hold the text, nothing where that is
    unknown. Raises InputError, which begins with `place`, for a code the release does not hold.
    """
    try:
        known = tree.node(code).code if code else None
    except UnknownCode as error:
        raise InputError(f"{place}: {error}") from error
    mapping = Mapping(
        text=text,
        status="mapped" if known else "unmapped",
        code=known,
        name=tree.name(known) if known else None,
        score=1.0 if known else 0.0,
        decided_by="reviewed" if known else "none",
        additional=tuple(
            one for one in read_additional(BETWEEN.join(further), tree, place) if one.code != known
        ),
    )
    count = int(rows) if rows.isdecimal() else 0
    return Entry(mapping, count, reviewed=True, reviewer=reviewer, note=note)


def read_curated_sssom(path: Path, tree: Tree) -> Curated:
    """Return a reviewed row for each mapping that a person curated (semapv:ManualMappingCuration).

    The text is `subject_label`, the code `object_id`. Raises InputError, which names the line, for
    a column that is missing, a predicate that is negated, and a code the release does not hold.
    """
    lines = decode(read_bytes(path), str(path)).splitlines(keepends=True)
    # A text may have a line that begins with #, so only those before the columns are comments.
    comments = sum(1 for _ in takewhile(lambda line: line.startswith("#"), lines))
    sheet = parse_delimited("".join(lines[comments:]), str(path), "\t")
    for needed in ("subject_label", "object_id", "mapping_justification"):
        if needed not in sheet.columns:
            raise InputError(f"{path} has no column {needed!r}: is it an SSSOM set of texts?")
    prefix = f"{tree.descriptor.curie_prefix}:"
    entries = []
    for cells, line in zip(sheet.rows, sheet.lines, strict=True):
        row = dict(zip(sheet.columns, cells, strict=True))
        place = f"{path}, line {line + comments}"
        if not row["mapping_justification"].endswith(_BY_A_PERSON):
            continue
        if row.get("predicate_modifier", "").lower() == "not":
            raise InputError(f"{place}: a negated mapping has no place in a table; remove the line")
        code = row["object_id"]
        other = [slot.partition("=") for slot in row.get("other", "").split("|")]
        entry = reviewed_entry(
            row["subject_label"],
            None if code == _NO_CODE else code.removeprefix(prefix),
            tree,
            place,
            further=[value for name, _, value in other if name == FURTHER],
            reviewer=row.get("reviewer_label", ""),
            note=row.get("comment", ""),
            rows=next((value for name, _, value in other if name == ROWS), ""),
        )
        entries.append(entry)
    return Curated(entries, len(sheet.rows) - len(entries))


def read_concept_map(path: Path, tree: Tree) -> Curated:
    """Return a reviewed row for each element of a ConceptMap, R4 or R5, whose status is "active".

    The text is the display of the element, the code its target; targets that say that they are
    further codes stand beside it. Raises InputError for a map
    that is a draft, for another system of codes, and for an element with several targets.
    """
    try:
        resource: Any = load_json(decode(read_bytes(path), str(path)))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(resource, dict) or resource.get("resourceType") != "ConceptMap":
        raise InputError(f"{path} is not a FHIR ConceptMap")
    if resource.get("status") != "active":
        raise InputError(
            f"{path}: the status is {resource.get('status')!r}; only an active map says that "
            "people decided: change the status where they did"
        )
    entries = []
    for group in resource.get("group", []):
        system = str(group.get("target", "")).partition("|")[0]
        if system not in (tree.descriptor.fhir, tree.descriptor.address):
            raise InputError(f"{path}: the codes are of {system!r}, not of {tree.descriptor.shown}")
        for number, element in enumerate(group.get("element", []), 1):
            entries.append(_element(element, f"{path}, element {number}", tree))
    return Curated(entries)


def _element(element: dict[str, Any], place: str, tree: Tree) -> Entry:
    if not (text := element.get("display")):
        raise InputError(f"{place}: has no display, so its text is not known")
    targets = [target for target in element.get("target", []) if target.get("code")]
    for target in targets:
        relation = target.get("equivalence") or target.get("relationship")
        if relation in _NOT_MAPPED:
            raise InputError(
                f"{place}: says that {target['code']} is {relation!r}, which has no place in a "
                "table; remove the target"
            )
    beside = [target for target in targets if str(target.get("comment", "")).startswith(BESIDE)]
    codes = [target["code"] for target in targets if target not in beside]
    if len(codes) > 1:
        raise InputError(f"{place}: has {len(codes)} targets; a table holds one code for a text")
    further = [target["code"] for target in beside]
    return reviewed_entry(text, codes[0] if codes else None, tree, place, further=further)
