"""Train the embedded reranker on terms hidden from the index, and calibrate its score.

    python training/reranker.py --gold FOLDER

Each query is a term of the knowledge base (or a rewrite of one, `variants.py`); rows equal to it
are hidden, so that the code has to be found by its other terms. FOLDER holds `*-dev.tsv`
tables (text, codes): they set the three numbers of the calibration and nothing else. Without
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

import numpy as np
import torch
from variants import chart, short_forms, single_meanings, variant

from dxjudge.files.folders import cache_folder
from dxjudge.ontology.base import default_terms, recipe
from dxjudge.ontology.reading.query import Query
from dxjudge.ontology.search.encode import open_encoder
from dxjudge.ontology.search.features import FEATURES, FeatureMaker, make_features
from dxjudge.ontology.search.index import open_index
from dxjudge.ontology.search.retrieve import Retriever, make_retriever
from dxjudge.ontology.tree import load_tree

OUTPUT = Path(__file__).parents[1] / "ontology" / "data" / "reranker.json"
HIDDEN = 16
NETWORKS = 3  # trained from different seeds, their logits averaged: one seed may be off by a point
FUSED_PULL = 20.0
# Official names and inclusion terms read unlike what people write, and lie by themselves on
# their codes: few of them, or the model learns to answer "other specified".
DRAWN = {"official": 0.02, "inclusion": 0.1, "includes": 0.3}
CHARTS, REWRITTEN = 0.25, 0.25  # of the terms: read like entries of a chart, rewritten by a rule
Examples = list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]


def main() -> None:
    """Train, calibrate, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--gold", type=Path)
    options.add_argument("--queries", type=int, default=9000)
    options.add_argument("--epochs", type=int, default=15)
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    tree = load_tree()
    index = open_index(recipe(tree), lambda: default_terms(tree), open_encoder(), cache_folder())
    retriever = make_retriever(index, tree)
    blind = replace(retriever, leave_one_out=True)
    queries = hidden_terms(retriever, chosen.queries, random.Random(chosen.seed))
    examples = collect(blind, queries)
    print(f"{len(queries)} queries, {len(examples)} with the code among the candidates")
    seeds = range(chosen.seed, chosen.seed + NETWORKS)
    model = averaged([fit(examples, chosen.epochs, seed) for seed in seeds])
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
        several = len(retriever.rows_of[term.code]) > 1
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


def fit(examples: Examples, epochs: int, seed: int) -> dict[str, Any]:
    """Listwise training: raise the share of the right codes in the softmax over candidates."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    every = np.concatenate([rows for rows, _ in examples])
    mean, scale = every.mean(0), every.std(0) + 1e-3
    width = max(len(rows) for rows, _ in examples)
    data = torch.zeros(len(examples), width, len(FEATURES))
    right = torch.zeros(len(examples), width)
    real = torch.zeros(len(examples), width, dtype=torch.bool)
    for place, (rows, hit) in enumerate(examples):
        data[place, : len(rows)] = torch.from_numpy(((rows - mean) / scale).clip(-6, 6))
        right[place, : len(rows)] = torch.from_numpy(hit.astype(np.float32))
        real[place, : len(rows)] = True
    hidden = torch.nn.Linear(len(FEATURES), HIDDEN)
    output = torch.nn.Linear(HIDDEN, 1, bias=False)
    skip = torch.nn.Linear(len(FEATURES), 1, bias=False)
    weights = [*hidden.parameters(), *output.parameters(), *skip.parameters()]
    adam = torch.optim.AdamW(weights, lr=1e-2, weight_decay=0.02)
    for _epoch in range(epochs):
        total = 0.0
        for batch in np.array_split(rng.permutation(len(examples)), max(len(examples) // 128, 1)):
            x = data[batch]
            logits = (output(torch.tanh(hidden(x))) + skip(x)).squeeze(-1)
            logits = logits.masked_fill(~real[batch], -1e9)
            wanted = torch.logsumexp(logits.masked_fill(right[batch] == 0, -1e9), 1)
            loss = (torch.logsumexp(logits, 1) - wanted).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
            total += loss.item() * len(batch)
        if _epoch % 5 == 4:
            print(f"epoch {_epoch + 1}: loss {total / len(examples):.4f}", flush=True)
    # The hidden terms read more like the base than what users write: without this pull the
    # model trusts its finer features too far (hit@1 on the development sets: -1 point).
    towards_fused = np.where(np.array(FEATURES) == "fused", FUSED_PULL * scale, 0.0)
    numbers = {
        "mean": mean,
        "scale": scale,
        "hidden": hidden.weight.detach().numpy().T,
        "hidden_bias": hidden.bias.detach().numpy(),
        "output": output.weight.detach().numpy()[0],
        "skip": skip.weight.detach().numpy()[0] + towards_fused,
    }
    rounded = {name: np.round(value.astype(float), 5).tolist() for name, value in numbers.items()}
    return {"features": list(FEATURES), **rounded}


def averaged(models: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One model whose logits are the mean of those of models of the same examples."""
    arrays = {
        "hidden": np.concatenate([model["hidden"] for model in models], axis=1),
        "hidden_bias": np.concatenate([model["hidden_bias"] for model in models]),
        "output": np.concatenate([model["output"] for model in models]) / len(models),
        "skip": np.mean([model["skip"] for model in models], axis=0),
    }
    rounded = {name: np.round(array, 5).tolist() for name, array in arrays.items()}
    return {**models[0], **rounded}


def calibrate(retriever: Retriever, model: dict[str, Any], gold: Path) -> list[float]:
    """Logistic regression of "the first code is right" on its log-odds and the fused score."""
    from sklearn.linear_model import LogisticRegression

    tables = [
        list(csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"))
        for path in sorted(gold.glob("*-dev.tsv"))
    ]
    inputs: list[tuple[float, float]] = []
    hit: list[bool] = []
    features = make_features(retriever)
    for row in (row for table in tables for row in table):
        query = retriever.read(row["text"])
        found = retriever.search([query])[0]
        if not found or retriever.look_up(query):  # what equals a term never comes to the network
            continue
        odds, first = first_choice(features, query, found, model)
        inputs.append((odds, max(each.fused for each in found)))
        hit.append(found[first].code in row["codes"].split("|"))
    fitted = LogisticRegression(C=100.0).fit(np.array(inputs), np.array(hit))
    print(f"calibrated on {len(hit)} rows, {np.mean(hit):.3f} right")
    slope, by_fused = fitted.coef_[0]
    return [
        round(float(slope), 4),
        round(float(by_fused), 4),
        round(float(fitted.intercept_[0]), 4),
    ]


def first_choice(
    features: FeatureMaker, query: Query, hits: Sequence[Any], model: dict[str, Any]
) -> tuple[float, int]:
    """Log-odds of the first choice's softmax share, and its place."""
    arrays = {name: np.asarray(model[name], np.float32) for name in model if name != "features"}
    scaled = ((features.rows(query, hits) - arrays["mean"]) / arrays["scale"]).clip(-6, 6)
    inner = np.tanh(scaled @ arrays["hidden"] + arrays["hidden_bias"])
    logits = (inner @ arrays["output"] + scaled @ arrays["skip"]).astype(float)
    share = np.exp(logits - logits.max())
    share = np.clip(share / share.sum(), 1e-9, 1 - 1e-9)
    first = int(np.argmax(share))
    return float(np.log(share[first] / (1 - share[first]))), first


def held_calibration() -> list[float]:
    """The calibration in the file that is there."""
    held: list[float] = json.loads(OUTPUT.read_text("utf-8"))["calibration"]
    return held


if __name__ == "__main__":
    main()
