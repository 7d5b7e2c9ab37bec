"""Carry a canonical table from one release to another, and say what became of each code."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ...errors import UnknownCode
from ..mapping import BETWEEN
from ..table_row import COLUMNS, written_codes
from ..tree import Tree
from .equivalences import Equivalent, plain_code

Fate = Literal["kept", "renamed", "replaced", "split", "open", "deleted"]
_ASKED: frozenset[Fate] = frozenset({"split", "open", "deleted"})
_SHOWN = 8  # codes that a note names


@dataclass(frozen=True)
class Carried:
    """One row after the move.

    fate: "kept" (same code and name), "renamed", "replaced" (by its only equivalent), "split" (the
    code has codes below it now), "open" (several equivalents) or "deleted". cells: the row. why:
    what happened, "" for a kept row.
    """

    cells: dict[str, str]
    old: str
    fate: Fate
    why: str = ""

    @property
    def needs_review(self) -> bool:
        """Whether a person must decide again."""
        return self.fate in _ASKED


def carry_row(
    cells: dict[str, str],
    new: Tree,
    old: Tree | None = None,
    equivalents: Mapping[str, Equivalent] | None = None,
) -> Carried:
    """Return a row for the new release.

    old: the release of the row's codes, where it is known; without it a renamed or split code is
    recognised by the name in the row alone. A row of which a code is split, open or deleted is no
    longer reviewed; a deleted or open code leaves the row. `note` says what happened.
    """
    first, *beside = written_codes(cells.get("code", "")) or [""]
    row = _carried({**cells, "code": first}, new, old, equivalents)
    further = written_codes(cells.get("additional_codes", ""))
    for name, codes in (("code", beside), ("additional_codes", further)):
        moved = [_carried({"code": code}, new, old, equivalents) for code in codes]
        row = _beside(row, name, moved)
    return replace(row, old=BETWEEN.join((row.old, *beside)))


def _beside(row: Carried, name: str, moved: list[Carried]) -> Carried:
    """Return a row with the further codes that stand in this cell, as the new release has them."""
    if not moved:
        return row
    fates = [one.fate for one in (row, *moved)]
    changed = [fate for fate in fates if fate != "kept"]
    asked = [fate for fate in changed if fate in _ASKED]
    fate: Fate = asked[0] if asked else changed[0] if changed else "kept"
    whys = [one.why for one in moved if one.why]
    if not row.cells["code"]:
        whys.append(f"further codes were {', '.join(one.old for one in moved)}")
        moved = []
    codes = [row.cells["code"]] if name == "code" else []
    codes += [one.cells["code"] for one in moved]
    cells = {**row.cells, name: BETWEEN.join(filter(None, dict.fromkeys(codes)))}
    if any(one.needs_review for one in moved) and not row.needs_review:
        cells = _open(cells, cells["code"], cells["name"], "; ".join(whys))
    elif whys:
        cells = _noted(cells, "; ".join(whys))
    return Carried(cells, row.old, fate, "; ".join(filter(None, (row.why, *whys))))


def _carried(
    cells: dict[str, str],
    new: Tree,
    old: Tree | None,
    equivalents: Mapping[str, Equivalent] | None,
) -> Carried:
    """Return a row with one code for the new release."""
    written = cells.get("code", "").strip()
    if not written:
        return Carried(cells, "", "kept")
    code = old.node(written).code if old and old.contains(written) else written
    before = old.name(code) if old and old.contains(code) else cells.get("name", "").strip()
    equivalent = (equivalents or {}).get(plain_code(code))
    if equivalent is not None and not _is_itself(equivalent, code):
        return _by_equivalent(cells, code, equivalent, new)
    try:
        now = new.node(code).code
    except UnknownCode:
        known = f" ({before})" if before else ""
        return _without(cells, code, "deleted", f"{_shown(new)} has no {code}{known}")
    name = new.name(now)
    if old and old.contains(code) and old.is_billable(code) and not new.is_billable(now):
        below = [node.code for node in new.children(now)]
        why = f"{code} is divided in {_shown(new)}: {_listed(below)}"
        return Carried(_open(cells, now, name, why), code, "split", why)
    if before and before != name:
        why = f"{code} was {before!r}"
        return Carried(_noted({**cells, "code": now, "name": name}, why), code, "renamed", why)
    return Carried({**cells, "code": now, "name": name}, code, "kept")


def _is_itself(equivalent: Equivalent, code: str) -> bool:
    targets = [plain_code(target) for target in equivalent.targets]
    return targets == [plain_code(code)] and not equivalent.approximate


def _by_equivalent(cells: dict[str, str], code: str, equivalent: Equivalent, new: Tree) -> Carried:
    known = [new.node(target).code for target in equivalent.targets if new.contains(target)]
    if not known:
        return _without(cells, code, "deleted", f"{code} has no equivalent in {_shown(new)}")
    if len(known) > 1 or equivalent.together:
        how = "only together" if equivalent.together else "one of"
        return _without(cells, code, "open", f"{code} becomes {how} {_listed(known)}")
    near = ", which is only near" if equivalent.approximate else ""
    why = f"{code} became {known[0]}{near}"
    replaced = {**cells, "code": known[0], "name": new.name(known[0])}
    return Carried(_noted(replaced, why), code, "replaced", why)


def _without(cells: dict[str, str], code: str, fate: Fate, why: str) -> Carried:
    return Carried(_open({**cells, "status": "unmapped"}, "", "", why), code, fate, why)


def _open(cells: dict[str, str], code: str, name: str, why: str) -> dict[str, str]:
    # The signature names the code; without one, a code would count as a person's decision.
    signature = cells.get("signature", "").partition("=")[0] or "carried"
    emptied = dict.fromkeys(("score", "category_score", "term", "source"), "")
    undecided = {"reviewed": "no", "decided_by": "none", **emptied}
    changed = {**cells, **undecided, "code": code, "name": name, "signature": f"{signature}={code}"}
    return _noted(changed, why)


def _noted(cells: dict[str, str], why: str) -> dict[str, str]:
    signature = cells.get("signature", "")
    if "=" in signature and cells.get("reviewed", "").lower() not in ("yes", "y", "true", "1", "x"):
        cells = {**cells, "signature": f"{signature.partition('=')[0]}={cells['code']}"}
    return {**cells, "note": "; ".join(filter(None, (cells.get("note", ""), why)))}


def carried_columns(columns: list[str]) -> list[str]:
    """Return the columns of the new table: those of the old one, then what it lacks."""
    return list(dict.fromkeys((*columns, *COLUMNS)))


def _shown(tree: Tree) -> str:
    return f"{tree.descriptor.shown}, {tree.version.partition(',')[0]}"


def _listed(codes: list[str]) -> str:
    more = len(codes) - _SHOWN
    return ", ".join(codes[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
