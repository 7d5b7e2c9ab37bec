"""Text encoders: the packaged one, any sentence-transformers model, OpenAI embeddings.

An encoder has `identity` (it changes whenever the vectors may change, and is part of the index
key), `dimension`, and `encode(texts)`, which returns float32 unit rows of shape
(len(texts), dimension), rounded to a grid (`on_grid`).
"""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ...errors import AuthenticationFault, MissingExtra, ModelFault, UsageError
from ..packaged import packaged
from .wordpiece import WordPiece

Vectors = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Called with (done, total) while texts are encoded."""

GRID = 2048
"""The numbers of a vector are multiples of 1 / GRID."""

DEFAULT_MODEL = "default"
_MODEL_FOLDER = "encoder"
_BATCH = 32
_WRITES_TEXT = re.compile(r"(chat)?gpt-[345]|o[134](-|$)|claude-|gemini-|deepseek-(chat|r)")
_LONGEST = 64  # tokens; the longest official name has 58
_KNOWN = 4096  # texts whose vectors are kept, since search and refusal encode the same texts


class Encoder(Protocol):
    """A text encoder, as search uses it."""

    identity: str
    dimension: int

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return unit row vectors of the texts, on the grid."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the same vectors, for texts that may be encoded again soon."""


def on_grid(vectors: npt.NDArray[np.floating[Any]]) -> Vectors:
    """Round to multiples of 1/2048.

    The product of two such unit rows is a sum of multiples of 2**-22 below 2. float32 adds these
    without rounding, so the cosine does not depend on the order in which a library or processor
    adds.
    """
    rounded: Vectors = (np.round(vectors * GRID) / GRID).astype(np.float32)
    return rounded


def in_steps(vectors: Vectors) -> npt.NDArray[np.int16]:
    """Return vectors on the grid as whole numbers of its steps."""
    steps: npt.NDArray[np.int16] = (vectors * GRID).astype(np.int16)
    return steps


def open_encoder(model: str = DEFAULT_MODEL) -> Encoder:
    """Return the encoder that `model` names.

    `default` is the one in the package (ONNX Runtime, no torch). `openai:NAME` asks OpenAI's
    embedding endpoint (OPENAI_API_KEY). Any other text is a sentence-transformers name or path.

    Raises UsageError for the name of a model that writes text without its provider (a search on a
    hub would take a minute), MissingExtra without sentence-transformers, ModelFault where the model
    cannot be loaded, and AuthenticationFault without a key.
    """
    if model == DEFAULT_MODEL:
        return packaged_encoder()
    if model.startswith("openai:"):
        return OpenAIEncoder(model.removeprefix("openai:"))
    if _WRITES_TEXT.match(model) and not Path(model).exists():
        raise UsageError(
            f"{model!r} names a model that writes text; put its provider before it: "
            f"openai:{model}, anthropic:{model}, or openai:{model}@http://host:port/v1"
        )
    return SentenceEncoder(model)


@lru_cache(maxsize=1)
def packaged_encoder() -> "OnnxEncoder":
    """Return the encoder that the package carries, loaded once."""
    with resources.as_file(packaged(_MODEL_FOLDER)) as folder:
        return OnnxEncoder(folder)


class OnnxEncoder:
    """A mean-pooled transformer in ONNX form: `model.onnx` and `tokenizer.json` in a folder.

    A text's vector is the same in every batch, on any number of cores, on x86-64 processors with
    and without AVX-512, and with every release of onnxruntime that the package allows.
    training/arithmetic.py explains how, and tests/test_arithmetic.py checks it.

    threads: how many batches are encoded at once.
    """

    def __init__(self, folder: Path) -> None:
        import onnxruntime

        weights, vocabulary = folder / "model.onnx", folder / "tokenizer.json"
        if not weights.is_file():
            raise ModelFault(
                f"no model.onnx in {folder}; reinstall dxjudge or name another --model"
            )
        content = weights.read_bytes()
        digest = hashlib.sha256(content + vocabulary.read_bytes()).hexdigest()[:16]
        self.identity = f"onnx:{digest}:float32:{GRID}"
        self._session = onnxruntime.InferenceSession(
            content, _options(), providers=["CPUExecutionProvider"]
        )
        self._tokenizer = WordPiece(vocabulary, _LONGEST)
        self.dimension = int(self._session.get_outputs()[0].shape[-1])
        self._known: dict[str, Vectors] = {}
        self.threads = os.cpu_count() or 1

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return unit row vectors of the texts, on the grid, encoded in batches of equal length."""
        ids = list(map(self._tokenizer.encode, texts))
        vectors = np.zeros((len(ids), self.dimension), np.float32)
        batches = list(_of_equal_length(ids))
        done = 0
        with ThreadPoolExecutor(self.threads) as pool:
            tokens = ([ids[row] for row in rows] for rows in batches)
            for rows, part in zip(batches, pool.map(self._run, tokens), strict=True):
                vectors[rows] = part
                done += len(rows)
                if progress:
                    progress(done, len(ids))
        return on_grid(vectors)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the same vectors; those of the last texts are kept."""
        known = self._known  # another thread may replace the dictionary meanwhile
        new = [text for text in dict.fromkeys(texts) if text not in known]
        fresh = dict(zip(new, self.encode(new), strict=True)) if new else {}
        rows = [fresh[text] if text in fresh else known[text] for text in texts]
        if fresh:
            of_texts = {text: known[text] for text in texts if text in known}
            kept = known if len(known) + len(fresh) <= _KNOWN else of_texts
            self._known = dict(islice((kept | fresh).items(), _KNOWN))
        return np.array(rows, np.float32).reshape(len(rows), self.dimension)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that are one token each: mostly common English words."""
        return frozenset(word for word in self._tokenizer.vocabulary if word.isalpha())

    def _run(self, ids: list[list[int]]) -> Vectors:
        """Return the vectors of lists of token ids, which all have one length."""
        tokens = np.asarray(ids, np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        vectors: Vectors = self._session.run(None, inputs)[0]
        return vectors


def _options() -> Any:
    """Return settings of onnxruntime with which the numbers are the same on every machine.

    A batch runs on one thread, because several threads divide its sums by the number of cores;
    several batches run at once instead. Only the basic optimisations are on, which fold constants:
    the others replace operators by fused ones, which round differently in each release.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return options


