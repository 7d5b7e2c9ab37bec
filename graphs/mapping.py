"""The mapping graph: translate, normalise, look up, retrieve, rerank, choose, decide.

The graph maps a batch of texts in one run: LangGraph's cost per run is then shared, and the
encoder and the index work on many texts at once. Its state is plain JSON.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.choose_candidate import CHOOSE_CANDIDATE
from ..agents.outcome import Abstained, Done, Outcome
from ..agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ..errors import UsageError
from ..ontology.base import COMMUNITY
from ..ontology.mapping import Candidate, Mapping, band_of, read_mapping
from ..ontology.reading.normalise import normalise_text
from ..ontology.reading.query import (
    Query,
    listed_parts,
    read_query,
    split_diagnoses,
    what_is_not_there,
    why_not_a_diagnosis,
)
from ..ontology.reading.refusal import load_refusal_model, named
from ..ontology.search.features import FeatureMaker
from ..ontology.search.rerank import Ranked, RankingModel, rerank, shortlist
from ..ontology.search.retrieve import Hit, Retriever
from ..ontology.specificity import Specificity, at_specificity

if TYPE_CHECKING:
    from ..agents.engine.models import AnyJudge
    from ..agents.engine.run import Run

__all__ = ["Candidate", "Chooser", "Mapping", "MappingParts", "mapping_graph", "mapping_node"]

SURE = 0.9
"""With rerank="ambiguous", the embedded score from which no model is asked."""

_OFFICIAL = ("official", "inclusion", "includes")
_EQUAL = 0.86  # the share of equal synonyms that were right on the dev sets
_SHOWN = 15  # terms of one code that exact look-up weighs


class MappingInput(TypedDict):
    """What goes into the graph."""

    texts: list[str]


class MappingOutput(TypedDict):
    """What comes out: one mapping for each text, in order, as plain JSON (`read_mapping`)."""

    mappings: list[dict[str, Any]]


class _State(MappingInput, MappingOutput, total=False):
    translations: list[dict[str, Any]]
    exact: list[list[int]]
    hits: list[list[list[Any]]]


@dataclass(frozen=True)
class Chooser:
    """A model that chooses among the candidates.

    `rerank`: ask for all texts, for the ambiguous ones only (no exact term, and an embedded
    score below `SURE`), or for none. `fallback`: "embedded" to keep the embedded choice, and
    the text untranslated, where the model fails; None to report the failure. `shuffle`: a seed
    for the order of the candidates. `translate`: first put every text into English.
    """

    judge: "AnyJudge"
    run: "Run | None" = None
    rerank: Literal["all", "ambiguous", "none"] = "all"
    fallback: Literal["embedded"] | None = None
    shuffle: int | None = None
    translate: bool = False

    def __post_init__(self) -> None:
        if self.rerank not in {"all", "ambiguous", "none"}:
            raise UsageError(f"rerank is {self.rerank!r}; it is all, ambiguous or none")
        if self.rerank == "none" and not self.translate:
            raise UsageError("rerank is none, and nothing else is asked of the model")
        if self.fallback not in {None, "embedded"}:
            raise UsageError(f"fallback is {self.fallback!r}; it is embedded or nothing")


@dataclass(frozen=True)
class MappingParts:
    """What the nodes work with: loaded once, shared by every run of the graph."""

    retriever: Retriever
    features: FeatureMaker
    model: RankingModel
    top_k: int = 15
    min_score: float = 0.0
    specificity: Specificity = "concept"
    chooser: Chooser | None = None


def mapping_graph(parts: MappingParts) -> Any:
    """Compile the graph: {"texts": [...]} in, {"mappings": [...]} out.

    Usable as a node of another StateGraph whose state has these two keys; `mapping_node` fits
    one text under keys of your own.
    """
    from langgraph.graph import END, START, StateGraph

    work = _Work(parts)
    graph = StateGraph(_State, input_schema=MappingInput, output_schema=MappingOutput)
    graph.add_node("look_up", work.look_up)
    graph.add_node("retrieve", work.retrieve)
    graph.add_node("rerank", work.rerank)
    if parts.chooser and parts.chooser.translate:
        graph.add_node("translate", work.translate)
        graph.add_edge(START, "translate")
        graph.add_edge("translate", "look_up")
    else:
        graph.add_edge(START, "look_up")
    graph.add_edge("look_up", "retrieve")
    graph.add_edge("retrieve", "rerank")
    if parts.chooser:
        graph.add_node("choose", work.choose)
        graph.add_edge("rerank", "choose")
        graph.add_edge("choose", END)
    else:
        graph.add_edge("rerank", END)
    return graph.compile(name="mapping")


def map_embedded(parts: MappingParts, texts: list[str]) -> list[dict[str, Any]]:
    """The mappings of the graph without its last node: no model is asked.

    Runs the same nodes in the same order. Without a model there is nothing to wait for, and
    importing LangGraph takes longer than mapping a hundred texts.
    """
    work = _Work(parts)
    state: Any = {"texts": texts}
    for node in (work.look_up, work.retrieve, work.rerank):
        state |= node(state)
    mappings: list[dict[str, Any]] = state["mappings"]
    return mappings


def mapping_node(parts: MappingParts, *, read: str = "diagnosis", write: str = "mapping") -> Any:
    """A node for somebody else's graph: maps state[read] and writes the mapping as JSON."""
    graph = mapping_graph(parts)

    def node(state: dict[str, Any]) -> dict[str, Any]:
        result = graph.invoke({"texts": [state[read]]})
        return {write: result["mappings"][0]}

    return node


