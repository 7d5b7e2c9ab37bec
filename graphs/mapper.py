"""Map free-text diagnoses to ICD-10 codes, one or many at a time."""

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from importlib import metadata
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from ..errors import UsageError
from ..files.folders import cache_folder
from ..files.frames import frame_texts, is_frame, like, whole, with_added
from ..files.short import short
from ..ontology.base import check_scope, default_terms, recipe
from ..ontology.confidence import load_confidence_model
from ..ontology.mapping import Candidate, Mapping, read_mapping
from ..ontology.packaged import packaged, word_lists
from ..ontology.policy import MIN_SCORE, Policy
from ..ontology.reading.style import check_style
from ..ontology.release import Release
from ..ontology.releases.listed import DEFAULT
from ..ontology.search.encode import open_encoder
from ..ontology.search.features import make_features
from ..ontology.search.index import Stage, open_index
from ..ontology.search.rerank import load_ranking_model
from ..ontology.search.retrieve import make_retriever
from ..ontology.sources.added import AddedSource, added_terms, check_added, select_added
from ..ontology.sources.catalogue import default_weight
from ..ontology.sources.forms import read_source
from ..ontology.specificity import check_specificity
from ..ontology.terms import Term
from ..ontology.tree import Tree, load_tree
from .chooser import Chooser, is_judge
from .many import map_beginnings, mapping_columns, texts_of
from .mapping import MappingParts, map_embedded, mapping_graph

if TYPE_CHECKING:  # these modules take long to import
    from ..agents.engine.judges import AnyJudge
    from ..agents.engine.run import Run

_BATCH = 512  # texts in one run without a model: those of one length are encoded together
_ASKED = 64  # texts in one run with a model
_REMEMBERED = 20_000  # mappings that a stream keeps; each takes some kilobytes


