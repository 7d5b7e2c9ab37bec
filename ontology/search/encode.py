"""Text encoders: the packaged one, any sentence-transformers model, OpenAI embeddings.

An encoder has `identity` (what makes its vectors, a part of the index key), `dimension` and
`encode(texts)`, which returns float32 unit rows of shape (len(texts), dimension).
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ...errors import AuthenticationFault, ModelFault, UsageError
from ..packaged import packaged

Vectors = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Called with (done, total) as work goes on."""

DEFAULT_MODEL = "default"
_MODEL_FOLDER = "encoder"
_BATCH = 64
_WRITES_TEXT = re.compile(r"(chat)?gpt-[345]|o[134](-|$)|claude-|gemini-|deepseek-(chat|r)")
_LONGEST = 64  # tokens; the longest official name has 58
_KNOWN = 4096  # texts whose vectors are kept: search and refusal ask for the same


class Encoder(Protocol):
    """What search needs of a text encoder."""

    identity: str
    dimension: int

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Unit row vectors of the texts, for an index."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit row vectors, each of which does not hang on the other texts."""


def open_encoder(model: str = DEFAULT_MODEL) -> Encoder:
    """The encoder that `model` names.

    `default` is the one in the package (ONNX Runtime, no torch); `openai:NAME` asks OpenAI's
    embedding endpoint (OPENAI_API_KEY); anything else is a sentence-transformers name or path.

    Raises UsageError for the bare name of a model that writes text (to look for it on a hub
    would take a minute), ModelFault where the model cannot be loaded, AuthenticationFault
    without a key.
    """
    if model == DEFAULT_MODEL:
        return packaged_encoder()
    if model.startswith("openai:"):
        return OpenAIEncoder(model.removeprefix("openai:"))
    if _WRITES_TEXT.match(model) and not Path(model).exists():
        raise UsageError(
            f"{model!r} names a model that writes text, without its provider: "
            f"openai:{model}, anthropic:{model}, or openai:{model}@http://host:port/v1"
        )
    return SentenceEncoder(model)


@lru_cache(maxsize=1)
def packaged_encoder() -> "OnnxEncoder":
    """The encoder that the package carries, loaded once."""
    with resources.as_file(packaged(_MODEL_FOLDER)) as folder:
        return OnnxEncoder(folder)


class OnnxEncoder:
    """A mean-pooled transformer in ONNX form: `model.onnx` and `tokenizer.json` in a folder."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        weights = folder / "model.onnx"
        if not weights.is_file():
            raise ModelFault(
                f"no model.onnx in {folder}; reinstall dxjudge or name another --model"
            )
        self.identity = "onnx:" + hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
        self._session = onnxruntime.InferenceSession(
            str(weights), providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(_LONGEST)
        self._tokenizer.no_padding()
        self.dimension = int(self._session.get_outputs()[0].shape[-1])
        self._known: dict[str, Vectors] = {}

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Unit row vectors of the texts, encoded in batches of like length."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        by_length = sorted(range(len(ids)), key=lambda row: len(ids[row]))
        vectors = np.zeros((len(ids), self.dimension), np.float32)
        for start in range(0, len(ids), _BATCH):
            rows = by_length[start : start + _BATCH]
            vectors[rows] = self._run([ids[row] for row in rows])
            if progress:
                progress(min(start + _BATCH, len(ids)), len(ids))
        return vectors

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit row vectors, one run a text.

        int8 arithmetic scales activations by the whole batch, so that in a batch a text's
        vector, and with it its code, would hang on its neighbours.
        """
        known = self._known  # another thread may put another one in its place
        new = [text for text in dict.fromkeys(texts) if text not in known]
        encodings = self._tokenizer.encode_batch(new)
        made = {
            text: self._run([encoding.ids]) for text, encoding in zip(new, encodings, strict=True)
        }
        rows = [made[text] if text in made else known[text] for text in texts]
        if made:
            kept = known if len(known) + len(made) <= _KNOWN else {}
            self._known = dict(islice((kept | made).items(), _KNOWN))
        return np.concatenate([np.zeros((0, self.dimension), np.float32), *rows])

    def words(self) -> frozenset[str]:
        """The words that the tokeniser knows whole: common English ones, mostly."""
        return frozenset(word for word in self._tokenizer.get_vocab() if word.isalpha())

    def _run(self, ids: list[list[int]]) -> Vectors:
        tokens = np.zeros((len(ids), max(map(len, ids))), np.int64)
        mask = np.zeros_like(tokens)
        for row, of_row in enumerate(ids):
            tokens[row, : len(of_row)] = of_row
            mask[row, : len(of_row)] = 1
        vectors: Vectors = self._session.run(None, {"input_ids": tokens, "attention_mask": mask})[0]
        return vectors


class SentenceEncoder:
    """Any sentence-transformers model, by name or path."""

    def __init__(self, model: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer

            self._model: Any = SentenceTransformer(model)
        except Exception as error:
            raise ModelFault(
                f"cannot load the sentence-transformers model {model!r}: {error}. Give a folder "
                "that holds it, or a hub name on a machine that reaches the hub (a model that "
                "writes text has its provider before its name: openai:gpt-4o)"
            ) from error
        self.dimension = int(self._model.get_embedding_dimension() or 0)
        self.identity = f"sentence-transformers:{model}:{self._fingerprint()}"

    def _fingerprint(self) -> str:
        """A digest of what the model answers to fixed texts: a path may hold new weights."""
        probe = self.encode(["myocardial infarction", "asthma"])
        return hashlib.sha256(np.round(probe, 3).tobytes()).hexdigest()[:12]

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Unit row vectors of the texts."""
        parts: list[Vectors] = []
        for start in range(0, len(texts), 1024):
            chunk = list(texts[start : start + 1024])
            parts.append(
                self._model.encode(chunk, normalize_embeddings=True, show_progress_bar=False)
            )
            if progress:
                progress(min(start + 1024, len(texts)), len(texts))
        empty = np.zeros((0, self.dimension), np.float32)
        return np.concatenate([empty, *parts]).astype(np.float32)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as `encode`: float arithmetic does not mix the texts of a batch."""
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
        """Unit row vectors of the texts, in requests of 512."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), 512):
            chunk = [text or " " for text in texts[start : start + 512]]
            rows += [row.embedding for row in self._ask(chunk).data]
            if progress:
                progress(len(rows), len(texts))
        vectors = np.asarray(rows, np.float32).reshape(len(rows), -1)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = vectors / np.maximum(norms, 1e-12)
        return unit

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as `encode`."""
        return self.encode(texts)

    def _ask(self, chunk: list[str]) -> Any:
        import openai

        try:
            return self._client.embeddings.create(model=self._name, input=chunk)
        except openai.AuthenticationError as error:
            raise AuthenticationFault("OpenAI refused the key in OPENAI_API_KEY") from error
        except openai.OpenAIError as error:
            raise ModelFault(f"the embedding model {self.identity} failed: {error}") from error
