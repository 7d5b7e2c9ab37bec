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
from .measure import Measure, Units


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
    measures: Sequence[Measure], judges: Sequence[str], units: Units, plan: Plan
) -> dict[str, RankingStability]:
    """How each metric's ranking of the models changes when the judge is swapped.

    A judge without a score for some model is left out; the others are compared.
    """
    found = {}
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
        models = {model for held in scores.values() for model in held}
        spoke = {judge: held for judge, held in scores.items() if held.keys() == models}
        if len(spoke) > 1 and len(models) > 1:
            found[metric] = ranking_stability(spoke, clusters=drawn, plan=plan)
    return found
