"""The tree of an ICD-10 release: chapter, block, category, subcategory at any depth.

A node is a (kind, code) pair, because the tabular list gives a block that holds one category
the same label as that category: block B20 and category B20 are two nodes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

from ..errors import UnknownCode, UsageError
from .codes import chapter_number, fold_code, nearest_code, spellings, without_placeholders
from .releases.parsed import load_release
from .releases.read import BLOCK, CATEGORY, CHAPTER, ENCOUNTER, RELEASES, SUBCATEGORY, Release

Kind = Literal["chapter", "block", "category", "subcategory"]

_KINDS: dict[str, Kind] = {
    CHAPTER: "chapter",
    BLOCK: "block",
    CATEGORY: "category",
    SUBCATEGORY: "subcategory",
    ENCOUNTER: "subcategory",
}
_CATEGORY_FIRST: tuple[Kind, ...] = ("category", "subcategory", "block", "chapter")
_BLOCK_FIRST: tuple[Kind, ...] = ("block", "category", "subcategory", "chapter")
_NO_NOTES: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class Node(NamedTuple):
    """One node of the tree: `Node("block", "B20")` is not `Node("category", "B20")`."""

    kind: Kind
    code: str


def load_tree(release: str = "icd10cm") -> "Tree":
    """The tree of "icd10cm" (ICD-10-CM) or "icd10" (WHO), made once a process.

    Raises UsageError for another release and EnvironmentFault where its package is broken.
    """
    if release not in RELEASES:
        raise UsageError(f"no ontology release {release!r}; there is {' and '.join(RELEASES)}")
    return _load_tree(release)


@cache
def _load_tree(release: str) -> "Tree":
    return Tree(load_release(release))


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """One release. Every method takes a Node or a code as people write it.

    All of them raise UnknownCode, which names the nearest valid code, for a code that the
    release does not hold.
    """

    _rows: Release

    def __repr__(self) -> str:
        return f"Tree({self.release!r}, {self.version!r}, {len(self.nodes)} nodes)"

    @property
    def release(self) -> str:
        """The name `load_tree` was given: "icd10cm" or "icd10"."""
        return self._rows.name

    @property
    def version(self) -> str:
        """The edition and the package that carries it."""
        return self._rows.version

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every node in tabular order, each before its children."""
        rows = self._rows
        kinds = map(_KINDS.__getitem__, rows.kinds)
        return tuple(map(Node._make, zip(kinds, rows.codes, strict=True)))

    def node(self, code: Node | str, kind: Kind | None = None) -> Node:
        """The node of a code, however it is written: "j449", "A15–A19", "T36.01A", "II".

        Where a block and a category share a code the category is meant unless `kind` says
        otherwise. Of a Node given, `kind` must be the kind.
        """
        return self.nodes[self._position(code, kind)]

    def contains(self, code: Node | str) -> bool:
        """Whether `node` would find it."""
        try:
            self._position(code)
        except UnknownCode:
            return False
        return True

    def parent(self, code: Node | str) -> Node | None:
        """The node above, None for a chapter."""
        above = self._rows.parents[self._position(code)]
        return self.nodes[above] if above >= 0 else None

    def ancestors(self, code: Node | str) -> tuple[Node, ...]:
        """The nodes above, nearest first, up to the chapter; the node itself is not among them."""
        return tuple(self.nodes[above] for above in self._above(self._position(code)))

    def chapter(self, code: Node | str) -> Node:
        """The chapter that holds a node; a chapter's own is itself."""
        position = self._position(code)
        return self.nodes[(position, *self._above(position))[-1]]

    def children(self, code: Node | str) -> tuple[Node, ...]:
        """The nodes right below, in tabular order."""
        return tuple(self.nodes[child] for child in self._children[self._position(code)])

    def descendants(self, code: Node | str) -> tuple[Node, ...]:
        """All nodes below, in tabular order."""
        first = last = self._position(code)
        while below := self._children[last]:
            last = below[-1]
        return self.nodes[first + 1 : last + 1]

    def lowest_common_ancestor(self, a: Node | str, b: Node | str) -> Node | None:
        """The deepest node that is or holds both, None in different chapters."""
        first, second = self._position(a), self._position(b)
        line = {first, *self._above(first)}
        shared = (above for above in (second, *self._above(second)) if above in line)
        found = next(shared, None)
        return None if found is None else self.nodes[found]

    def level(self, code: Node | str) -> int:
        """0 for a chapter, 1 for a block (however nested), 2 for a category, 3 and up below."""
        node = self.node(code)
        if node.kind == "subcategory":
            return 1 + self.level(self.nodes[self._rows.parents[self._index[node]]])
        return ("chapter", "block", "category").index(node.kind)

    def is_billable(self, code: Node | str) -> bool:
        """Whether it is a category or subcategory with nothing below it."""
        position = self._position(code)
        is_code = self.nodes[position].kind in ("category", "subcategory")
        return is_code and not self._children[position]

    def is_encounter(self, code: Node | str) -> bool:
        """Whether a 7th character makes it a variant (encounter, fetus, stage) of its parent."""
        return self._rows.kinds[self._position(code)] == ENCOUNTER

    def name(self, code: Node | str) -> str:
        """The official name; the range at the end of a chapter's or block's is left out."""
        position = self._position(code)
        own = self._rows.names[position]
        if self._rows.kinds[position] == ENCOUNTER:
            return f"{self._rows.names[self._rows.parents[position]]}, {own}"
        return own

    def notes(self, code: Node | str) -> Mapping[str, tuple[str, ...]]:
        """The notes that stand at a node itself, by kind.

        Kinds: includes, inclusion, excludes1, excludes2, code_first, use_additional_code,
        code_also, notes. The WHO package holds none.
        """
        found = self._rows.notes.get(self._position(code))
        return {kind: tuple(texts) for kind, texts in found.items()} if found else _NO_NOTES

    def terms(self, code: Node | str) -> tuple[str, ...]:
        """The official name, then inclusion terms and `includes` notes as they are printed."""
        notes = self.notes(code)
        return (self.name(code), *notes.get("inclusion", ()), *notes.get("includes", ()))

    @cached_property
    def _index(self) -> dict[Node, int]:
        return dict(zip(self.nodes, range(len(self.nodes)), strict=True))

    @cached_property
    def _children(self) -> list[list[int]]:
        below: list[list[int]] = [[] for _ in self.nodes]
        for position, parent in enumerate(self._rows.parents):
            if parent >= 0:
                below[parent].append(position)
        return below

    @cached_property
    def _chapters(self) -> list[int]:
        return [position for position, kind in enumerate(self._rows.kinds) if kind == CHAPTER]

    @cached_property
    def _placeholder_free(self) -> dict[str, int]:
        """Position of every code with a placeholder X by the code without it."""
        return {
            without_placeholders(code): position
            for position, code in enumerate(self._rows.codes)
            if "X" in code[4:]
        }

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._rows.codes)

    @cached_property
    def _upper(self) -> tuple[str, ...]:
        return tuple(node.code for node in self.nodes if node.kind != "subcategory")

    def _above(self, position: int) -> list[int]:
        above = []
        while (position := self._rows.parents[position]) >= 0:
            above.append(position)
        return above

    def _position(self, code: Node | str, kind: Kind | None = None) -> int:
        if isinstance(code, Node):
            found = self._index.get(code) if kind in (None, code.kind) else None
        else:
            found = self._search(code, kind)
        if found is None:
            text = code.code if isinstance(code, Node) else code
            raise UnknownCode(text, self.release, self._nearest(text, kind))
        return found

    def _search(self, text: str, kind: Kind | None) -> int | None:
        folded = fold_code(text)
        kinds = (kind,) if kind else _BLOCK_FIRST if "-" in folded else _CATEGORY_FIRST
        for spelling in spellings(folded):
            for each in kinds:
                if (found := self._index.get(Node(each, spelling))) is not None:
                    return found
        found = self._placeholder_free.get(without_placeholders(folded))
        if found is None and (number := chapter_number(folded)):
            found = dict(enumerate(self._chapters, 1)).get(number)
        return found if found is not None and self.nodes[found].kind in kinds else None

    def _nearest(self, text: str, kind: Kind | None) -> str | None:
        if kind and (found := self._search(text, None)) is not None:
            line = (self.nodes[found], *self.ancestors(self.nodes[found]))
            return next((node.code for node in line if node.kind == kind), None)
        return nearest_code(text, self._known, self._upper)
