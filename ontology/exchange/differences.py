"""Compare two canonical tables text by text: what moved, how far in the tree, and why."""

from dataclasses import dataclass
from typing import Literal

from ..mapping import band_of
from ..table import CanonicalTable
from ..table_row import Entry
from ..tree import Tree

Change = Literal["moved", "beside", "lost", "gained", "reviewed", "score", "added", "removed"]


@dataclass(frozen=True)
class Difference:
    """One text on which two tables differ.

    change: "moved" (another code), "beside" (other further codes), "lost" or "gained" (a code),
    "reviewed" (by people in one table only), "score" (another band of confidence), "added" or
    "removed" (the text itself). rows: the larger count of rows. same: the deepest level at which
    both codes agree, "" where none does. why: what else differs, in words.
    """

    text: str
    rows: int
    change: Change
    first: Entry | None
    second: Entry | None
    same: str = ""
    why: tuple[str, ...] = ()


def differences(
    first: CanonicalTable, second: CanonicalTable, tree: Tree, later: Tree
) -> list[Difference]:
    """Return the texts that differ, those of most rows first.

    tree, later: the releases of the first and of the second table.
    """
    keys = dict.fromkeys((*first.entries, *second.entries))
    pairs = ((first.entries.get(key), second.entries.get(key)) for key in keys)
    differing = (_difference(one, other, tree, later) for one, other in pairs)
    return sorted(filter(None, differing), key=lambda difference: -difference.rows)


def _difference(
    one: Entry | None, other: Entry | None, tree: Tree, later: Tree
) -> Difference | None:
    if one is None or other is None:
        only = one or other
        assert only is not None
        change: Change = "removed" if other is None else "added"
        return Difference(only.mapping.text, only.rows, change, one, other)
    changed = _change(one, other)
    if changed is None:
        return None
    rows, text = max(one.rows, other.rows), one.mapping.text
    same = _shared_level(one.mapping.code, other.mapping.code, tree, later)
    return Difference(
        text, rows, changed, one, other, same, tuple(_reasons(one, other, tree, later))
    )


def _change(one: Entry, other: Entry) -> Change | None:
    before, after = one.mapping, other.mapping
    if before.code != after.code:
        return "gained" if before.code is None else "lost" if after.code is None else "moved"
    if not after.has_codes_of(before):
        return "beside"
    if one.reviewed != other.reviewed:
        return "reviewed"
    if before.code is None or one.reviewed:
        return None
    bands = {band_of(mapping.score, mapping.decided_by) for mapping in (before, after)}
    return "score" if len(bands) > 1 else None


def _shared_level(first: str | None, second: str | None, tree: Tree, later: Tree) -> str:
    if not first or not second:
        return ""
    if first == second:
        return "code"
    of_both = next(
        (one for one in (tree, later) if one.contains(first) and one.contains(second)), None
    )
    shared = of_both.lowest_common_ancestor(first, second) if of_both else None
    return shared.kind if shared else ""


def _reasons(one: Entry, other: Entry, tree: Tree, later: Tree) -> list[str]:
    before, after = one.mapping, other.mapping
    reasons = []
    if one.reviewed or other.reviewed:
        which = (
            "both"
            if one.reviewed and other.reviewed
            else "the first"
            if one.reviewed
            else "the second"
        )
        reasons.append(f"a person decided in {which}")
    if before.code and tree is not later and not later.contains(before.code):
        reasons.append(f"{later.descriptor.shown} {later.version} has no {before.code}")
    releases = [_release(entry) for entry in (one, other)]
    if all(releases) and releases[0] != releases[1]:
        reasons.append(f"release {releases[0]}, then {releases[1]}")
    elif _settings(one) != _settings(other) and _settings(one) and _settings(other):
        reasons.append("other terms, models or settings")
    if before.additional_codes != after.additional_codes:
        beside = (mapping.additional_codes or "none" for mapping in (before, after))
        reasons.append(f"further codes {', then '.join(beside)}")
    if before.decided_by != after.decided_by:
        reasons.append(f"{before.decided_by}, then {after.decided_by}")
    if before.term != after.term and before.term and after.term:
        reasons.append(f"matched {before.term!r}, then {after.term!r}")
    if before.code and after.code and f"{before.score:.2f}" != f"{after.score:.2f}":
        reasons.append(f"score {before.score:.2f}, then {after.score:.2f}")
    return reasons


def _settings(entry: Entry) -> str:
    return entry.signature.partition("=")[0]


def _release(entry: Entry) -> str:
    return _settings(entry).rpartition("-")[0]
