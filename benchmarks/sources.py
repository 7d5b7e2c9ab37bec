"""Measure how another source of terms, and its weight, change hit@1 and hit@15.

    python benchmarks/sources.py --gold FOLDER FILE [FILE ...] [--weights 1 0.95 0.9 0.8]
        [--shuffle 0.2] [--unseen] [--json FILE]

FILE is any file that `read_source` reads. FOLDER contains tables `NAME-dev.tsv` as for
benchmarks/mapping.py. The first line of the output is the base alone. Then follow each file alone,
once for each weight, and all files together. `--shuffle` adds each file once more, with this share
of its codes replaced by the code of a random sibling, to measure a source with errors. `--unseen`
leaves out the terms of a source that equal a text of the tables. Use it if the tables were made
from the source: the result shows the value of the source for texts that it does not contain. Each
text is encoded only once, so that numbers can differ in the last digit from those of an index that
was built at once.
"""

import argparse
import csv
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dxjudge.graphs.mapping import MappingParts, mapping_graph
from dxjudge.ontology.base import default_terms, recipe
from dxjudge.ontology.confidence import load_confidence_model
from dxjudge.ontology.mapping import read_mapping
from dxjudge.ontology.policy import Policy
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.search.encode import Encoder, Progress, Vectors, open_encoder
from dxjudge.ontology.search.features import make_features
from dxjudge.ontology.search.index import Index, open_index
from dxjudge.ontology.search.rerank import load_ranking_model
from dxjudge.ontology.search.retrieve import make_retriever
from dxjudge.ontology.sources.forms import read_source
from dxjudge.ontology.terms import Term
from dxjudge.ontology.tree import Tree, load_tree

_BATCH = 64


class Remembering:
    """An encoder that encodes each text once; queries and index terms are kept separately."""

    def __init__(self, encoder: Encoder) -> None:
        self.identity = f"{encoder.identity} remembered"
        self.dimension = encoder.dimension
        self._encoder = encoder
        self._terms: dict[str, Any] = {}
        self._queries: dict[str, Any] = {}

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return unit row vectors of the texts."""
        return _remembered(self._terms, texts, self._encoder.encode)

    def know(self, index: Index) -> None:
        """Take over the vectors of an index."""
        self._terms.update(zip(index.folded, index.vectors.of(slice(None)), strict=True))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return unit row vectors of queries."""
        return _remembered(self._queries, texts, self._encoder.encode_queries)


def _remembered(
    known: dict[str, Any], texts: Sequence[str], encode: Callable[[list[str]], Vectors]
) -> Vectors:
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if new:
        known.update(zip(new, encode(new), strict=True))
    return np.asarray([known[text] for text in texts], np.float32)


def unseen(terms: list[Term], gold: Path) -> list[Term]:
    """Return the terms that do not equal a text of the tables."""
    texts = {
        normalise_text(row["text"])
        for path in gold.glob("*-dev.tsv")
        for row in csv.DictReader(path.open(encoding="utf-8"), delimiter="\t")
    }
    return [term for term in terms if normalise_text(term.text) not in texts]


def shuffled(terms: list[Term], share: float, tree: Tree) -> list[Term]:
    """Return the terms with a share of their codes replaced by the code of a random sibling."""
    dice = random.Random(1)
    wrong = []
    for term in terms:
        parent = tree.parent(term.code)
        near = [node.code for node in tree.children(parent) if parent] if parent else []
        others = [code for code in near if code != term.code and "-" not in code]
        moved = others and dice.random() < share
        wrong.append(term._replace(code=dice.choice(others)) if moved else term)
    return wrong


def measure(policy: Policy, gold: Path) -> dict[str, dict[str, float]]:
    """Return by table hit@1 and hit@15 in percent, and the number of texts that equal a term."""
    graph = mapping_graph(MappingParts(replace(policy, min_score=0.0)))
    results = {}
    for path in sorted(gold.glob("*-dev.tsv")):
        rows = list(csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"))
        texts = [row["text"] for row in rows]
        mappings = []
        for start in range(0, len(texts), _BATCH):
            mappings += graph.invoke({"texts": texts[start : start + _BATCH]})["mappings"]
        ranks = []
        for row, plain in zip(rows, mappings, strict=True):
            codes = [candidate.code for candidate in read_mapping(plain).candidates]
            accepted = set(row["codes"].split("|"))
            ranks.append(next((n for n, code in enumerate(codes) if code in accepted), 99))
        results[path.stem.removesuffix("-dev")] = {
            "hit@1": 100 * sum(rank < 1 for rank in ranks) / len(ranks),
            "hit@15": 100 * sum(rank < 15 for rank in ranks) / len(ranks),
            "exact": sum(plain["decided_by"] == "exact" for plain in mappings),
        }
    return results


def main() -> None:
    """Measure the base, and each source at each weight."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--weights", nargs="+", type=float, default=[1, 0.95, 0.9, 0.85, 0.8])
    options.add_argument("--shuffle", type=float)
    options.add_argument("--unseen", action="store_true")
    options.add_argument("--folder", type=Path, default=Path("build/benchmark-cache"))
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    tree, encoder = load_tree(), Remembering(open_encoder())
    read = {path.name.split(".")[0]: list(read_source(path, tree).terms) for path in chosen.files}
    if chosen.unseen:
        read = {name: unseen(terms, chosen.gold) for name, terms in read.items()}
    cases: dict[str, list[Term]] = {"base": []} | read
    if chosen.shuffle:
        for name, terms in read.items():
            wrong = shuffled(terms, chosen.shuffle, tree)
            cases[f"{name}, {chosen.shuffle:.0%} wrong"] = wrong
    if len(read) > 1:
        cases["together"] = [term for terms in read.values() for term in terms]
    results = {}
    for name, extra in cases.items():
        index = open_index(
            f"{recipe(tree)} {name} {len(extra)}",
            lambda extra=extra: default_terms(tree, extra=extra),  # type: ignore[misc]
            encoder,
            chosen.folder,
        )
        encoder.know(index)
        rows = sum(term.source in read for term in index.terms)
        for weight in chosen.weights if extra else [1]:
            retriever = make_retriever(index, tree, dict.fromkeys(read, weight))
            models = load_ranking_model(), load_confidence_model()
            policy = Policy(retriever, make_features(retriever), *models)
            results[f"{name} at {weight:g}"] = by_table = measure(policy, chosen.gold)
            cells = "  ".join(
                f"{table} {hits['hit@1']:5.1f} / {hits['hit@15']:5.1f} ({hits['exact']} exact)"
                for table, hits in by_table.items()
            )
            print(f"{name:22} {rows:7,} rows  weight {weight:4}  {cells}", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
