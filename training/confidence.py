"""Fit the two confidences of the first code: that it is right, and that its category is right.

    python training/confidence.py --gold FOLDER [--cases build/confidence.npz]

FOLDER holds `*-dev.tsv` tables (text, codes), each of a style of its own; every style weighs the
same. The script writes ontology/data/confidence.json: the weights, the caps of readings that are
seldom right, and for each style counts of held-out confidences, from which `--accept` takes its
thresholds. Held out means: fitted on one half of the texts of each table, drawn by a hash of the
text, and read on the other half, five times with five hashes. --cases keeps the evidence of the
texts in a file and reads it from there the next time: use it only while nothing else changes.
"""

import argparse
import csv
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from dxjudge.files.folders import cache_folder
from dxjudge.ontology.base import default_terms, recipe
from dxjudge.ontology.confidence import BINS, Confidence, ConfidenceModel, confidence_of, is_settled
from dxjudge.ontology.decide import decide
from dxjudge.ontology.evidence import EVIDENCE, READINGS, evidence
from dxjudge.ontology.policy import MIN_SCORE, Policy
from dxjudge.ontology.scored import score_candidates
from dxjudge.ontology.search.encode import open_encoder
from dxjudge.ontology.search.features import make_features
from dxjudge.ontology.search.index import open_index
from dxjudge.ontology.search.rerank import load_ranking_model
from dxjudge.ontology.search.retrieve import make_retriever
from dxjudge.ontology.tree import load_tree

OUTPUT = Path(__file__).parents[1] / "ontology" / "data" / "confidence.json"
PULL = 0.002  # towards 0, of each weight
SPLITS = 5
CAPPED = READINGS  # readings whose confidence has a cap
FEWEST = 10  # texts of a reading without which it has no cap
Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Cases:
    """One row for each text with a code: its evidence and whether code and category are right.

    `style` is the place of its table in `styles`. `halves` has one column for each split. `fixed`
    holds the scores of code and category where the evidence is not asked, else NaN. `before` holds
    the scores before calibration.
    """

    styles: tuple[str, ...]
    texts: Numbers
    style: Numbers
    halves: Numbers
    numbers: Numbers
    right: Numbers
    fixed: Numbers
    before: Numbers

    @property
    def weights(self) -> Numbers:
        """The weight of each row; those of a style sum to 1 / the number of styles."""
        counts = np.bincount(self.style, minlength=len(self.styles))
        result: Numbers = 1 / (counts[self.style] * len(self.styles))
        return result


