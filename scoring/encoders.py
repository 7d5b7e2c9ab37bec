"""Load text encoders by name, for semantic scores and BERTScore.

- `load_encoder("sentence-transformers/all-MiniLM-L6-v2")`, or a folder with such a model.
- `load_encoder("open_clip:ViT-B-32/laion2b_s34b_b79k")` or `"open_clip:hf-hub:OWNER/NAME"` for the
  text tower of a CLIP model.
- `load_encoder("dermlip")` for DermLIP.

The weights must be on this machine: nothing is downloaded unless `allow_download` is set.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import MissingExtra, ModelFault
from .bootstrap import Floats

_FRAME = ("cls", "sep", "bos", "eos", "pad")

DERMLIP = "open_clip:hf-hub:redlessone/DermLIP_ViT-B-16"


def load_encoder(
    name: str, *, device: str | None = None, allow_download: bool = False
) -> "SentenceEncoder | ClipEncoder":
    """Load the text encoder `name`; the docstring of the module lists the forms.

    Args:
        name: a name or a folder, in one of these forms.
        device: where torch computes, such as cpu or cuda; by default torch decides.
        allow_download: whether weights may be fetched from the network.

    Returns:
        an encoder of texts (and, for CLIP models, of images).

    Raises:
        MissingExtra: its library is missing; the message names the pip command.
        ModelFault: the weights are not on this machine or cannot be read.
    """
    full = DERMLIP if name.casefold() == "dermlip" else name
    with _offline(not allow_download):
        if full.startswith("open_clip:"):
            return ClipEncoder(full.removeprefix("open_clip:"), device)
        return SentenceEncoder(full, device)


@contextmanager
def _offline(active: bool) -> Iterator[None]:
    """Keep the Hugging Face client off the network while it looks for weights."""
    try:
        from huggingface_hub import constants
    except ImportError:  # then the encoder's own library is missing too, and its extra is named
        yield
        return
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = active or before
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


class SentenceEncoder:
    """A sentence-transformers model; also gives token vectors, for BERTScore."""

    def __init__(self, name: str, device: str | None) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as fault:
            raise MissingExtra(f"encoder {name!r}", "encoders", fault) from fault
        self.name = name
        try:
            self._model = SentenceTransformer(name, device=device)
        except Exception as error:
            raise _no_weights(name, error) from error

    def encode(self, texts: Sequence[str]) -> Floats:
        """Encode n texts into an n x d array."""
        return np.asarray(self._run(texts), dtype=float)

    def encode_tokens(self, texts: Sequence[str]) -> list[Floats]:
        """Encode each text into a tokens x d array, without the tokens that frame and pad it."""
        tokenizer = self._model.tokenizer
        special = {getattr(tokenizer, f"{name}_token_id", None) for name in _FRAME}
        encoded = self._run(texts, output_value=None)
        return [_own_tokens(one["input_ids"], one["token_embeddings"], special) for one in encoded]

    def _run(self, texts: Sequence[str], **options: Any) -> Any:
        return self._model.encode(list(texts), show_progress_bar=False, **options)


def _own_tokens(ids: Any, vectors: Any, special: set[int | None]) -> Floats:
    kept = [position for position, token in enumerate(ids.tolist()) if token not in special]
    return np.asarray(vectors.cpu(), dtype=float)[kept]


class ClipEncoder:
    """The text tower of an open_clip model: `hf-hub:OWNER/NAME`, or `MODEL/TAG or file`."""

    def __init__(self, name: str, device: str | None) -> None:
        try:
            import open_clip
        except ImportError as fault:
            raise MissingExtra(f"encoder {name!r}", "clip", fault) from fault
        self.name = name
        model, _, pretrained = (name, "", "") if ":" in name else name.partition("/")
        self._device = device or "cpu"
        try:
            _check_pretrained(open_clip, name, model, pretrained)
            self._model = open_clip.create_model(
                model, pretrained=pretrained or None, device=self._device
            ).eval()
            self._tokenizer = open_clip.get_tokenizer(model)
        except Exception as error:
            raise _no_weights(name, error) from error

    def encode(self, texts: Sequence[str]) -> Floats:
        """Encode n texts into an n x d array."""
        import torch

        with torch.no_grad():
            tokens = self._tokenizer(list(texts)).to(self._device)
            return np.asarray(self._model.encode_text(tokens).float().cpu(), dtype=float)


def _check_pretrained(open_clip: Any, name: str, model: str, pretrained: str) -> None:
    """Refuse unknown weights, because open_clip would then use random ones."""
    if ":" in name or os.path.exists(pretrained):
        return
    tags = open_clip.list_pretrained_tags_by_model(model)
    if pretrained not in tags:
        known = ", ".join(tags) or "none"
        raise ValueError(f"{pretrained!r} is neither a file nor a known set of weights ({known})")


def _no_weights(name: str, error: Exception) -> ModelFault:
    reason = str(error).strip().split("\n")[0]
    return ModelFault(
        f"encoder {name!r} cannot be loaded: {reason}; give a folder with its weights, or "
        "set allow_download"
    )
