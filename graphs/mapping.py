"""Define the mapping graph: translate, look up, retrieve, rerank, choose.

The graph maps a batch of texts in one run. So the texts share LangGraph's cost per run, and the
encoder and the index work on many texts at once. The state is plain JSON. The rules for all
decisions are in `ontology.decide`, those after a model in `ontology.chosen`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.outcome import Abstained, Done, Outcome
from ..ontology.chosen import (
    chosen_by_model,
    is_translated,
    model_failed,
    none_by_model,
    of_translation,
    untranslated,
)
from ..ontology.decide import decide
from ..ontology.further import with_further
from ..ontology.mapping import Mapping, read_mapping
from ..ontology.notes.alone import SHOWN
from ..ontology.notes.listed import with_first_listed
from ..ontology.notes.narrated import with_told_diagnosis
from ..ontology.policy import Policy
from ..ontology.search.retrieve import Hit, Retriever
from .chooser import Chooser


class MappingInput(TypedDict):
    """The input of the graph."""

    texts: list[str]


class MappingOutput(TypedDict):
    """The output: one mapping for each text, in order, as plain JSON (see `read_mapping`)."""

    mappings: list[dict[str, Any]]


class _State(MappingInput, MappingOutput, total=False):
    translations: list[dict[str, Any]]
    exact: list[list[int]]
    hits: list[list[list[Any]]]


@dataclass(frozen=True)
class MappingParts:
    """The parts that the nodes need; they are loaded once and shared by all runs of the graph."""

    policy: Policy
    chooser: Chooser | None = None

    @property
    def retriever(self) -> Retriever:
        """The retriever that searches the terms."""
        return self.policy.retriever


_Node = Callable[[MappingParts, _State], dict[str, Any]]


def mapping_graph(parts: MappingParts) -> Any:
    """Compile the graph: {"texts": [...]} in, {"mappings": [...]} out.

    The graph can be a node of another StateGraph whose state has these two keys. `mapping_node`
    maps one text, and you choose the keys.

    Args:
        parts: the index, the policy and the model that chooses, as in `Mapper.parts`.

    Returns:
        the compiled graph: `{"texts": [...]}` in, `{"mappings": [...]}` out.
    """
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(_State, input_schema=MappingInput, output_schema=MappingOutput)
    before = START
    for name, node in nodes(parts.chooser):
        graph.add_node(name, partial(node, parts))
        graph.add_edge(before, name)
        before = name
    graph.add_edge(before, END)
    return graph.compile(name="mapping")


def map_embedded(parts: MappingParts, texts: list[str]) -> list[dict[str, Any]]:
    """Return the mappings of the graph without a model.

    Runs the same nodes in the same order, but without LangGraph, because importing it takes
    longer than mapping 100 texts.
    """
    state: Any = {"texts": texts}
    for _, node in nodes(None):
        state |= node(replace(parts, chooser=None), state)
    mappings: list[dict[str, Any]] = state["mappings"]
    return mappings


def mapping_node(parts: MappingParts, *, read: str = "diagnosis", write: str = "mapping") -> Any:
    """Return a node for your own graph: it maps state[read] and writes the mapping as JSON.

    Args:
        parts: the index, the policy and the model that chooses, as in `Mapper.parts`.
        read: the key of the state that holds the text.
        write: the key of the state for the mapping, as plain JSON.

    Returns:
        a node for a StateGraph.
    """
    graph = mapping_graph(parts)

    def node(state: dict[str, Any]) -> dict[str, Any]:
        result = graph.invoke({"texts": [state[read]]})
        return {write: result["mappings"][0]}

    return node


def nodes(chooser: Chooser | None) -> tuple[tuple[str, _Node], ...]:
    """Return the nodes in order; the nodes that ask a model are left out if there is none."""
    left_out = set() if chooser else {"translate", "choose"}
    if chooser and not chooser.translate:
        left_out = {"translate"}
    return tuple((name, node) for name, node in _NODES if name not in left_out)


def _translate(parts: MappingParts, state: _State) -> dict[str, Any]:
    assert parts.chooser
    texts = state["texts"]
    asked = [place for place, text in enumerate(texts) if is_translated(text)]
    outcomes = parts.chooser.in_english([texts[place] for place in asked])
    translations = dict(zip(asked, map(_translation, outcomes), strict=True))
    return {"translations": [translations.get(place, {}) for place in range(len(texts))]}


def _look_up(parts: MappingParts, state: _State) -> dict[str, Any]:
    parts.retriever.prepare(_searched(state))
    queries = [parts.retriever.read(text) for text in _searched(state)]
    return {"exact": [list(parts.retriever.look_up(query)[:SHOWN]) for query in queries]}


def _retrieve(parts: MappingParts, state: _State) -> dict[str, Any]:
    queries = [parts.retriever.read(text) for text in _searched(state)]
    hits_of_queries = parts.retriever.search(queries)
    return {"hits": [[list(hit) for hit in hits] for hits in hits_of_queries]}


def map_wholes(parts: MappingParts, texts: list[str]) -> list[Mapping]:
    """Return the mappings of texts before the parts of notes are read (ontology/notes)."""
    state: Any = {"texts": texts}
    return _of_wholes(parts, state | _look_up(parts, state) | _retrieve(parts, state))


def _of_wholes(parts: MappingParts, state: _State) -> list[Mapping]:
    policy = _wide(parts.policy)
    mappings = [
        decide(parts.retriever.read(text), equal, list(map(Hit._make, hits)), policy)
        for text, equal, hits in zip(_searched(state), state["exact"], state["hits"], strict=True)
    ]
    return with_first_listed(with_further(mappings, policy), policy)


def _wide(policy: Policy) -> Policy:
    """Return the policy with as many candidates as are shown by default, however few are asked for.

    What a first code leaves the others would depend on their number.
    """
    return replace(policy, top_k=max(policy.top_k, SHOWN))


def _as_shown(mapping: Mapping, top_k: int) -> Mapping:
    shown = mapping.candidates[:top_k]
    return mapping if len(mapping.candidates) <= top_k else replace(mapping, candidates=shown)


def _rerank(parts: MappingParts, state: _State) -> dict[str, Any]:
    told = with_told_diagnosis(_of_wholes(parts, state), _wide(parts.policy))
    mappings = [_as_shown(mapping, parts.policy.top_k) for mapping in told]
    if parts.chooser and "translations" in state:
        keep = parts.chooser.fallback == "embedded"
        rows = zip(mappings, state["texts"], state["translations"], strict=True)
        mappings = [_with_translation(*row, keep) for row in rows]
    return {"mappings": [mapping.as_json() for mapping in mappings]}


def _choose(parts: MappingParts, state: _State) -> dict[str, Any]:
    assert parts.chooser
    mappings = [read_mapping(plain) for plain in state["mappings"]]
    asked = [place for place, mapping in enumerate(mappings) if parts.chooser.is_asked(mapping)]
    outcomes = parts.chooser.choose([mappings[place] for place in asked])
    for place, outcome in zip(asked, outcomes, strict=True):
        mappings[place] = _with_choice(mappings[place], outcome, parts)
    return {"mappings": [mapping.as_json() for mapping in mappings]}


_NODES: tuple[tuple[str, _Node], ...] = (
    ("translate", _translate),
    ("look_up", _look_up),
    ("retrieve", _retrieve),
    ("rerank", _rerank),
    ("choose", _choose),
)


def _translation(outcome: Outcome) -> dict[str, Any]:
    """Return a translation as plain JSON with the key english, none or failed (with reason)."""
    if isinstance(outcome, Done):
        return {"english": outcome.value.english}
    if isinstance(outcome, Abstained):
        return {"none": outcome.reason}
    return {"failed": f"not translated ({outcome.kind}): {'; '.join(outcome.reasons)}"}


def _searched(state: _State) -> list[str]:
    """Return the texts to search: the translation of each text, or the text if there is none."""
    translations = state.get("translations") or [{} for _ in state["texts"]]
    pairs = zip(translations, state["texts"], strict=True)
    return [translation.get("english") or text for translation, text in pairs]


def _with_translation(
    mapping: Mapping, text: str, translation: dict[str, Any], keep: bool
) -> Mapping:
    """Return the mapping of the searched text as the mapping of the original text."""
    if english := translation.get("english"):
        return of_translation(mapping, text, english)
    own = untranslated(mapping, text, translation.get("failed", ""), keep=keep)
    return none_by_model(own, translation["none"]) if translation.get("none") else own


def _with_choice(mapping: Mapping, outcome: Outcome, parts: MappingParts) -> Mapping:
    if isinstance(outcome, Done):
        return chosen_by_model(mapping, outcome.value.index, parts.policy)
    if isinstance(outcome, Abstained):
        return none_by_model(mapping, outcome.reason)
    assert parts.chooser
    why = f"the model failed ({outcome.kind}): {'; '.join(outcome.reasons)}"
    return model_failed(mapping, why, keep=parts.chooser.fallback == "embedded")
