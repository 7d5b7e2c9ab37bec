"""The search index of a term base: built once, kept in a folder, checked when loaded.

A folder holds `manifest.json`, `terms.json`, `vectors.npy` (float16 unit rows), the lexical
index, and a Chroma collection of the same vectors (or its name on a Chroma server). The
folder's name is the key of all that makes the index: what the rows come from, the encoder and
the format.
"""

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import IndexFault
from .chroma import Collection, build_collection, open_collection
from .encode import Encoder
from .lexical import LexicalIndex, build_lexical, read_lexical
from .normalise import normalise_text
from .terms import Term

FORMAT = 2
_FILES = ("terms.json", "vectors.npy", "lexical.npz", "lexical.json")
Stage = Callable[[str, int, int], None]
"""Progress of a build: (stage, done, total)."""


@dataclass(frozen=True)
class Index:
    """A loaded index; row i of every part is term i."""

    key: str
    terms: tuple[Term, ...]
    folded: tuple[str, ...]
    vectors: npt.NDArray[np.float16]
    lexical: LexicalIndex
    collection: Collection
    encoder: Encoder


def index_key(recipe: str, encoder: Encoder) -> str:
    """The digest of what makes an index: a change of any part makes another index."""
    content = f"{FORMAT}\n{encoder.identity}\n{recipe}"
    return hashlib.sha256(content.encode()).hexdigest()[:24]


def open_index(
    recipe: str,
    make_terms: Callable[[], Sequence[Term]],
    encoder: Encoder,
    folder: Path,
    *,
    chroma: str | None = None,
    rebuild: bool = False,
    progress: Stage | None = None,
) -> Index:
    """Load the index of some terms from the cache folder; build it where there is none.

    `recipe` names all that the terms come from (`base.recipe`): they are made only when an index
    has to be built, which is what lets a run start fast. `chroma` is the address of a Chroma
    server to hold the vectors in place of the embedded one. Two processes may call this at
    once: one builds, the other waits. A damaged index is rebuilt, with a warning.

    Raises IndexFault where it cannot be built (the message says what to do).
    """
    key = index_key(recipe, encoder)
    home = folder / "index" / key
    with _only_one(home):
        if home.exists() and not rebuild:
            try:
                return _load(home, key, encoder, chroma)
            except Exception as error:
                warnings.warn(f"the index in {home} is damaged ({error}); rebuilding", stacklevel=2)
        terms = make_terms()
        if not terms:
            raise IndexFault("no terms to index: the chosen scope and sources hold none")
        _build(home, key, terms, encoder, chroma, progress)
        try:
            return _load(home, key, encoder, chroma)
        except Exception as error:
            raise IndexFault(f"the index just built in {home} cannot be read: {error}") from error


@contextmanager
def _only_one(home: Path) -> Any:
    from filelock import FileLock

    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(f"{home}.lock")
        lock.acquire()
    except OSError as error:
        raise IndexFault(
            f"cannot write the index folder {home.parent}: {error}. "
            "Set DXJUDGE_CACHE_DIR to a folder that can be written"
        ) from error
    try:
        yield
    finally:
        lock.release()


def _build(
    home: Path,
    key: str,
    terms: Sequence[Term],
    encoder: Encoder,
    chroma: str | None,
    progress: Stage | None,
) -> None:
    for left in home.parent.glob(f"{key}.part-*"):  # of a build that was killed
        shutil.rmtree(left, ignore_errors=True)
    part = home.with_name(f"{key}.part-{os.getpid()}")
    try:
        part.mkdir()
        _write_parts(part, key, terms, encoder, chroma, progress)
        shutil.rmtree(home, ignore_errors=True)
        part.rename(home)
    except OSError as error:
        raise IndexFault(f"cannot write the index in {home}: {error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _write_parts(
    part: Path,
    key: str,
    terms: Sequence[Term],
    encoder: Encoder,
    chroma: str | None,
    progress: Stage | None,
) -> None:
    folded = [normalise_text(term.text) for term in terms]
    encoded = encoder.encode(
        folded, (lambda done, total: progress("encoding", done, total)) if progress else None
    )
    rounded = encoded.astype(np.float16)
    np.save(part / "vectors.npy", rounded)
    build_lexical(folded).write(part)
    rows = [[*term, text] for term, text in zip(terms, folded, strict=True)]
    (part / "terms.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    build_collection(
        part,
        key,
        rounded.astype(np.float32),
        chroma,
        (lambda done, total: progress("indexing", done, total)) if progress else None,
    )
    manifest = {
        "format": FORMAT,
        "key": key,
        "encoder": encoder.identity,
        "rows": len(rows),
        "files": {name: _digest(part / name) for name in _FILES},
    }
    (part / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _load(home: Path, key: str, encoder: Encoder, chroma: str | None) -> Index:
    manifest = json.loads((home / "manifest.json").read_text("utf-8"))
    if manifest["format"] != FORMAT or manifest["key"] != key:
        raise IndexFault("its manifest is of another index")
    for name, digest in manifest["files"].items():
        if _digest(home / name) != digest:
            raise IndexFault(f"{name} has changed since it was written")
    rows = json.loads((home / "terms.json").read_text("utf-8"))
    vectors = np.load(home / "vectors.npy", mmap_mode="r")
    collection = open_collection(home, key, vectors, chroma)
    return Index(
        key,
        tuple(Term(text, code, source) for text, code, source, _ in rows),
        tuple(row[3] for row in rows),
        vectors,
        read_lexical(home),
        collection,
        encoder,
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
