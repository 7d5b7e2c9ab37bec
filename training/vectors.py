"""Write the vectors of the default base that the package carries.

    python training/vectors.py

Run it after a change of the encoder; after a change of the terms it saves users the encoding of
the new ones. About four minutes on one core.
"""

from pathlib import Path

import numpy as np

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
    order = np.argsort(keys)
    rows = as_bytes(encoder.encode(texts, _show))[order]
    np.savez(OUTPUT, encoder=np.array(encoder.identity), keys=keys[order], rows=rows)
    print(f"{OUTPUT.name}: {OUTPUT.stat().st_size / 1e6:.1f} MB")


def _show(done: int, total: int) -> None:
    print(f"{done:,} of {total:,} terms", end="\r" if done < total else "\n", flush=True)


if __name__ == "__main__":
    main()