def main() -> None:
    """Collect, fit, write."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--cases", type=Path)
    chosen = options.parse_args()
    cases = kept_cases(chosen.gold, chosen.cases)
    model = fit(cases, np.ones(len(cases.style), bool))
    held = held_out(cases)
    content = {
        "evidence": list(EVIDENCE),
        **{name: getattr(model, name).tolist() for name in ("mean", "scale", "code", "category")},
        "caps": {kind: list(cap) for kind, cap in model.caps.items()},
        "counts": {
            name: {what: counts(cases, held, place, column) for column, what in enumerate(WHAT)}
            for place, name in enumerate(cases.styles)
        },
    }
    OUTPUT.write_text(json.dumps(content) + "\n", encoding="utf-8")
    for name, cap in model.caps.items():
        print(f"{name}: at most {cap.code:.2f} for the code, {cap.category:.2f} for the category")


WHAT = ("code", "category")


def kept_cases(gold: Path, kept: Path | None) -> Cases:
    """Return the cases of a file where it exists, else collect them and write it."""
    if kept and kept.exists():
        with np.load(kept) as arrays:
            return Cases(tuple(arrays["styles"].tolist()), *(arrays[name] for name in _ARRAYS))
    cases = collect(gold)
    if kept:
        arrays = {name: getattr(cases, name) for name in _ARRAYS}
        np.savez_compressed(kept, styles=np.array(cases.styles), **arrays)
    return cases


_ARRAYS = ("texts", "style", "halves", "numbers", "right", "fixed", "before")


def collect(gold: Path) -> Cases:
    """Map the texts of all tables, and keep the evidence of those that get a code."""
    paths = sorted(gold.glob("*-dev.tsv"))
    policy = open_policy()
    rows = [(place, *row) for place, path in enumerate(paths) for row in cases_of(path, policy)]
    style, texts, numbers, right, fixed, before = zip(*rows, strict=True)
    return Cases(
        tuple(path.stem.removesuffix("-dev") for path in paths),
        np.array(texts),
        np.array(style),
        np.array([halves_of(text) for text in texts]),
        np.array(numbers),
        np.array(right),
        np.array(fixed),
        np.array(before),
    )


def open_policy() -> Policy:
    """Return the default policy with confidences that say nothing."""
    tree = load_tree()
    index = open_index(recipe(tree), lambda: default_terms(tree), open_encoder(), cache_folder())
    retriever = make_retriever(index, tree)
    zeros = np.zeros(len(EVIDENCE))
    flat = ConfidenceModel(zeros, zeros + 1, np.append(zeros, 0), np.append(zeros, 0), {})
    features = make_features(retriever)
    return Policy(retriever, features, load_ranking_model(), flat, min_score=MIN_SCORE)


def cases_of(path: Path, policy: Policy) -> Iterator[tuple[Any, ...]]:
    """Yield text, evidence, what is right, fixed scores and uncalibrated scores of a table."""
    retriever = policy.retriever
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for start in range(0, len(rows), 64):
        part = rows[start : start + 64]
        queries = [retriever.read(row["text"]) for row in part]
        for row, query, hits in zip(part, queries, retriever.search(queries), strict=True):
            equal = retriever.look_up(query)
            if decide(query, equal, hits, policy).code is None or query.codes:
                continue
            scored = score_candidates(query, equal, hits, policy)
            accepted = row["codes"].split("|")
            category = retriever.tree.category
            right = (
                scored.ranked[0].hit.code in accepted,
                scored.categories[0] in {category(code).code for code in accepted},
            )
            told = confidence_of(scored, policy.features, policy.confidence)
            asked = not (scored.limited or is_settled(scored, policy.features))
            total = sum(
                one.score
                for own, one in zip(scored.categories, scored.ranked, strict=True)
                if own == scored.categories[0]
            )
            yield (
                row["text"],
                evidence(scored, policy.features),
                right,
                (np.nan, np.nan) if asked else tuple(told),
                (scored.ranked[0].score, min(total, 1.0)),
            )


def halves_of(text: str) -> list[int]:
    """Return in which half, 0 or 1, a text lies in each split."""
    digests = (hashlib.sha256(f"{split}\n{text}".encode()).digest() for split in range(SPLITS))
    return [digest[0] & 1 for digest in digests]


def fit(cases: Cases, chosen: Numbers) -> ConfidenceModel:
    """Fit both models to the chosen rows, then the caps."""
    asked = chosen & np.isnan(cases.fixed[:, 0])
    numbers, right, weights = cases.numbers[asked], cases.right[asked], cases.weights[asked]
    weights = weights / weights.sum()
    mean, scale = numbers.mean(0).round(4), (numbers.std(0) + 1e-2).round(4)
    rows = np.column_stack([np.clip((numbers - mean) / scale, -5, 5), np.ones(len(numbers))])
    nothing = np.zeros(len(rows))
    code = likeliest(rows, nothing, right[:, 0], weights)
    told = logistic(rows @ code)
    category = likeliest(rows, told, right[:, 1], weights)
    plain = ConfidenceModel(mean, scale, code, category, {})
    wide = told + (1 - told) * logistic(rows @ category)
    caps = {
        kind: cap
        for kind in CAPPED
        if (cap := cap_of(numbers[:, EVIDENCE.index(kind)] > 0, told, wide, right))
    }
    return ConfidenceModel(plain.mean, plain.scale, code, category, caps)


def likeliest(rows: Numbers, least: Numbers, right: Numbers, weights: Numbers) -> Numbers:
    """Return the weights of the likeliest logistic model of the share above `least`."""

    def loss(numbers: Numbers) -> tuple[float, Numbers]:
        inner = logistic(rows @ numbers)
        told = np.clip(least + (1 - least) * inner, 1e-6, 1 - 1e-6)
        missed = -np.where(right, np.log(told), np.log(1 - told))
        slope = np.where(right, -1 / told, 1 / (1 - told)) * (1 - least) * inner * (1 - inner)
        pull = np.append(numbers[:-1], 0.0)
        value = float(weights @ missed + PULL * (pull @ pull))
        return value, rows.T @ (weights * slope) + 2 * PULL * pull

    fitted = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B")
    result: Numbers = fitted.x.round(4)
    return result


def cap_of(of_kind: Numbers, told: Numbers, wide: Numbers, right: Numbers) -> Confidence | None:
    """Return the share that is right of the more confident half of a reading's texts.

    One text is counted as right and one as wrong beside them, so that no cap is 1.
    """
    if of_kind.sum() < FEWEST:
        return None
    shares = []
    for column, scores in enumerate((told, wide)):
        upper = of_kind & (scores >= np.median(scores[of_kind]))
        shares.append((right[upper, column].sum() + 1) / (upper.sum() + 2))
    return Confidence(round(shares[0], 3), round(max(shares), 3))


def read(model: ConfidenceModel, cases: Cases, chosen: Numbers) -> Numbers:
    """Return code and category confidence of the chosen rows."""
    told = [
        model.confidence(numbers) if np.isnan(fixed[0]) else fixed
        for numbers, fixed in zip(cases.numbers[chosen], cases.fixed[chosen], strict=True)
    ]
    return np.array(told)


def held_out(cases: Cases) -> Numbers:
    """Return the held-out confidences, of shape (splits, texts, 2)."""
    result = np.zeros((SPLITS, len(cases.style), 2))
    for split in range(SPLITS):
        for half in (0, 1):
            inside = cases.halves[:, split] == half
            result[split, inside] = read(fit(cases, ~inside), cases, inside)
    return result


def counts(cases: Cases, held: Numbers, style: int, column: int) -> list[list[float]]:
    """Return for each bin of a confidence that holds texts: its number, texts, and right ones.

    The mean over the splits. Bin n holds confidences from n / BINS up; a confidence of 1 has a bin
    of its own.
    """
    inside = cases.style == style
    places = np.floor(held[:, inside, column] * BINS + 1e-9).astype(int)
    right = np.broadcast_to(cases.right[inside, column], places.shape)
    texts = np.bincount(places.ravel(), minlength=BINS + 1) / SPLITS
    of_right = np.bincount(places.ravel(), right.ravel(), minlength=BINS + 1) / SPLITS
    return [
        [place, round(float(texts[place]), 1), round(float(of_right[place]), 1)]
        for place in np.flatnonzero(texts).tolist()
    ]


def logistic(numbers: Numbers) -> Numbers:
    """Return 1 / (1 + exp(-number)) of each number."""
    result: Numbers = 1 / (1 + np.exp(-np.clip(numbers, -500, 500)))
    return result


if __name__ == "__main__":
    main()