class Mapper:
    """Maps diagnoses to codes. Nothing is loaded before the first text.

    Args:
        ontology: "icd10cm", "icd10", your own `Release`, or the file that contains one
            ("path/release.py:NAME").
        model: the embedding model ("default" comes with the package; a sentence-transformers name
            or folder; "openai:text-embedding-3-large"), or a judge ("openai:gpt-4o",
            "anthropic:…"), which has the same effect as `judge`.
        sources: files of further terms (`read_source`), with the default weight of a user's source.
        added: which sources of `dxjudge sources add` to use: "all" (the active ones), "none", or a
            list of names.
        scope: which chapters are searched ("chapters", "diagnoses", "everything"); None means the
            scope of the release, which is "chapters" for ICD-10-CM.
        top_k: the number of candidates to rank and show.
        min_score: a text whose best candidate has a lower score is unmapped.
        style: "chart", or "form" for hospital forms; `find_style` (ontology/reading/style.py) finds
            that of a column.
        specificity: "concept", "category" or "billable"; None is "billable" for forms, else
            "concept".
        judge: a model that chooses among the candidates.
        run: cache, limits and budget of the judge.
        rerank: for which texts the judge chooses: "all", "ambiguous", or with `translate` "none".
        fallback: "embedded" keeps the embedded choice where the judge fails; with None the text
            fails.
        shuffle: a seed, to show the candidates to the judge in a random order.
        translate: whether the judge first translates the texts into English.
        chroma: the address of a Chroma server, or "embedded".
        folder: where the index is kept.
        rebuild: whether the index is built again.
        progress: called with (stage, done, total) while an index is built.

    Raises:
        UsageError: for a bad option, at once; faults of the model or the index are raised when they
            are first used.
    """

    def __init__(
        self,
        ontology: str | Release = DEFAULT,
        *,
        model: str = "default",
        sources: Sequence[str | Path] = (),
        added: Literal["all", "none"] | Sequence[str] = "all",
        scope: str | None = None,
        top_k: int = 15,
        min_score: float | None = None,
        specificity: str | None = None,
        style: str = "chart",
        judge: "AnyJudge | None" = None,
        run: "Run | None" = None,
        rerank: Literal["all", "ambiguous", "none"] = "all",
        fallback: Literal["embedded"] | None = None,
        shuffle: int | None = None,
        translate: bool = False,
        chroma: str | None = None,
        folder: Path | None = None,
        rebuild: bool = False,
        progress: Stage | None = None,
    ) -> None:
        if top_k < 1:
            raise UsageError(f"top_k is {top_k}; it must be at least 1")
        if is_judge(model):
            if judge is not None:
                raise UsageError(
                    f"model={model!r} and judge={judge!r} are both judges; name only one"
                )
            model, judge = "default", model
        self.ontology = ontology
        self.top_k = top_k
        self.min_score = MIN_SCORE if min_score is None else min_score
        self.style = check_style(style)
        of_style = "billable" if self.style == "form" else "concept"
        self.specificity = check_specificity(specificity or of_style)
        if translate and not judge:
            raise UsageError("translate needs a judge, which is the model that translates")
        self.chooser = Chooser(judge, run, rerank, fallback, shuffle, translate) if judge else None
        self._model = model
        self._sources = tuple(Path(source) for source in sources)
        self._which = added
        if scope is not None:
            check_scope(scope)
        self._scope = scope
        self._chroma = chroma
        self._folder = folder
        self._rebuild = rebuild
        self._progress = progress

    def __repr__(self) -> str:
        release = self.ontology if isinstance(self.ontology, str) else self.ontology.name
        judge = f", judge={short(self.chooser.judge)}" if self.chooser else ""
        return f"Mapper({release!r}, specificity={self.specificity!r}, top_k={self.top_k}{judge})"

    def __reduce__(self) -> Any:
        """Pickle only the settings; a copy opens the index again when it is first used.

        The progress belongs to the terminal of this process.
        """
        opened = {"tree", "added", "parts", "graph"}
        settings = {name: value for name, value in vars(self).items() if name not in opened}
        settings["_progress"] = None
        return _copy_of, (pickle.dumps(settings),)

    @cached_property
    def tree(self) -> Tree:
        """The tree of the release."""
        return load_tree(self.ontology)

    @cached_property
    def added(self) -> tuple[AddedSource, ...]:
        """The added sources in use. Raises UsageError or InputError for an unusable source."""
        chosen = select_added(self._which, self.tree.release)
        check_added(chosen, self.tree.release)
        return chosen

    @cached_property
    def parts(self) -> MappingParts:
        """The parts that the nodes need. On first use, the index is built or loaded."""

        def make_terms() -> list[Term]:
            read = (read_source(path, self.tree) for path in self._sources)
            extra = [term for reading in read for term in reading.terms]
            extra += (term for source in self.added for term in added_terms(source, self.tree))
            return default_terms(self.tree, scope=self._scope, extra=extra)

        index = open_index(
            recipe(
                self.tree,
                scope=self._scope,
                sources=self._sources,
                added={source.name: source.kept[self.tree.release] for source in self.added},
            ),
            make_terms,
            open_encoder(self._model),
            self._folder or cache_folder(),
            chroma=self._chroma,
            rebuild=self._rebuild,
            progress=self._progress,
        )
        retriever = make_retriever(index, self.tree, self._weights)
        policy = Policy(
            retriever,
            make_features(retriever),
            load_ranking_model(),
            load_confidence_model(),
            self.top_k,
            self.min_score,
            self.specificity,
        )
        return MappingParts(policy, self.chooser)

    def release(self) -> None:
        """Free the memory of the index and its encoder; the next use opens them again."""
        for name in ("parts", "graph"):
            vars(self).pop(name, None)

    @property
    def _weights(self) -> dict[str, float]:
        weights = {path.name.split(".")[0]: default_weight() for path in self._sources}
        return weights | {source.name: source.weight for source in self.added}

    @cached_property
    def graph(self) -> Any:
        """The compiled LangGraph graph: {"texts": [...]} to {"mappings": [...]}."""
        return mapping_graph(self.parts)

    def map(self, text: str) -> Mapping:
        """Map one diagnosis.

        Args:
            text: the diagnosis in words; the empty text is unmapped.

        Returns:
            its mapping, which is unmapped or failed, with the reason, where it has no code.
        """
        return self.map_many([text])[0]

    @overload
    def map_many(self, texts: Iterable[str]) -> list[Mapping]: ...
    @overload
    def map_many(
        self, texts: list[dict[str, Any]], *, column: str | None = None
    ) -> list[dict[str, Any]]: ...
    @overload
    def map_many(self, texts: Any, *, column: str | None = None) -> Any: ...
    def map_many(self, texts: Any, *, column: str | None = None) -> Any:
        """Map many, in order, each distinct text once.

        Args:
            texts: any iterable of texts, a Series, or a table: a pandas frame, a polars frame (a
                lazy frame is computed, and the result is lazy again), an Arrow table or record
                batch (a reader becomes a table), a list of dicts. A missing value is an empty text.
            column: the column of the texts in a table; you can leave it out if only one column is
                possible.

        Returns:
            a list of mappings; for a table, a table of the same kind (a pandas frame keeps its
            index) with the columns of `ADDED` (graphs/many.py), code first and reason last.

        Raises:
            UsageError: if the column is not clear.
            InputError: for a value that is not a text.
        """
        if is_frame(texts):
            frame = whole(texts)
            mappings = self._map_list(frame_texts(frame, column))
            return like(with_added(frame, mapping_columns(mappings)), texts)
        if column is not None:
            raise UsageError(f"column={column!r} is for a frame, not a {type(texts).__name__}")
        return self._map_list(texts_of(texts))

    def _map_list(self, texts: list[str]) -> list[Mapping]:
        distinct = list(dict.fromkeys(texts))
        mapped = {mapping.text: mapping for batch in self.stream(distinct) for mapping in batch}
        return [mapped[text] for text in texts]

    def stream(self, texts: Iterable[str], *, choose: bool = True) -> Iterator[list[Mapping]]:
        """Map texts in batches, in order, and yield each batch as soon as it is mapped.

        A text is not mapped again if it occurred among the last thousands of texts. If the work on
        one text raises an exception, the mapping of this text is failed and contains the reason. A
        fault that concerns every text (a model, a key, the index) is raised.

        Args:
            texts: the diagnoses, which are read as they are needed.
            choose: False leaves the judge out and returns the embedded mappings.

        Yields:
            the mappings of the next texts.
        """
        asked = self.chooser is not None and choose
        left = iter(texts)
        work = self._by_graph if asked else self._without_model
        known: dict[str, Mapping] = {}
        while batch := list(islice(left, self._batch_size)):
            if len(known) > _REMEMBERED:
                known.clear()
            new = [text for text in dict.fromkeys(batch) if text not in known]
            if new:
                known.update(zip(new, map_beginnings(new, work), strict=True))
            yield [known[text] for text in batch]

    def search(self, text: str, k: int = 15) -> list[Candidate]:
        """Search the candidates of a text; no model is asked.

        Args:
            text: the diagnosis in words.
            k: how many candidates.

        Returns:
            the k best candidates with any score, the best one first.
        """
        policy = replace(self.parts.policy, top_k=k, min_score=0.0)
        plain = map_embedded(MappingParts(policy), [text])[0]
        return list(read_mapping(plain).candidates)

    @property
    def signature(self) -> dict[str, Any]:
        """Everything needed to reproduce the mappings: versions, release, terms, settings."""
        index = self.parts.retriever.index
        return {
            "dxjudge": metadata.version("dxjudge"),
            "ontology": self.tree.release,
            "edition": self.tree.version,
            **({} if self.tree.descriptor.fitted else {"fitted": False}),
            "sources": dict(index.rows.of_source),
            "weights": self._weights,
            "added": {source.name: [source.version, source.sha256[:12]] for source in self.added},
            "scope": self._scope or self.tree.descriptor.scope,
            "index": index.key,
            "encoder": index.encoder.identity,
            "reranker": _digest("reranker.json"),
            "confidence": _digest("confidence.json"),
            "refusal": _digest("refusal.npz", "non_diagnoses.txt", "encoder/model.onnx"),
            "languages": _digest("languages.npz"),
            "notes": _digest("notes.json"),
            "reading": _digest(*word_lists()),
            "top_k": self.top_k,
            "min_score": self.min_score,
            "specificity": self.specificity,
            "style": self.style,
            **(self.chooser.signature if self.chooser else {}),
        }

    @property
    def _batch_size(self) -> int:
        """The number of texts in one run of the graph; enough to keep all requests busy."""
        if self.chooser is None:
            return _BATCH
        run = self.chooser.run
        return max(_ASKED, 2 * run.width) if run else _ASKED

    def _by_graph(self, texts: list[str]) -> list[Mapping]:
        return [read_mapping(plain) for plain in self.graph.invoke({"texts": texts})["mappings"]]

    def _without_model(self, texts: list[str]) -> list[Mapping]:
        return [read_mapping(plain) for plain in map_embedded(self.parts, texts)]


@lru_cache(maxsize=2)
def _copy_of(settings: bytes) -> Mapper:
    """Return a mapper with these settings; it is kept, because a pool unpickles it many times."""
    mapper = Mapper.__new__(Mapper)
    vars(mapper).update(pickle.loads(settings))
    return mapper


@lru_cache
def _digest(*names: str) -> str:
    """Return a short SHA-256 of files of the package's term data."""
    content = b"".join(packaged(name).read_bytes() for name in names)
    return hashlib.sha256(content).hexdigest()[:12]
