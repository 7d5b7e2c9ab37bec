"""List the misses of models, and measure how stable the ranking is when the judge changes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...scoring.bootstrap import Plan
from ...scoring.missed import misses
from ...scoring.stability import RankingStability, ranking_stability
from ..judged import Judged
from ..settings import Settings
from .hierarchy import codes_of_prediction, codes_of_truth, true_diagnoses
from .measure import Measure, Units


@dataclass(frozen=True)
class MissRow:
    """A true diagnosis that no prediction hits, and the deepest node that a prediction shares."""

    model: str
    case: str
    diagnosis: str
    codes: str
    predicted: str
    level: str
    shared: str
    shared_name: str


def list_misses(judged: Judged, settings: Settings) -> list[MissRow]:
    """Return every miss of every model; nothing without codes."""
    if judged.codes is None or judged.tree is None:
        return []
    tree = judged.tree
    truth = [codes_of_truth(case, judged, settings) for case in judged.cases]
    rows = []
    for model in judged.models:
        predicted = [codes_of_prediction(judged, model, case, settings) for case in judged.cases]
        for miss in misses(truth, predicted, tree):
            case = judged.cases[miss.case]
            name = true_diagnoses(case, settings)[miss.position].text
            codes = [code for code in predicted[miss.case] if code]
            shared = miss.shared
            rows.append(
                MissRow(
                    model,
                    case.id,
                    name,
                    " ".join(miss.codes),
                    " ".join(codes),
                    miss.level or "none",
                    shared.code if shared else "",
                    tree.name(shared) if shared else "",
                )
            )
    return rows


def stability_of(
    measures: Sequence[Measure], judges: Sequence[str], units: Units, plan: Plan
) -> dict[str, RankingStability]:
    """Return, by metric, how the ranking of the models changes when the judge is swapped.

    A judge without a score for some model is left out. The others are compared.
    """
    stability = {}
    order = units.order
    drawn = [units.drawn[at] for at in order]
    for metric in dict.fromkeys(one.metric for one in measures if one.judge and not one.slice):
        scores: dict[str, dict[str, list[float]]] = {judge: {} for judge in judges}
        for one in measures:
            if one.metric == metric and one.judge in scores:
                sign = 1 if one.higher_is_better else -1
                values = sign * one.values()[order]
                if not np.isnan(values).all():
                    scores[one.judge][one.model] = values.tolist()
        models = {model for scores_of_model in scores.values() for model in scores_of_model}
        spoke = {
            judge: scores_of_model
            for judge, scores_of_model in scores.items()
            if scores_of_model.keys() == models
        }
        if len(spoke) > 1 and len(models) > 1:
            stability[metric] = ranking_stability(spoke, clusters=drawn, plan=plan)
    return stability
