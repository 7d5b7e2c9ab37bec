"""Train the embedded reranker on terms hidden from the index, and calibrate its score.

    python training/reranker.py --gold FOLDER

Each query is a term of the knowledge base (or a rewrite of one, `variants.py`); rows equal to it
are hidden, so that the code has to be found by its other terms. Further queries are official names
in the short style of coders' forms, whose names stay in the index. FOLDER holds `*-dev.tsv`
tables (text, codes): they set the numbers of the calibration and nothing else. Without
--gold the calibration that is in the file stays.
"""

import argparse
import csv
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import listwise
import numpy as np
from listwise import Examples, Numbers
from variants import chart, form_entry, short_forms, single_meanings, variant

from dxjudge.files.folders import cache_folder
from dxjudge.ontology.base import default_terms, recipe
from dxjudge.ontology.search.encode import open_encoder
from dxjudge.ontology.search.features import FEATURES, make_features
from dxjudge.ontology.search.index import open_index
from dxjudge.ontology.search.rerank import RankingModel, doubts
from dxjudge.ontology.search.retrieve import Retriever, make_retriever
from dxjudge.ontology.tree import load_tree

OUTPUT = Path(__file__).parents[1] / "ontology" / "data" / "reranker.json"
NETWORKS = 3  # trained from different seeds, their logits averaged: one seed may be off by a point
FUSED_PULL = 28.0
# Official names and inclusion terms read unlike what people write, and lie by themselves on
# their codes: few of them, or the model learns to answer "other specified".
DRAWN = {"official": 0.02, "inclusion": 0.1, "includes": 0.3}
CHARTS, REWRITTEN = 0.25, 0.25  # of the terms: read like entries of a chart, rewritten by a rule


