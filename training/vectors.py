"""Write the vectors of the default base that the package carries.

    python training/vectors.py

Run it after a change of the encoder; after a change of the terms it saves users the encoding of
the new ones. Each term is encoded by itself, as a query is: in a batch, int8 arithmetic would make
its vector hang on its neighbours. About five minutes on one core.
"""

from pathlib import Path

import numpy as np

from dxjudge.ontology.base import default_terms
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.search.encode import open_encoder
from dxjudge.ontology.search.shipped import FILE, as_bytes, digests
from dxjudge.ontology.tree import load_tree

OUTPUT = Path(__file__).parents[1] / "ontology" / "data" / FILE
PART = 2000


def main() -> None:
    """Encode and write."""
    encoder = open_encoder()
    texts = list(dict.fromkeys(normalise_text(term.text) for term in default_terms(load_tree())))
    texts = [text for text in texts if text]
    keys = digests(texts)
    parts = []
    for start in range(0, len(texts), PART):
        parts.append(as_bytes(encoder.encode_queries(texts[start : start + PART])))
        print(f"{min(start + PART, len(texts)):,} of {len(texts):,} terms", flush=True)
    order = np.argsort(keys)
    rows = np.concatenate(parts)[order]
    np.savez(OUTPUT, encoder=np.array(encoder.identity), keys=keys[order], rows=rows)
    print(f"{OUTPUT.name}: {OUTPUT.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
