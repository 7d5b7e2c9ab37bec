"""The tree of a release: headings such as chapters and blocks, and codes at any depth.

A node is a (kind, code) pair, because the tabular list of ICD-10 gives a block that holds one
category the same label as that category: block B20 and category B20 are two nodes.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from ..errors import UnknownCode
from .release import Release, Rows
from .releases.installed import package_version
from .releases.kept import load_rows
from .releases.listed import DEFAULT, RELEASES, find_release

Kind = str
"""The name of a level of the tree."""

_REMEMBERED = 65_536  # the codes whose nodes are remembered

_NO_NOTES: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class Node(NamedTuple):
    """One node of the tree: `Node("block", "B20")` is not `Node("category", "B20")`."""

    kind: Kind
    code: str


def load_tree(release: str | Release = DEFAULT) -> "Tree":
    """Return the tree of a release: "icd10cm" (ICD-10-CM), "icd10" (WHO), or your own.

    Your own release is a `Release`, or the file that defines it: "path/to/release.py:NAME". It is
    read at each call; the trees of the other releases are made once in a process.

    Args:
        release: "icd10cm", "icd10", or the path of your own ("path/release.py:NAME"), or a
            `Release`.

    Returns:
        the tree.

    Raises:
        UsageError: for an unknown release.
        InputError: for a file whose codes do not form a tree.
        EnvironmentFault: where the package of a release is broken.
    """
    if isinstance(release, str) and release in RELEASES:
        return _listed_tree(release)
    own = find_release(release) if isinstance(release, str) else release
    return Tree(own, load_rows(own))


@cache
def _listed_tree(name: str) -> "Tree":
    return Tree(RELEASES[name], load_rows(RELEASES[name]))


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """One release. Every method takes a Node or a code as people write it.

    All of them raise UnknownCode, which names the nearest valid code, for a code that the
    release does not hold.
    """

    descriptor: Release
    _rows: Rows

    def __repr__(self) -> str:
        return f"Tree({self.release!r}, {self.version!r}, {len(self.nodes)} nodes)"

    @property
    def release(self) -> str:
        """The name of the release: "icd10cm", "icd10" or the name of your own."""
        return self.descriptor.name

    @cached_property
    def version(self) -> str:
        """The edition, and the package that carries it or a digest of its content."""
        package = self.descriptor.package
        origin = package_version(package) if package else f"sha256 {self._digest()}"
        return ", ".join(filter(None, (self._rows.edition, origin)))

    @cached_property
    def levels(self) -> tuple[Kind, ...]:
        """The names of the levels, from the root down."""
        deepest = max(self._rows.levels, default=0)
        return self.descriptor.levels or tuple(f"level {n}" for n in range(1, deepest + 2))

    @cached_property
    def roots(self) -> tuple[Node, ...]:
        """The nodes without a parent, such as chapters, in order."""
        parents = enumerate(self._rows.parents)
        return tuple(self.nodes[position] for position, parent in parents if parent < 0)

    def root(self, code: Node | str) -> Node:
        """Return the root with this code. Raises UnknownCode where another node has the code."""
        position = self._position(code)
        if self._rows.parents[position] >= 0:
            text = code.code if isinstance(code, Node) else code
            raise UnknownCode(text, self.release, self.chapter(self.nodes[position]).code)
        return self.nodes[position]

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every node in tabular order, each before its children."""
        kinds = map(self.levels.__getitem__, self._rows.levels)
        return tuple(map(Node._make, zip(kinds, self._rows.codes, strict=True)))

    def node(self, code: Node | str, kind: Kind | None = None) -> Node:
        """Return the node of a code in any usual writing: "j449", "A15–A19", "T36.01A", "II".

        Where a block and a category share a code, the category is returned unless `kind` is
        another. A Node must be of the kind `kind`.
        """
        return self.nodes[self._position(code, kind)]

    def contains(self, code: Node | str) -> bool:
        """Return whether the release holds the code."""
        try:
            self._position(code)
        except UnknownCode:
            return False
        return True

    def parent(self, code: Node | str) -> Node | None:
        """Return the node above, None for a root such as a chapter."""
        above = self._rows.parents[self._position(code)]
        return self.nodes[above] if above >= 0 else None

    def ancestors(self, code: Node | str) -> tuple[Node, ...]:
        """Return the nodes above, nearest first, up to the chapter, without the node itself."""
        return tuple(self.nodes[above] for above in self._above(self._position(code)))

    def chapter(self, code: Node | str) -> Node:
        """Return the root that holds a node, in ICD-10 its chapter; for a root, the root itself."""
        position = self._position(code)
        return self.nodes[(position, *self._above(position))[-1]]

    def children(self, code: Node | str) -> tuple[Node, ...]:
        """Return the nodes right below, in tabular order."""
        return tuple(self.nodes[child] for child in self._children[self._position(code)])

    def descendants(self, code: Node | str) -> tuple[Node, ...]:
        """Return all nodes below, in tabular order."""
        first = last = self._position(code)
        while below := self._children[last]:
            last = below[-1]
        return self.nodes[first + 1 : last + 1]

    def lowest_common_ancestor(self, a: Node | str, b: Node | str) -> Node | None:
        """Return the deepest node that is or holds both, None where the roots differ."""
        first, second = self._position(a), self._position(b)
        line = {first, *self._above(first)}
        shared = (above for above in (second, *self._above(second)) if above in line)
        deepest = next(shared, None)
        return None if deepest is None else self.nodes[deepest]

    def level(self, code: Node | str) -> int:
        """Return the place of a node's level, from 0; below the last level each step down adds 1.

        In ICD-10: 0 for a chapter, 1 for a block at any depth, 2 for a category, 3 and more below.
        """
        position = self._position(code)
        place, parent = self._rows.levels[position], self._rows.parents[position]
        if place < len(self.levels) - 1 or parent < 0:
            return place
        return max(place, 1 + self.level(self.nodes[parent]))

    @property
    def category_level(self) -> int:
        """The place of the first level that holds codes, in ICD-10 the category."""
        return len(self.descriptor.headings)

    def category(self, code: Node | str) -> Node:
        """Return the category that a code is or lies in; the node itself where there is none."""
        return self._category_at(self._position(code))

    def is_code(self, code: Node | str) -> bool:
        """Return whether a text may get this code: it is not a heading such as a block."""
        return self._rows.levels[self._position(code)] >= self.category_level

    def is_billable(self, code: Node | str) -> bool:
        """Return whether it is a code without any node below it."""
        position = self._position(code)
        return self._rows.levels[position] >= self.category_level and not self._children[position]

    def is_encounter(self, code: Node | str) -> bool:
        """Return whether a 7th character makes it a variant (encounter, fetus) of its parent."""
        return self._position(code) in self._variants

    def looks_like_code(self, text: str) -> bool:
        """Return whether a text has the shape of a code, or is a code where codes have no shape."""
        is_code = self.descriptor.codes.is_code
        return is_code(text) if is_code else self.contains(text)

    def name(self, code: Node | str) -> str:
        """Return the official name; for a variant, the parent's name and its own."""
        position = self._position(code)
        own = self._rows.names[position]
        if position in self._variants:
            return f"{self._rows.names[self._rows.parents[position]]}, {own}"
        return own

    def notes(self, code: Node | str) -> Mapping[str, tuple[str, ...]]:
        """Return the notes of a node, by kind, without those of the nodes above.

        Kinds: includes, inclusion, excludes1, excludes2, code_first, use_additional_code,
        code_also, notes. The WHO package holds no notes.
        """
        notes = self._rows.notes.get(self._position(code))
        return {kind: tuple(texts) for kind, texts in notes.items()} if notes else _NO_NOTES

    def terms(self, code: Node | str) -> tuple[str, ...]:
        """Return the official name, then inclusion terms and `includes` notes as printed."""
        notes = self.notes(code)
        return (self.name(code), *notes.get("inclusion", ()), *notes.get("includes", ()))

    @cached_property
    def _index(self) -> dict[Node, int]:
        return dict(zip(self.nodes, range(len(self.nodes)), strict=True))

    @cached_property
    def _children(self) -> list[tuple[int, ...]]:
        below: list[list[int]] = [[] for _ in self.nodes]
        for position, parent in enumerate(self._rows.parents):
            if parent >= 0:
                below[parent].append(position)
        return list(map(tuple, below))

    @cached_property
    def _variants(self) -> frozenset[int]:
        return frozenset(self._rows.variants)

    @cached_property
    def _loose_forms(self) -> dict[str, str]:
        return self.descriptor.codes.loose_forms(self._rows.codes)

    @cached_property
    def _code_first(self) -> tuple[Kind, ...]:
        first = self.category_level
        return (*self.levels[first:], *reversed(self.levels[:first]))

    @cached_property
    def _heading_first(self) -> tuple[Kind, ...]:
        first = self.category_level
        return (*reversed(self.levels[1:first]), *self.levels[first:], *self.levels[:1])

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._rows.codes)

    @cached_property
    def _upper(self) -> tuple[str, ...]:
        pairs = zip(self._rows.codes, self._rows.levels, strict=True)
        return tuple(code for code, level in pairs if level <= self.category_level)

    def _digest(self) -> str:
        release = self.descriptor
        content = [vars(self._rows), release.levels, release.headings, release.left_out]
        text = json.dumps([*content, list(release.further_terms())], ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def _above(self, position: int) -> list[int]:
        above = []
        while (position := self._rows.parents[position]) >= 0:
            above.append(position)
        return above

    def _position(self, code: Node | str, kind: Kind | None = None) -> int:
        if isinstance(code, Node):
            position = self._index.get(code) if kind in (None, code.kind) else None
        else:
            position = self._searched(code, kind)
        if position is None:
            text = code.code if isinstance(code, Node) else code
            raise UnknownCode(text, self.release, self._nearest(text, kind))
        return position

    @cached_property
    def _searched(self) -> Callable[[str, Kind | None], int | None]:
        """`_search` with a memory: an evaluation asks for the same codes again and again."""
        return lru_cache(maxsize=_REMEMBERED)(self._search)

    @cached_property
    def _category_at(self) -> Callable[[int], Node]:
        """The category of a position, with a memory for the same reason."""
        level = self.category_level if self.descriptor.levels else -1

        def found(position: int) -> Node:
            line = (position, *self._above(position))
            return self.nodes[next((at for at in line if self._rows.levels[at] == level), position)]

        return lru_cache(maxsize=_REMEMBERED)(found)

    @cached_property
    def _printed(self) -> dict[str, int]:
        """The position of each code as it is printed, but of those whose code a heading has."""
        rows, first = self._rows, self.category_level
        pairs = list(zip(rows.codes, rows.levels, strict=True))
        headings = {code for code, level in pairs if level < first}
        places = ((code, at) for at, (code, _) in enumerate(pairs) if code not in headings)
        return dict(places)

    def _search(self, text: str, kind: Kind | None) -> int | None:
        if kind is None and (printed := self._printed.get(text)) is not None:
            return printed
        grammar = self.descriptor.codes
        first = self._heading_first if grammar.names_heading(text) else self._code_first
        kinds = (kind,) if kind else first
        for code in grammar.spellings(text):
            if (position := self._of_kinds(code, kinds)) is not None:
                return position
        loose = self._loose_forms.get(grammar.loose(text))
        return None if loose is None else self._of_kinds(loose, kinds)

    def _of_kinds(self, code: str, kinds: tuple[Kind, ...]) -> int | None:
        nodes = (Node(kind, code) for kind in kinds)
        return next((self._index[node] for node in nodes if node in self._index), None)

    def _nearest(self, text: str, kind: Kind | None) -> str | None:
        if kind and (position := self._search(text, None)) is not None:
            line = (self.nodes[position], *self.ancestors(self.nodes[position]))
            return next((node.code for node in line if node.kind == kind), None)
        return self.descriptor.codes.nearest(text, self._known, self._upper)
