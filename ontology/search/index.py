"""The search index of a term base: built once, kept in a folder, checked when loaded.

A folder holds `manifest.json`, `terms.json`, `vectors.npy` (unit rows in steps of the grid), the
lexical index, and, where a user asked for it, a Chroma collection of the same vectors. The
folder's name is a digest of everything that the index depends on: the origin of the terms, the
encoder and the format.
"""

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import IndexFault
from ..reading.normalise import normalise_text
from ..terms import Term
from .chroma import EMBEDDED, Collection, check_chroma, one_builder, open_collection, open_server
from .encode import Encoder, in_steps
from .lexical import LexicalIndex, build_lexical
from .nearest import TermVectors
from .shipped import encode_terms
from .term_rows import FILES, FORMAT, TermRows, digest_of, load_rows

Stage = Callable[[str, int, int], None]
"""Progress of a build: (stage, done, total)."""


@dataclass(frozen=True)
class Index:
    """A loaded index; row i of every part is term i."""

    key: str
    rows: TermRows
    collection: Collection
    encoder: Encoder

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms."""
        return self.rows.terms

    @property
    def folded(self) -> tuple[str, ...]:
        """The terms as normalised texts."""
        return self.rows.folded

    @property
    def vectors(self) -> TermVectors:
        """The vectors of the terms."""
        return self.rows.vectors

    @property
    def lexical(self) -> LexicalIndex:
        """The index of their letters."""
        return self.rows.lexical


def index_key(recipe: str, encoder: Encoder) -> str:
    """Return a digest of everything that an index depends on: another digest, another index."""
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

    `recipe` is the digest of everything that the terms are made from (`base.recipe`). The terms
    themselves are only made when an index must be built, so that a run starts fast. `chroma` is
    "embedded" or the address of a Chroma server that holds the vectors; without it a text is
    compared with all terms. Two processes may call this at once: one builds, the other waits. A
    damaged index is built again, with a warning.

    Raises IndexFault where the index cannot be built, MissingExtra for `chroma` without chromadb;
    the message says what to do.
    """
    key = index_key(recipe, encoder)
    home = folder / "index" / key
    if chroma:
        check_chroma()
    client = open_server(chroma) if chroma and chroma != EMBEDDED else None
    with one_builder(home):
        kept = _kept(home, key) if not rebuild else None
        if kept is None:
            terms = make_terms()
            if not terms:
                raise IndexFault("the chosen scope and sources hold no term to search")
            _build(home, key, terms, encoder, progress)
            try:
                kept = load_rows(home, key)
            except Exception as error:
                raise IndexFault(
                    f"the index just built in {home} cannot be read: {error}"
                ) from error
        collection = open_collection(
            home,
            key,
            kept.vectors,
            client,
            (lambda done, total: progress("indexing", done, total)) if progress else None,
            embedded=chroma == EMBEDDED,
            rebuild=rebuild,
        )
    return Index(key, kept, collection, encoder)


def _kept(home: Path, key: str) -> TermRows | None:
    if not home.exists():
        return None
    try:
        return load_rows(home, key)
    except Exception as error:
        warnings.warn(f"the index in {home} is damaged ({error}); rebuilding", stacklevel=3)
        return None


def _build(
    home: Path,
    key: str,
    terms: Sequence[Term],
    encoder: Encoder,
    progress: Stage | None,
) -> None:
    for left in home.parent.glob(f"{key}.part-*"):  # of a build that was killed
        shutil.rmtree(left, ignore_errors=True)
    part = home.with_name(f"{key}.part-{os.getpid()}")
    try:
        part.mkdir()
        _write_parts(part, key, terms, encoder, progress)
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
    progress: Stage | None,
) -> None:
    folded = [normalise_text(term.text) for term in terms]
    encoded = encode_terms(
        encoder,
        folded,
        (lambda done, total: progress("encoding", done, total)) if progress else None,
    )
    np.save(part / "vectors.npy", in_steps(encoded))
    build_lexical(folded).write(part)
    rows = [[*term, text] for term, text in zip(terms, folded, strict=True)]
    (part / "terms.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    manifest = {
        "format": FORMAT,
        "key": key,
        "encoder": encoder.identity,
        "rows": len(rows),
        "files": {name: digest_of(part / name) for name in FILES},
    }
    (part / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