def _of_equal_length(ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the rows of texts with equally many tokens, the shortest first, at most `_BATCH`.

    Without padding, the arithmetic for a text does not depend on the other texts of its batch.
    """
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for row, tokens in enumerate(ids):
        by_length[len(tokens)].append(row)
    for _, rows in sorted(by_length.items()):
        for start in range(0, len(rows), _BATCH):
            yield rows[start : start + _BATCH]


class SentenceEncoder:
    """Any sentence-transformers model, by name or path."""

    def __init__(self, model: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as fault:
            raise MissingExtra(f"the encoder {model!r}", "encoders", fault) from fault
        try:
            self._model: Any = SentenceTransformer(model)
        except Exception as error:
            raise ModelFault(
                f"cannot load the sentence-transformers model {model!r}: {error}; give a folder "
                "that holds it, or a hub name on a machine that reaches the hub (a model that "
                "writes text needs its provider before its name: openai:gpt-4o)"
            ) from error
        self.dimension = int(self._model.get_embedding_dimension() or 0)
        self.identity = f"sentence-transformers:{model}:{self._fingerprint()}"

    def _fingerprint(self) -> str:
        """Return a digest of the vectors of fixed texts, since a path may hold new weights."""
        probe = self.encode(["myocardial infarction", "asthma"])
        return hashlib.sha256(np.round(probe, 3).tobytes()).hexdigest()[:12]

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return unit row vectors of the texts."""
        parts: list[Vectors] = []
        for start in range(0, len(texts), 1024):
            chunk = list(texts[start : start + 1024])
            parts.append(
                self._model.encode(chunk, normalize_embeddings=True, show_progress_bar=False)
            )
            if progress:
                progress(min(start + 1024, len(texts)), len(texts))
        empty = np.zeros((0, self.dimension), np.float32)
        return on_grid(np.concatenate([empty, *parts]))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the same vectors as `encode`."""
        return self.encode(texts)


class OpenAIEncoder:
    """OpenAI's embedding endpoint; the key comes from OPENAI_API_KEY."""

    def __init__(self, name: str) -> None:
        import openai

        self.identity = f"openai:{name}"
        self._name = name
        try:
            self._client = openai.OpenAI()
        except openai.OpenAIError as error:
            raise AuthenticationFault(
                f"the embedding model openai:{name} needs a key: set OPENAI_API_KEY"
            ) from error
        self.dimension = self.encode(["asthma"]).shape[1]

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return unit row vectors of the texts, asked for in requests of 512 texts."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), 512):
            chunk = [text or " " for text in texts[start : start + 512]]
            rows += [row.embedding for row in self._ask(chunk).data]
            if progress:
                progress(len(rows), len(texts))
        vectors = np.asarray(rows, np.float32).reshape(len(rows), -1)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return on_grid(vectors / np.maximum(norms, 1e-12))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the same vectors as `encode`."""
        return self.encode(texts)

    def _ask(self, chunk: list[str]) -> Any:
        import openai

        try:
            return self._client.embeddings.create(model=self._name, input=chunk)
        except openai.AuthenticationError as error:
            raise AuthenticationFault("OpenAI refused the key in OPENAI_API_KEY") from error
        except openai.OpenAIError as error:
            raise ModelFault(f"the embedding model {self.identity} failed: {error}") from error
