"""Turn the code of a condition into that of a factor: its history, a relative's, a screening.

The table is a file of the release (`Release.factors`). It says for each kind of frame which factor
a condition has. A condition with an empty factor, such as the history of a chronic disease, keeps
its own code.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from .reading.frames import Frame
from .release import Release
from .search.rerank import Ranked
from .tree import Tree

_NO_FACTOR = 0.3  # what is left of the score of a code that no contact is coded with


class _Row(NamedTuple):
    conditions: tuple[tuple[str, str], ...]  # first and last of a range of codes
    factor: str


def factor_of(code: str, kind: str, tree: Tree) -> str | None:
    """Return the factor of a condition, the condition's own code, or None where none is listed.

    The first row of the table that holds the condition counts; a row without conditions holds all
    that are no factors themselves.
    """
    return _factor_of(code, kind, tree.descriptor)


@lru_cache(maxsize=16_384)
def _factor_of(code: str, kind: str, release: Release) -> str | None:
    is_own = code.startswith(release.histories)
    for row in _table(release).get(kind, ()):
        holds_all = not row.conditions and not is_own
        if holds_all or any(_holds(code, *ends) for ends in row.conditions):
            return row.factor or code
    return None


def is_history_of(factor: str, code: str, tree: Tree) -> bool:
    """Return whether a factor is that of a condition in the past or of a relative."""
    return any(factor_of(code, kind, tree) == factor for kind in ("past", "relative"))


def is_factor(code: str, tree: Tree) -> bool:
    """Return whether a code means a factor, such as a history, and not a present condition."""
    return code.startswith(tree.descriptor.histories) or code in _listed(tree.descriptor)


def as_factors(ranked: Sequence[Ranked], frame: Frame, tree: Tree) -> list[Ranked]:
    """Return candidates with each condition replaced by its factor; equal factors are joined.

    The score of a factor is the sum of the scores of its conditions, at most 1. Candidates that
    are factors which the table does not name, and conditions without a factor, stay as they are.
    """
    joined: dict[str, Ranked] = {}
    for candidate in ranked:
        code = candidate.hit.code
        is_own = code.startswith(tree.descriptor.histories)
        factor = factor_of(code, frame.kind, tree)
        if factor is not None and factor != code:
            why = partial(_why, frame, candidate)
            candidate = candidate._replace(hit=candidate.hit._replace(code=factor), why=why)
        before = joined.get(candidate.hit.code)
        if before is not None:
            score = round(min(before.score + candidate.score, 1.0), 4)
            candidate = before._replace(score=score)
        elif not is_own and factor is None and frame.kind == "contact":
            # A cause of injury, such as X39.01 for radon, is the injury's and not the contact's.
            candidate = candidate._replace(score=round(candidate.score * _NO_FACTOR, 4))
        joined[candidate.hit.code] = candidate
    return sorted(joined.values(), key=lambda candidate: -candidate.score)


def _why(frame: Frame, condition: Ranked) -> str:
    return f"{frame.written!r} with {condition.hit.code}: {condition.why()}"


def _holds(code: str, first: str, last: str) -> bool:
    return first <= code[: len(first)] and code[: len(last)] <= last


@lru_cache(maxsize=8)
def _table(release: Release) -> dict[str, tuple[_Row, ...]]:
    rows: dict[str, list[_Row]] = {}
    for kind, conditions, factor in release.factor_rows():
        ranges = tuple((first, last or first) for first, _, last in map(_ends, conditions.split()))
        rows.setdefault(kind, []).append(_Row(ranges, factor))
    return {kind: tuple(of_kind) for kind, of_kind in rows.items()}


@lru_cache(maxsize=8)
def _listed(release: Release) -> frozenset[str]:
    return frozenset(row.factor for rows in _table(release).values() for row in rows)


def _ends(conditions: str) -> tuple[str, str, str]:
    return conditions.partition("-")