@dataclass(frozen=True)
class _Work:
    """The nodes."""

    parts: MappingParts

    def translate(self, state: _State) -> dict[str, Any]:
        from .step import run_step_sync

        chooser = self.parts.chooser
        assert chooser
        texts = state["texts"]
        asked = [place for place, text in enumerate(texts) if is_translated(text)]
        inputs = [{"diagnosis": texts[place]} for place in asked]
        outcomes = run_step_sync(TRANSLATE_DIAGNOSIS, inputs, judge=chooser.judge, run=chooser.run)
        assert isinstance(outcomes, list)
        said = dict(zip(asked, map(_translation, outcomes), strict=True))
        return {"translations": [said.get(place, {}) for place in range(len(texts))]}

    def look_up(self, state: _State) -> dict[str, Any]:
        queries = [self.parts.retriever.read(text) for text in _searched(state)]
        return {"exact": [self.parts.retriever.look_up(query)[:_SHOWN] for query in queries]}

    def retrieve(self, state: _State) -> dict[str, Any]:
        queries = [self.parts.retriever.read(text) for text in _searched(state)]
        found = self.parts.retriever.search(queries)
        return {"hits": [[list(hit) for hit in hits] for hits in found]}

    def rerank(self, state: _State) -> dict[str, Any]:
        mappings = []
        texts = _searched(state)
        for text, exact, found in zip(texts, state["exact"], state["hits"], strict=True):
            query = self.parts.retriever.read(text)
            hits = [Hit(*hit) for hit in found]
            ranked = rerank(query, hits, self.parts.features, self.parts.model)
            ranked = self._exact_first(ranked, exact)
            mappings.append(self._decide(query, ranked, bool(exact)))
        if "translations" in state:
            told = zip(mappings, state["texts"], state["translations"], strict=True)
            mappings = [self._translated(*each) for each in told]
        return {"mappings": [mapping.as_json() for mapping in mappings]}

    def choose(self, state: _State) -> dict[str, Any]:
        from .step import run_step_sync

        chooser = self.parts.chooser
        assert chooser
        mappings = [read_mapping(plain) for plain in state["mappings"]]
        asked = [place for place, mapping in enumerate(mappings) if is_asked(mapping, chooser)]
        inputs = [question(mappings[place], chooser) for place in asked]
        outcomes = run_step_sync(CHOOSE_CANDIDATE, inputs, judge=chooser.judge, run=chooser.run)
        assert isinstance(outcomes, list)
        for place, outcome in zip(asked, outcomes, strict=True):
            mappings[place] = self._chosen(mappings[place], outcome, chooser)
        return {"mappings": [mapping.as_json() for mapping in mappings]}

    def _translated(self, mapping: Mapping, text: str, said: dict[str, Any]) -> Mapping:
        """The mapping of what was searched as that of the text; without a translation failed."""
        parts = split_diagnoses(text)
        held = replace(mapping, text=text, parts=parts if len(parts) > 1 else ())
        chooser = self.parts.chooser
        assert chooser
        if said.get("english"):
            remark = _of_translation(said["english"], held.reason)
            return replace(held, translation=said["english"], reason=remark)
        if said.get("none"):
            none = _without_code(held)
            return replace(none, status="unmapped", decided_by="llm", reason=said["none"])
        if not said or chooser.fallback == "embedded":
            why = filter(None, (said.get("failed"), held.reason))
            return replace(held, reason="; ".join(why) or None)
        return failed_mapping(replace(held, candidates=()), said["failed"])

    def _exact_first(self, ranked: list[Ranked], rows: Sequence[int]) -> list[Ranked]:
        """Candidates with the codes of equal terms in front, the most official first."""
        if not rows:
            return ranked
        terms = self.parts.retriever.index.terms
        best: dict[str, tuple[int, int]] = {}
        for row in rows:
            rank = self._rank(row)
            best[terms[row].code] = min(best.get(terms[row].code, (9, row)), (rank, row))
        place = {each.hit.code: number for number, each in enumerate(ranked)}
        order = sorted(best, key=lambda code: (best[code][0], place.get(code, 999), code))
        front = [self._equal_term(code, best[code][1], ranked, place) for code in order]
        front.sort(key=lambda each: -each.score)
        cap = front[-1].score
        rest = (each for each in ranked if each.hit.code not in best)
        return front + [each._replace(score=min(each.score, cap)) for each in rest]

    def _equal_term(
        self, code: str, row: int, ranked: list[Ranked], place: dict[str, int]
    ) -> Ranked:
        term = self.parts.retriever.index.terms[row]
        why = f"same text as the {term.source} term {term.text!r}"
        held = ranked[place[code]] if code in place else None
        hit = held.hit if held else Hit(code, row, 0, 1.0, 1.0, 1.0, False)
        return Ranked(hit._replace(row=row), self._equal_score(row), why)

    def _rank(self, row: int) -> int:
        """How official a term is: the project's own follow the official, further sources both."""
        source = self.parts.retriever.index.terms[row].source
        known = (*_OFFICIAL, COMMUNITY)
        return known.index(source) if source in known else len(known)

    def _equal_score(self, row: int) -> float:
        """Never above that of an equal synonym, for a term of a further source."""
        source = self.parts.retriever.index.terms[row].source
        if source in _OFFICIAL:
            return 1.0
        weights = self.parts.retriever.weights
        return round(_EQUAL * float(weights[row] if weights is not None else 1), 4)

    def _decide(self, query: Query, ranked: list[Ranked], exact: bool) -> Mapping:
        several = split_diagnoses(query.text)
        parts = several if len(several) > 1 else ()
        shown = shortlist(ranked, self.parts.top_k, self.parts.retriever.tree)
        candidates = tuple(self._candidate(each) for each in shown)
        left = Mapping(query.text, "unmapped", candidates=candidates, parts=parts)
        if query.refusal:
            return replace(left, reason=query.refusal)
        if not candidates:
            return replace(left, reason="nothing in the knowledge base is close")
        first = candidates[0]
        if not exact and (reason := self._why_refused(query, first)):
            said = _remark(replace(query, set_aside=""), parts)
            return replace(left, score=first.score, reason="; ".join(filter(None, (reason, said))))
        chosen = self._settle(left, first, "exact" if exact else "embedded")
        return replace(chosen, reason=self._said_of(chosen, query))

    def _said_of(self, chosen: Mapping, query: Query) -> str | None:
        """What is to be known of a mapping that has a code."""
        if (chosen.code or "").startswith("Z"):  # names a history itself
            query = replace(query, set_aside="")
        return _remark(query, chosen.parts, self._listed(chosen))

    def _listed(self, mapping: Mapping) -> tuple[str, ...]:
        """The diagnoses that commas or "and" part, where each part is a term by itself.

        None where the chosen term or name holds all words ("Anemia, iron deficiency").
        """
        if mapping.decided_by == "exact" or mapping.parts or mapping.translation:
            return ()
        parts = listed_parts(mapping.text)
        chosen = normalise_text(f"{mapping.term} {mapping.name}").split()
        if set(normalise_text(" ".join(parts)).split()) <= set(chosen):
            return ()
        return parts if all(map(self._is_known, parts)) else ()

    def _is_known(self, text: str) -> bool:
        return bool(self.parts.retriever.look_up(read_query(text)))

    def _why_refused(self, query: Query, first: Candidate) -> str | None:
        """Why a text is no diagnosis, or none of the base."""
        floor = self.parts.min_score
        if floor <= 0:
            return None
        denied = what_is_not_there(query.text)
        if denied and self._is_known(denied):
            return f"says that it is not there: {denied}"
        spelt = self.parts.retriever.spelling.corrected(query.forms[0].text)
        if why := named(query.text) or named(spelt):
            return why
        model = load_refusal_model()
        if why := model.refuse(model.read(query, self.parts.retriever.is_term), first.score):
            return why
        if first.score < floor:
            best = f"{first.score:.2f} for {first.code} ({first.name})"
            return f"nothing is close: the best score, {best}, is below {floor:g}"
        return None

    def _settle(
        self, mapping: Mapping, chosen: Candidate, by: Literal["exact", "embedded", "llm"]
    ) -> Mapping:
        tree = self.parts.retriever.tree
        ranked = [candidate.code for candidate in mapping.candidates]
        code = at_specificity(
            chosen.code, self.parts.specificity, tree, ranked, mapping.translation or mapping.text
        )
        return replace(
            mapping,
            status="mapped",
            code=code,
            name=tree.name(code),
            term=chosen.term,
            source=chosen.source,
            score=chosen.score,
            decided_by=by,
            band=band_of(chosen.score, by),
        )

    def _chosen(self, mapping: Mapping, outcome: Outcome, chooser: Chooser) -> Mapping:
        if isinstance(outcome, Done):
            chosen = self._settle(mapping, mapping.candidates[outcome.value.index], "llm")
            # What was said of the embedded choice, such as that nothing is close, is void.
            remark = self._said_of(chosen, read_query(mapping.translation or mapping.text))
            if mapping.translation:
                remark = _of_translation(mapping.translation, remark)
            return replace(chosen, reason=remark)
        if isinstance(outcome, Abstained):
            none = _without_code(mapping)
            return replace(none, status="unmapped", decided_by="llm", reason=outcome.reason)
        why = f"the model failed ({outcome.kind}): {'; '.join(outcome.reasons)}"
        if chooser.fallback == "embedded" and mapping.status == "mapped":
            said = (f"embedded choice: {why}", mapping.reason)
            return replace(mapping, reason="; ".join(filter(None, said)))
        return failed_mapping(mapping, why)

    def _candidate(self, ranked: Ranked) -> Candidate:
        term = self.parts.retriever.index.terms[ranked.hit.row]
        name = self.parts.retriever.tree.name(ranked.hit.code)
        return Candidate(ranked.hit.code, name, term.text, term.source, ranked.score, ranked.why)


