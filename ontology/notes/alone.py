"""What parts of texts mean by themselves. The parts of all texts are searched together."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..decide import decide
from ..mapping import Mapping
from ..policy import MIN_SCORE, Policy
from ..reading.query import Query

SHOWN = 15
"""Candidates and equal terms of a text that are looked at, and shown by default."""


class Alone(NamedTuple):
    """A part of a text as it is read by itself, and what it is mapped to."""

    query: Query
    mapping: Mapping

    @property
    def is_sure(self) -> bool:
        """Whether it is mapped, and nothing that stands beside a condition was set aside."""
        return not is_doubted(self.query) and self.mapping.status == "mapped"


def is_doubted(query: Query) -> bool:
    """Return whether something beside a condition says that it is not simply there."""
    return bool(query.frame or query.set_aside or query.ambiguous or query.excluded)


def read_alone(texts: Sequence[str], policy: Policy) -> dict[str, Alone]:
    """Return what each text means by itself, at the specificity of concepts."""
    if not texts:
        return {}
    retriever = policy.retriever
    retriever.prepare(texts)
    alone = replace(policy, specificity="concept", min_score=MIN_SCORE, top_k=SHOWN)
    queries = [retriever.read(text) for text in texts]
    return {
        query.text: Alone(query, decide(query, retriever.look_up(query)[:SHOWN], hits, alone))
        for query, hits in zip(queries, retriever.search(queries), strict=True)
    }


def decided_alone(texts: Sequence[str], policy: Policy) -> dict[str, Mapping]:
    """Return the mapping of each condition that is one by itself, without doubt or a frame."""
    read = read_alone(texts, policy).items()
    return {text: alone.mapping for text, alone in read if alone.is_sure}
