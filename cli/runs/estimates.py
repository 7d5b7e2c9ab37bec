"""Print the estimate of a run: calls, tokens and cost, by model."""

from collections.abc import Sequence

from ...agents.engine.estimate import Estimate
from ...agents.engine.run import Run


def print_estimates(
    estimates: Sequence[tuple[str, Estimate]], run: Run, *, rows: int, noun: str = "rows"
) -> None:
    """Print on standard output what each model, named by its label, would be asked.

    rows: the number of rows of the output, which `noun` names.
    """
    print(f"{rows:,} {noun}; nothing is sent")
    for label in dict.fromkeys(label for label, _ in estimates):
        own = [estimate for name, estimate in estimates if name == label]
        costs = [estimate.cost for estimate in own]
        known = sum(cost for cost in costs if cost is not None)
        print(f"estimate for {label}")
        for name, number in (
            ("questions", sum(estimate.items for estimate in own)),
            ("decided without a model", sum(estimate.by_stand_in for estimate in own)),
            ("cannot be asked", sum(estimate.unusable for estimate in own)),
            ("in the cache", sum(estimate.cached for estimate in own)),
            ("calls", sum(estimate.calls for estimate in own)),
            ("tokens in, about", sum(estimate.tokens_in for estimate in own)),
            ("tokens out, about", sum(estimate.tokens_out for estimate in own)),
        ):
            print(f"{name:<28}{number:>12,}")
        print(f"{'cost, about':<28}{'unknown' if None in costs else f'${known:,.4f}':>12}")
    print(f"Repairs and retries are not counted. Prices are of {run.prices.date}.")
