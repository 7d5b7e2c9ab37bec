"""Measure the similarity of names: semantic matching of differentials, overlap of words."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...ontology.search.encode import open_encoder
from ...scoring.encoders import load_encoder
from ...scoring.semantic import (
    DdxScores,
    TextEncoder,
    cosine_matrix,
    ddx_scores,
    match_ddx,
    micro_terms,
    normalise_similarity,
)
from ...scoring.text import bert_score, bleu, meteor, rouge
from ..judged import MISSING, Judged
from ..settings import Settings
from .hierarchy import predicted_names, true_diagnoses
from .measure import NOT_CONCERNED, Measure, Score, Status, mean_measure

_SEMANTIC = ("precision", "recall", "f1", "jaccard")
_OVERLAP = ("bleu", "meteor", "rouge_1", "rouge_2", "rouge_l", "bert_score")


@cache
def find_encoder(name: str) -> Any:
    """Return the text encoder of a name: "default" is part of dxjudge, see `scoring.encoders`.

    Raises ModelFault or EnvironmentFault if it cannot be loaded.
    """
    return open_encoder() if name == "default" else load_encoder(name)


def semantic_measures(
    judged: Judged, settings: Settings, encoder: TextEncoder
) -> Iterator[Measure]:
    """Yield macro and micro precision, recall, F1, Jaccard, and the share with a differential."""
    vectors = _encode(judged, settings, encoder)
    for model in judged.models:
        scored = [_case_score(judged, model, case, settings, vectors) for case in judged.cases]
        answered = [Score(float(s.n > 0), status) if s else
                    Score(None, status) for s, status in scored]  # fmt: skip
        yield mean_measure("answered_ddx", model, "", answered)
        for name in _SEMANTIC:
            macro = [
                Score(getattr(s, name), status) if s and s.n else _without(status)
                for s, status in scored
            ]
            yield mean_measure(f"semantic_{name}", model, "", macro)
            yield _micro(name, model, scored)


def _without(status: Status) -> Score:
    """Return no score: an empty prediction is left out of the means, a failed one is unresolved."""
    return Score(None, status)


def _encode(judged: Judged, settings: Settings, encoder: TextEncoder) -> Mapping[str, Any]:
    """Return a vector for every distinct name."""
    names: dict[str, None] = {}
    for case in judged.cases:
        names.update(dict.fromkeys(d.text for d in true_diagnoses(case, settings)))
        for model in judged.models:
            names.update(dict.fromkeys(predicted_names(judged, model, case, settings).names))
    texts = list(names)
    if not texts:
        return {}
    return dict(zip(texts, np.asarray(encoder.encode(texts), dtype=float), strict=True))


def _case_score(
    judged: Judged, model: str, case: Any, settings: Settings, vectors: Mapping[str, Any]
) -> tuple[DdxScores | None, Status]:
    truth = [diagnosis.text for diagnosis in true_diagnoses(case, settings)]
    if not truth:
        return None, "none"
    predicted = predicted_names(judged, model, case, settings)
    if predicted.status == "failed":
        return None, "failed"
    n, m = len(predicted.names), len(truth)
    if not n:
        return ddx_scores([], 0, m), "abstained"
    cosine = cosine_matrix([vectors[t] for t in predicted.names], [vectors[t] for t in truth])
    likeness = normalise_similarity(cosine, settings.low, settings.high)
    return ddx_scores(match_ddx(likeness, settings.tau), n, m), "done"


def _micro(name: str, model: str, scored: Sequence[tuple[DdxScores | None, Status]]) -> Measure:
    """Return a micro score. For its bounds an unresolved case is one pair, matched or not."""
    counts = [micro_terms(scores)[name] if scores else (0.0, 0.0) for scores, _ in scored]
    pair = 2.0 if name == "f1" else 1.0
    return Measure(
        f"semantic_micro_{name}",
        model,
        "",
        np.array([[part] for part, _ in counts]),
        np.array([[whole] for _, whole in counts]),
        np.array([status == "failed" for _, status in scored], dtype=bool),
        tuple(status for _, status in scored),
        (0.0,),
        (pair,),
        (pair,),
    )


def overlap_measures(judged: Judged, encoder: Any = None) -> Iterator[Measure]:
    """Yield the mean overlap of words between the final diagnosis and the true one.

    A response without a final diagnosis scores 0. An encoder with token vectors adds BERTScore.
    """
    with_bert = hasattr(encoder, "encode_tokens")
    for model in judged.models:
        table = [_overlaps(judged, model, case, encoder if with_bert else None)
                 for case in judged.cases]  # fmt: skip
        for name in _OVERLAP if with_bert else _OVERLAP[:-1]:
            scores = [
                Score(values[name], status) if values is not None else
                (Score(0.0, status) if status == "abstained" else Score(None, status))
                for values, status in table
            ]  # fmt: skip
            yield mean_measure(name, model, "", scores)


def _overlaps(
    judged: Judged, model: str, case: Any, encoder: Any
) -> tuple[dict[str, float] | None, Status]:
    if case.diagnosis is None:
        return None, NOT_CONCERNED.status
    diagnosis = judged.finals.get((model, case.id), MISSING)
    if diagnosis.status != "done":
        return None, diagnosis.status
    values = dict(_words(diagnosis.names[0], case.diagnosis.text))
    if encoder is not None:
        pair = bert_score([diagnosis.names[0]], [case.diagnosis.text], encoder)[0]
        values["bert_score"] = pair.f1
    return values, "done"


@cache
def _words(predicted: str, truth: str) -> dict[str, float]:
    rouges = rouge(predicted, truth)
    return {
        "bleu": bleu(predicted, truth),
        "meteor": meteor(predicted, truth),
        "rouge_1": rouges["rouge1"].f1,
        "rouge_2": rouges["rouge2"].f1,
        "rouge_l": rouges["rougeL"].f1,
    }
