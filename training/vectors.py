"""Write the vectors of the default base that the package carries.

    python training/vectors.py

Run it after a change of the encoder; after a change of the terms it saves users the encoding of
the new ones. Terms that the file of the same encoder already holds are not encoded again: a
vector does not depend on the other texts. All of them take about four minutes on one core.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from dxjudge.ontology.base import default_terms
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.search.encode import open_encoder
from dxjudge.ontology.search.shipped import FILE, as_bytes, digests
from dxjudge.ontology.tree import load_tree

OUTPUT = Path(__file__).parents[1] / "ontology" / "data" / FILE


def main() -> None:
    """Encode and write."""
    encoder = open_encoder()
    texts = list(dict.fromkeys(normalise_text(term.text) for term in default_terms(load_tree())))
    texts = [text for text in texts if text]
    keys = digests(texts)
    vectors = _vectors_of(OUTPUT, encoder.identity)
    new = [
        (key, text) for key, text in zip(keys.tolist(), texts, strict=True) if key not in vectors
    ]
    encoded = as_bytes(encoder.encode([text for _, text in new], _show))
    vectors.update(zip([key for key, _ in new], encoded, strict=True))
    keys = np.sort(keys)
    rows = np.stack([vectors[key] for key in keys.tolist()])
    np.savez(OUTPUT, encoder=np.array(encoder.identity), keys=keys, rows=rows)
    print(f"{OUTPUT.name}: {OUTPUT.stat().st_size / 1e6:.1f} MB")


def _vectors_of(path: Path, encoder: str) -> dict[int, npt.NDArray[np.int8]]:
    """Return the rows of a file by key; none where it is missing or another encoder made it."""
    if not path.is_file():
        return {}
    with np.load(path) as content:
        if str(content["encoder"]) != encoder:
            return {}
        return dict(zip(content["keys"].tolist(), content["rows"], strict=True))


def _show(done: int, total: int) -> None:
    print(f"{done:,} of {total:,} terms", end="\r" if done < total else "\n", flush=True)


if __name__ == "__main__":
    main()
