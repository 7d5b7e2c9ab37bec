"""The order in which models stand in tables and figures: the best first."""

from ..result import Evaluation


def ranked_models(evaluation: Evaluation, judge: str = "", metric: str = "") -> list[str]:
    """Return the models in the order of their rank, best first; without a rank they come last.

    The rank is that under `metric`, or under the first column of the main table that has ranks,
    and under the judge or without one. Equal ranks keep the order of the models.
    """
    wanted = [metric] if metric else [column.metric for column in evaluation.columns]
    for name in wanted:
        ranks = {
            one.model: one.rank
            for one in evaluation.ranks
            if one.metric == name and one.rank and not (one.slice or one.group_by)
            and one.judge in ("", judge or one.judge)
        }  # fmt: skip
        if ranks:
            last = len(ranks) + 1
            return sorted(evaluation.judged.models, key=lambda model: ranks.get(model, last))
    return list(evaluation.judged.models)


def places_of(evaluation: Evaluation, models: list[str]) -> list[int]:
    """Return the number of each model's colour, the same one in all figures."""
    numbers = {model: place for place, model in enumerate(evaluation.judged.models)}
    return [numbers[model] for model in models]
