"""Codes to pick from: the candidates of a text, a search in the ontology, the place in the tree."""

import threading
from collections import OrderedDict
from dataclasses import asdict, dataclass, field
from typing import Any

from ...errors import DxjudgeError
from ...graphs.mapper import Mapper
from ...ontology.mapping import Mapping
from ...ontology.tree import Node, Tree

_REMEMBERED = 2_000  # texts whose candidates are kept
_FOUND = 20  # codes that a search shows
_MOST_NEAR = 60  # siblings or children that are shown


@dataclass
class Finder:
    """A mapper that loads in the background; until it is there, only codes and names are searched.

    fault: why it cannot be used, "" for nothing.
    """

    mapper: Mapper
    tree: Tree
    fault: str = ""
    ready: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _known: "OrderedDict[str, Mapping]" = field(default_factory=OrderedDict)

    def start(self) -> None:
        """Load the index and the models in a thread."""
        threading.Thread(target=self._load, daemon=True, name="mapper").start()

    def _load(self) -> None:
        try:
            self.mapper.parts  # noqa: B018  loads on first use
            self.mapper.map("pneumonia")
        except DxjudgeError as fault:
            self.fault = str(fault)
        except Exception as fault:  # the pages go on without candidates, and say why
            self.fault = f"{type(fault).__name__}: {fault}"
        self.ready.set()

    @property
    def state(self) -> str:
        """Return "loading", "ready" or "failed"."""
        return "failed" if self.fault else "ready" if self.ready.is_set() else "loading"

    def candidates(self, text: str) -> dict[str, Any]:
        """Return the candidates of a text with the reasons, once the mapper is there."""
        if self.state != "ready":
            return {"state": self.state, "fault": self.fault, "candidates": []}
        with self._lock:
            mapping = self._known.pop(text, None) or self.mapper.map(text)
            self._known[text] = mapping
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return {
            "state": "ready",
            "code": mapping.code,
            "reason": mapping.reason or "",
            "parts": list(mapping.parts),
            "additional": [asdict(one) for one in mapping.additional],
            "candidates": [asdict(one) for one in mapping.candidates],
        }

    def search(self, words: str) -> list[dict[str, Any]]:
        """Return codes for words: the code itself, then what the mapper finds or names hold."""
        words = words.strip()
        if not words:
            return []
        codes: dict[str, str] = {}
        if self.tree.contains(words) and self.tree.is_code(words):
            codes[self.tree.node(words).code] = "the code"
        if self.state == "ready":
            with self._lock:
                for found in self.mapper.search(words, _FOUND):
                    codes.setdefault(found.code, found.why)
        for code in self._named(words, _FOUND - len(codes)):
            codes.setdefault(code, "the name holds the words")
        return [{**self._brief(self.tree.node(code)), "why": why} for code, why in codes.items()]

    def _named(self, words: str, most: int) -> list[str]:
        wanted = words.casefold().split()
        found: list[str] = []
        for node, name in self._names():
            if len(found) >= most:
                break
            if all(word in name for word in wanted):
                found.append(node.code)
        return found

    def _names(self) -> list[tuple[Node, str]]:
        if not self._folded:
            self._folded = [
                (node, self.tree.name(node).casefold())
                for node in self.tree.nodes
                if self.tree.is_code(node)
            ]
        return self._folded

    _folded: list[tuple[Node, str]] = field(default_factory=list)

    def place(self, code: str) -> dict[str, Any]:
        """Return where a code stands: nodes above from the root, siblings, children, notes.

        Raises UnknownCode for a code that the release does not hold.
        """
        node = self.tree.node(code)
        above = self.tree.ancestors(node)
        beside = self.tree.children(above[0]) if above else self.tree.roots
        below = self.tree.children(node)
        siblings = [self._brief(one) for one in beside if one != node]
        return {
            **self._brief(node),
            "ancestors": [self._brief(one) for one in reversed(above)],
            "siblings": siblings[:_MOST_NEAR],
            "more_siblings": max(0, len(siblings) - _MOST_NEAR),
            "children": [self._brief(one) for one in below[:_MOST_NEAR]],
            "more_children": max(0, len(below) - _MOST_NEAR),
            "notes": {kind: list(texts) for kind, texts in self.tree.notes(node).items()},
        }

    def _brief(self, node: Node) -> dict[str, Any]:
        return {
            "code": node.code,
            "name": self.tree.name(node),
            "kind": node.kind,
            "is_code": self.tree.is_code(node),
            "billable": self.tree.is_billable(node),
        }