def failed_mapping(mapping: Mapping, why: str) -> Mapping:
    """A mapping that failed: no code, and the reason."""
    return replace(_without_code(mapping), status="failed", decided_by="none", reason=why)


def _without_code(mapping: Mapping) -> Mapping:
    return replace(mapping, code=None, name=None, term=None, source=None, score=0.0, band=None)


def is_asked(mapping: Mapping, chooser: Chooser) -> bool:
    """Whether the model is asked about an embedded mapping, or was where it kept its choice."""
    refused = mapping.status == "unmapped" and not mapping.score
    if refused or chooser.rerank == "none" or not mapping.candidates:
        return False
    sure = mapping.decided_by == "exact" or mapping.score >= SURE
    return chooser.rerank == "all" or not sure


def fell_back(mapping: Mapping, chooser: Chooser | None) -> bool:
    """Whether a mapping is the embedded choice, or of the text untranslated, by a failure alone."""
    if chooser is None or mapping.decided_by not in ("exact", "embedded"):
        return False
    untranslated = chooser.translate and mapping.translation is None
    return untranslated or is_asked(mapping, chooser)


def question(mapping: Mapping, chooser: Chooser) -> dict[str, Any]:
    """The inputs of the choosing step for an embedded mapping."""
    return {
        "diagnosis": mapping.translation or mapping.text,
        "candidates": [candidate.name for candidate in mapping.candidates],
        "shuffle": chooser.shuffle,
    }


