"""What each group of the reranker's features is worth: train without it, measure without it.

    python training/ablations.py --gold FOLDER [--queries 3000] [--seeds 3]

Prints hit@1, hit@5 and hit@15 over the `*-dev.tsv` texts of FOLDER that equal no term (the
others never reach the reranker), averaged over seeds, beside the fused order and the whole model.
"""

import argparse
import csv
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from reranker import Examples, collect, fit, hidden_terms

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.search.features import FEATURES
from dxjudge.ontology.search.retrieve import Retriever

GROUPS = {
    "scores and gaps": ("fused_gap", "dense", "dense_gap", "lexical", "lexical_gap"),
    "ranks": ("dense_rank", "lexical_rank"),
    "words of the term": ("term_recall", "term_precision", "same_words", "head_shared"),
    "words of the name": ("name_recall", "name_precision"),
    "place in the tree": ("category", "depth", "leaf"),
    "unspecified, other": ("unspecified", "other", "term_other", "term_vague"),
    "qualifiers, numbers": ("extra_qualifiers", "missing_qualifiers", "number_clash"),
    "setting": ("setting_clash",),
    "source": ("inclusion", "includes", "community"),
    "neighbours": ("joined", "category_votes", "below_parent", "above_child", "first_in_category"),
    "form and length": ("whole_form", "term_length"),
}
Row = tuple[np.ndarray[Any, Any], list[str], list[str]]


def main() -> None:
    """Collect once, then train and measure without each group."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--queries", type=int, default=3000)
    options.add_argument("--seeds", type=int, default=3)
    chosen = options.parse_args()
    retriever = Mapper().parts.retriever
    blind = replace(retriever, leave_one_out=True)
    examples = collect(blind, hidden_terms(retriever, chosen.queries, random.Random(7)))
    tables = {path.stem: read_rows(path, retriever) for path in chosen.gold.glob("*-dev.tsv")}
    print({name: len(rows) for name, rows in tables.items()}, len(examples), "examples")
    for name, rows in sorted(tables.items()):
        show("fused order", name, [ranks_of(rows, [row[0][:, 0] for row in rows])])
    for group, names in {"nothing": (), **GROUPS}.items():
        left_out = [FEATURES.index(each) for each in names]
        models = [fit(without(examples, left_out), 15, 7 + seed) for seed in range(chosen.seeds)]
        for name, rows in sorted(tables.items()):
            inputs = without([(row[0], np.zeros(0)) for row in rows], left_out)
            scored = [[logits(model, each) for each, _ in inputs] for model in models]
            show(f"without {group}", name, [ranks_of(rows, scores) for scores in scored])


def read_rows(path: Path, retriever: Retriever) -> list[Row]:
    """Features, codes and accepted codes of each text that equals no term."""
    from dxjudge.ontology.search.features import make_features

    features = make_features(retriever)
    rows: list[Row] = []
    for row in csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"):
        query = retriever.read(row["text"])
        hits = retriever.search([query])[0]
        if hits and not retriever.look_up(query):
            codes = [hit.code for hit in hits]
            rows.append((features.rows(query, hits), codes, row["codes"].split("|")))
    return rows


def without(examples: Examples, columns: list[int]) -> Examples:
    """The examples with some features held at 0."""
    copies = [(rows.copy(), right) for rows, right in examples]
    for rows, _ in copies:
        rows[:, columns] = 0
    return copies


def logits(model: dict[str, Any], rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The ranking network, as `dxjudge.ontology.search.rerank` runs it."""
    array = {name: np.asarray(model[name]) for name in model if name != "features"}
    scaled = np.clip((rows - array["mean"]) / array["scale"], -6, 6)
    inner = np.tanh(scaled @ array["hidden"] + array["hidden_bias"])
    result: np.ndarray[Any, Any] = inner @ array["output"] + scaled @ array["skip"]
    return result


def ranks_of(rows: Sequence[Row], scores: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """The place of the first accepted code of each row, 999 where it is no candidate."""
    ranks = []
    for (_, codes, accepted), score in zip(rows, scores, strict=True):
        order = np.argsort(-score, kind="stable")
        places = [place for place, each in enumerate(order) if codes[each] in accepted]
        ranks.append(places[0] if places else 999)
    return np.array(ranks)


def show(what: str, table: str, ranks: list[np.ndarray[Any, Any]]) -> None:
    """Print one line: the mean over seeds."""
    hits = [100 * np.mean([(each < k).mean() for each in ranks]) for k in (1, 5, 15)]
    print(f"{what:30} {table:10} " + " ".join(f"{hit:5.1f}" for hit in hits), flush=True)


if __name__ == "__main__":
    main()
