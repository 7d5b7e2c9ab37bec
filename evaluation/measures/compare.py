"""Beyond single numbers: misses, verdicts of two judges, stability of the ranking."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...scoring.bootstrap import Plan
from ...scoring.missed import misses
from ...scoring.stability import RankingStability, ranking_stability
from ..judged import Judged
from ..settings import Settings
from .hierarchy import codes_of_prediction, codes_of_truth, true_diagnoses
from .measure import Measure


@dataclass(frozen=True)
class MissRow:
    """A true diagnosis that no prediction of a model hits, and how deep one is still right."""

    model: str
    case: str
    diagnosis: str
    codes: str
    predicted: str
    level: str
    shared: str
    shared_name: str


def list_misses(judged: Judged, settings: Settings) -> list[MissRow]:
    """Every miss of every model; none without codes."""
    if judged.codes is None or judged.tree is None:
        return []
    tree = judged.tree
    truth = [codes_of_truth(case, judged, settings) for case in judged.cases]
    found = []
    for model in judged.models:
        predicted = [codes_of_prediction(judged, model, case, settings) for case in judged.cases]
        for miss in misses(truth, predicted, tree):
            case = judged.cases[miss.case]
            name = true_diagnoses(case, settings)[miss.position].text
            codes = [code for code in predicted[miss.case] if code]
            shared = miss.shared
            found.append(
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
    return found


def stability_of(
    measures: Sequence[Measure], judges: Sequence[str], plan: Plan
) -> dict[str, RankingStability]:
    """How each metric's ranking of the models changes when the judge is swapped."""
    found = {}
    for metric in dict.fromkeys(one.metric for one in measures if one.judge and not one.slice):
        scores: dict[str, dict[str, list[float]]] = {judge: {} for judge in judges}
        for one in measures:
            if one.metric == metric and one.judge in scores:
                sign = 1 if one.higher_is_better else -1
                scores[one.judge][one.model] = (sign * one.values()).tolist()
        models = [len(held) for held in scores.values()]
        empty = any(np.isnan(v).all() for held in scores.values() for v in held.values())
        if len(judges) > 1 and min(models) > 1 and not empty:
            found[metric] = ranking_stability(scores, plan=plan)
    return found