def main() -> None:
    """Train, calibrate, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--gold", type=Path)
    options.add_argument("--queries", type=int, default=9000)
    options.add_argument("--forms", type=int, default=4000)
    options.add_argument("--epochs", type=int, default=15)
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    tree = load_tree()
    index = open_index(recipe(tree), lambda: default_terms(tree), open_encoder(), cache_folder())
    retriever = make_retriever(index, tree)
    blind = replace(retriever, leave_one_out=True)
    rng = random.Random(chosen.seed)
    queries = hidden_terms(retriever, chosen.queries, rng)
    examples = collect(blind, queries)
    entries = form_entries(retriever, chosen.forms, rng)
    examples += collect(retriever, entries)
    queries += entries
    print(f"{len(queries)} queries, {len(examples)} with the code among the candidates")
    seeds = range(chosen.seed, chosen.seed + NETWORKS)
    networks = [fit(examples, chosen.epochs, seed) for seed in seeds]
    model = {"features": list(FEATURES), **listwise.rounded(listwise.averaged(networks))}
    model["calibration"] = (
        calibrate(retriever, model, chosen.gold) if chosen.gold else held_calibration()
    )
    OUTPUT.write_text(json.dumps(model) + "\n", encoding="utf-8")


def hidden_terms(
    retriever: Retriever, count: int, rng: random.Random
) -> list[tuple[str, frozenset[str]]]:
    """Terms to look for, each with the codes that it names, the telling sources first."""
    by_text: dict[str, set[str]] = {}
    chosen: list[str] = []
    for term, folded in zip(retriever.index.terms, retriever.index.folded, strict=True):
        by_text.setdefault(folded, set()).add(term.code)
        several = len(retriever.index.rows.of_code[term.code]) > 1
        if several and rng.random() < DRAWN.get(term.source, 1.0):
            chosen.append(term.text)
    rng.shuffle(chosen)
    picked = chosen[:count]
    folded_of = {
        term.text: text
        for term, text in zip(retriever.index.terms, retriever.index.folded, strict=True)
    }
    shorts = short_forms(single_meanings())

    def written(text: str) -> str:
        draw = rng.random()
        if draw < CHARTS:
            return chart(text, rng, shorts, chosen)
        return variant(text, rng, {}) if draw < CHARTS + REWRITTEN else text

    return [(written(text), frozenset(by_text[folded_of[text]])) for text in picked]


def form_entries(
    retriever: Retriever, count: int, rng: random.Random
) -> list[tuple[str, frozenset[str]]]:
    """Official names of leaves in the style of coders' forms; a name that stays equal is left out.

    Blocks of the tree have as many names as codes, so injuries, with a code for each side, are
    drawn at a third of the rate of the others.
    """
    shorts = short_forms(single_meanings())
    terms = [
        term
        for term in retriever.index.terms
        if term.source == "official"
        and retriever.tree.is_billable(term.code)
        and (term.code[0] not in "SVWXY" or rng.random() < 0.3)
    ]
    entries = ((form_entry(term.text, rng, shorts), term) for term in rng.sample(terms, count))
    return [
        (text, frozenset({term.code}))
        for text, term in entries
        if not retriever.look_up(retriever.read(text))
    ]


def collect(retriever: Retriever, queries: Sequence[tuple[str, frozenset[str]]]) -> Examples:
    """Features of the candidates of each query and which of them are right."""
    features = make_features(retriever)
    examples: Examples = []
    for start in range(0, len(queries), 64):
        part = [(retriever.read(text), codes) for text, codes in queries[start : start + 64]]
        found = retriever.search([query for query, _ in part])
        for (query, codes), hits in zip(part, found, strict=True):
            right = np.array([hit.code in codes for hit in hits])
            if right.any():
                examples.append((features.rows(query, hits), right))
    return examples


def fit(examples: Examples, epochs: int, seed: int) -> Numbers:
    """Train one network, and pull it towards the fused score.

    The hidden terms read more like the base than what users write: without this pull the model
    trusts its finer features too far (hit@1 on the development sets: -1 point).
    """
    model = listwise.fit(examples, epochs, seed)
    towards_fused = np.where(np.array(FEATURES) == "fused", FUSED_PULL * model["scale"], 0.0)
    return model | {"skip": model["skip"] + towards_fused}


def calibrate(retriever: Retriever, model: dict[str, Any], gold: Path) -> list[float]:
    """Fit the numbers of the calibration: the likeliest for "this candidate" or "none is right"."""
    from scipy.optimize import minimize

    arrays = {name: np.asarray(model[name], np.float64) for name in model if name != "features"}
    ranking = RankingModel(**arrays, calibration=np.zeros(2))
    cases = [
        case
        for path in sorted(gold.glob("*-dev.tsv"))
        for case in calibration_cases(retriever, ranking, path)
    ]

    width = max(len(logits) for logits, _, _ in cases)
    every = np.full((len(cases), width), -np.inf)  # the candidates' logits, the best first
    doubt = np.array([of_case for _, of_case, _ in cases])
    right = np.zeros((len(cases), width + 1), bool)  # the last column: none of them
    for place, (logits, _, accepted) in enumerate(cases):
        every[place, : len(logits)] = logits
        right[place, [-1 if choice == len(logits) else choice for choice in accepted]] = True

    def loss(numbers: np.ndarray[Any, Any]) -> float:
        slope, lead, *weights = numbers
        odds = np.column_stack([slope * every, doubt @ weights])
        odds[:, 0] += lead
        wanted = np.logaddexp.reduce(np.where(right, odds, -np.inf), axis=1)
        penalty = 1e-4 * float(np.square(numbers).sum())
        return penalty + float((np.logaddexp.reduce(odds, axis=1) - wanted).mean())

    start = np.array([1.0, 0.0, *np.zeros(len(cases[0][1]))])
    fitted = minimize(
        loss,
        start,
        method="L-BFGS-B",
        bounds=[(0.05, None), (0, None)] + [(None, None)] * (len(start) - 2),
    )
    print(f"calibrated on {len(cases)} rows, loss {fitted.fun:.4f}: {fitted.x.round(3)}")
    return [round(float(number), 4) for number in fitted.x]


def calibration_cases(retriever: Retriever, ranking: RankingModel, path: Path) -> list[Any]:
    """For each text: logits below the first, the first one's doubts, the right places.

    The last place means that no candidate is right. Texts that equal a term never come to the
    network, and the conditions of texts with a frame become factors after it: both are left out.
    """
    features = make_features(retriever)
    cases = []
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    asked = [(retriever.read(row["text"]), row["codes"].split("|")) for row in rows]
    asked = [case for case in asked if not (retriever.look_up(case[0]) or case[0].frame)]
    for start in range(0, len(asked), 64):
        part = asked[start : start + 64]
        found = retriever.search([query for query, _ in part])
        for (query, accepted), hits in zip(part, found, strict=True):
            if hits:
                numbers = features.rows(query, hits)
                logits = ranking.logits(numbers)
                order = np.argsort(-logits, kind="stable")
                right = [at for at, hit in enumerate(order) if hits[hit].code in accepted]
                doubt = doubts(numbers, int(order[0]))
                cases.append((logits[order] - logits[order[0]], doubt, right or [len(order)]))
    return cases


def held_calibration() -> list[float]:
    """The calibration in the file that is there."""
    held: list[float] = json.loads(OUTPUT.read_text("utf-8"))["calibration"]
    return held


if __name__ == "__main__":
    main()