def is_translated(text: str) -> bool:
    """Whether a model is asked to translate a text: not what holds no diagnosis anyway."""
    return why_not_a_diagnosis(text) is None


def _translation(outcome: Outcome) -> dict[str, Any]:
    """What came of a translation, in plain JSON: english, none (why) or failed (why)."""
    if isinstance(outcome, Done):
        return {"english": outcome.value.english}
    if isinstance(outcome, Abstained):
        return {"none": outcome.reason}
    return {"failed": f"not translated ({outcome.kind}): {'; '.join(outcome.reasons)}"}


def _searched(state: _State) -> list[str]:
    """The texts that are searched: the translations where there are some."""
    said = state.get("translations") or [{} for _ in state["texts"]]
    return [each.get("english") or text for each, text in zip(said, state["texts"], strict=True)]


def _of_translation(english: str, reason: str | None) -> str:
    return "; ".join(filter(None, (f"translated: {english}", reason)))


def _remark(query: Query, parts: tuple[str, ...], listed: tuple[str, ...] = ()) -> str | None:
    said = []
    if listed:
        said.append(
            f"may name {len(listed)} diagnoses and has one code; "
            f"written as {'; '.join(listed)!r} --split maps each"
        )
    if parts:
        said.append(f"{len(parts)} diagnoses in one text; --split maps each")
    for entry in query.ambiguous:
        said.append(f"{entry.short} may mean {' or '.join(entry.expansions)}")
    if query.set_aside:
        said.append(f"{query.set_aside!r} was set aside: the code is that of the condition")
    return "; ".join(said) or None
