"""What holds for a code and for a term whatever is asked, for the features of the reranker."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from ..reading.normalise import normalise_text
from .queries import OFFICIAL
from .retrieve import Retriever
from .words import Words, read_words


class Facts(NamedTuple):
    """What holds for a code whatever is asked; `name` is the official one in small letters."""

    name: str
    words: Words
    category: str
    parent: str | None
    static: tuple[float, ...]  # category, depth, leaf, unspecified, other
    without: bool
    setting: frozenset[str] | None  # word stems of which a text should hold at least one


class TermFacts(NamedTuple):
    """What holds for a term whatever is asked."""

    words: Words
    vague: tuple[float, float]  # "other", "unspecified" or "nos"
    source: tuple[float, float, float]  # inclusion, includes, not printed in the release
    length: float


@dataclass(frozen=True)
class KeptFacts:
    """The facts of codes and terms; each is found when it is first asked for, and kept."""

    retriever: Retriever
    weights: dict[str, float]

    @cached_property
    def of_term(self) -> Callable[[int], TermFacts]:
        """The function that returns what holds for the term of a row."""
        return lru_cache(maxsize=None)(self._read_term)

    @cached_property
    def of_code(self) -> Callable[[str], Facts]:
        """The function that returns what holds for a code."""
        return lru_cache(maxsize=None)(self._read_code)

    def _read_term(self, row: int) -> TermFacts:
        folded = self.retriever.index.folded[row]
        source = self.retriever.index.terms[row].source
        words = read_words(folded, self.weights)
        return TermFacts(
            words,
            (
                float(folded.startswith("other ") or " other " in folded),
                float("unspecified" in folded or folded.endswith(" nos")),
            ),
            (
                float(source == "inclusion"),
                float(source == "includes"),
                float(source not in OFFICIAL),
            ),
            min(len(words.stems), 12) / 12,
        )

    def _read_code(self, code: str) -> Facts:
        tree = self.retriever.tree
        node = tree.node(code)  # found once: a code may be written in many ways
        printed = tree.name(node)
        name, words = self._named(code, printed)
        parent = tree.parent(node)
        depth = tree.level(node) - tree.category_level
        static = (
            float(depth == 0),
            depth / 4,
            float(tree.is_billable(node)),
            float("unspecified" in name),
            float(name.startswith("other ") or " other " in name),
        )
        return Facts(
            printed.lower(),
            words,
            tree.category(node).code,
            parent.code if parent and depth > 0 else None,
            static,
            "without" in name.split(),
            tree.descriptor.settings.get(code[:1]),
        )

    def _named(self, code: str, printed: str) -> tuple[str, Words]:
        """Return a code's printed name, normalised, and its words; it mostly is its first term."""
        index = self.retriever.index
        rows = index.rows.of_code.get(code)
        if rows and index.terms[rows[0]].text == printed:
            return index.folded[rows[0]], self.of_term(rows[0]).words
        name = normalise_text(printed)
        return name, read_words(name, self.weights)
