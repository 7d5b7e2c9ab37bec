"""What `dxjudge map --estimate` prints."""

from collections.abc import Sequence

from ...agents.engine.judges import as_judge
from ...agents.engine.run import Run
from ...graphs.chooser import Chooser
from ...graphs.mapping_estimate import estimate_mapping
from ...ontology.mapping import Mapping


def print_estimate(rows: int, distinct: int, embedded: Sequence[Mapping], chooser: Chooser) -> None:
    """Print on standard output what the model would be asked, and what that would take.

    `embedded` are the mappings without the model of the texts that the table does not settle.
    """
    run = chooser.run or Run()
    found = estimate_mapping(embedded, chooser, run)
    choices = found.choices
    label = as_judge(chooser.judge).spec.label
    parts = [each for each in (found.translations, choices) if each]
    costs = [each.cost for each in parts]
    known = sum(each for each in costs if each is not None)
    cost = "unknown" if None in costs else f"${known:,.4f}"
    lines = {
        "rows": rows,
        "distinct texts": distinct,
        "from the canonical table": distinct - found.texts,
        "exact, not asked": found.exact,
        "unambiguous, not asked": found.sure,
        "without a choice, not asked": found.no_choice,
        "cannot be asked": sum(each.unusable for each in parts),
        "in the cache": sum(each.cached for each in parts),
        "calls": sum(each.calls for each in parts),
        "tokens in, about": sum(each.tokens_in for each in parts),
        "tokens out, about": sum(each.tokens_out for each in parts),
    }
    print(f"estimate for {label}; nothing is sent")
    for name, number in lines.items():
        print(f"{name:<28}{number:>12,}")
    print(f"{'cost, about':<28}{cost:>12}")
    if found.translations:
        print(
            f"{found.translations.calls:,} of the calls translate; choices are counted as if none"
        )
    print(f"Repairs and retries come on top. Prices are of {run.prices.date}.")
