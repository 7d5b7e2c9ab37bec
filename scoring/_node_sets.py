"""Code the augmented node sets of cases as integers, so that numpy can count them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownCode, UsageError
from ..ontology.tree import Node, Tree
from .shares import FAILED, Failed, is_resolved

Code = Node | str
Diagnosis = Code | Iterable[Code | None] | None
"""One diagnosis: a code, several codes, or None (or an empty list) if it did not map."""
Case = Sequence[Diagnosis] | Failed
Ints = NDArray[np.int64]


class Unmapped(NamedTuple):
    """A diagnosis that did not map: its case, its position, and its unknown codes if any."""

    case: int
    position: int
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeSets:
    """The augmented sets of n cases: node `node[i]` is in the set of case `case[i]`.

    No pair of case and node occurs twice. `failed` marks the cases without a verdict.
    """

    case: Ints
    node: Ints
    unmapped: tuple[Unmapped, ...]
    failed: NDArray[np.bool_]


def codes_of(diagnosis: Diagnosis) -> tuple[Code, ...]:
    """List one diagnosis's codes; None, NaN and blank text are left out."""
    several = isinstance(diagnosis, Iterable) and not isinstance(diagnosis, str | Node)
    given: Iterable[Any] = diagnosis if several else (diagnosis,)  # type: ignore[assignment]
    return tuple(code for code in given if is_resolved(code) and code != "" and not _blank(code))


def _blank(code: object) -> bool:
    return isinstance(code, str) and not code.strip()


@dataclass(slots=True)
class NodeTable:
    """Numbers the nodes as they occur, and stores the kind and the chapter of each.

    One table codes truth and predictions, so that equal numbers mean equal nodes.
    """

    tree: Tree
    chapters: tuple[Node, ...] = field(init=False)
    kinds: list[int] = field(default_factory=list)
    chapter_of: list[int] = field(default_factory=list)
    _numbers: dict[Node, int] = field(default_factory=dict)
    _lines: dict[Code, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chapters = self.tree.roots

    def line(self, code: Code) -> tuple[int, ...]:
        """Number a code and all its ancestors.

        Raises:
            UnknownCode: the release does not contain the code.
        """
        known = self._lines.get(code)
        if known is None:
            if not isinstance(code, str | Node):
                raise UsageError(f"{code!r} is not a code; codes are text")
            node = self.tree.node(code)
            path = (node, *self.tree.ancestors(node))
            known = self._lines[code] = tuple(self._number(one, path[-1]) for one in path)
        return known

    def _number(self, node: Node, chapter: Node) -> int:
        if node not in self._numbers:
            self._numbers[node] = len(self._numbers)
            self.kinds.append(self.tree.levels.index(node.kind))
            self.chapter_of.append(self.chapters.index(chapter))
        return self._numbers[node]

    def read(self, cases: Sequence[Case], side: str, *, strict: bool = False) -> NodeSets:
        """Code the cases of one side (truth, or a model); `side` is its name in errors.

        A diagnosis with an unknown code, or without a code, is unmapped; its known codes still
        count. With `strict`, an unknown code is an error.
        """
        owners: list[int] = []
        numbers: list[int] = []
        unmapped: list[Unmapped] = []
        failed = np.array([case is FAILED for case in cases], dtype=bool)
        for index, case in enumerate(cases):
            if isinstance(case, Failed):
                continue
            if isinstance(case, str | Node) or not isinstance(case, Iterable):
                raise UsageError(f"{side}, case {index}: {case!r} is not a list of diagnoses")
            nodes: set[int] = set()
            for position, diagnosis in enumerate(case):
                try:
                    known, unknown = self._split(diagnosis, strict)
                except UnknownCode as error:
                    error.args = (f"{side}, case {index}, diagnosis {position}: {error}",)
                    raise
                nodes.update(known)
                if unknown or not known:
                    unmapped.append(Unmapped(index, position, unknown))
            owners.extend([index] * len(nodes))
            numbers.extend(nodes)
        return NodeSets(_ints(owners), _ints(numbers), tuple(unmapped), failed)

    def _split(self, diagnosis: Diagnosis, strict: bool) -> tuple[set[int], tuple[str, ...]]:
        """Number the known codes of a diagnosis, and return the unknown ones."""
        known: set[int] = set()
        unknown = []
        for code in codes_of(diagnosis):
            try:
                known.update(self.line(code))
            except UnknownCode as error:
                if strict:
                    raise
                unknown.append(error.code)
        return known, tuple(unknown)


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)
