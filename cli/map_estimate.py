"""What `dxjudge map --estimate` prints."""

from collections.abc import Sequence

from ..agents.models import as_judge
from ..agents.run import Run
from ..graphs.mapping import Chooser
from ..graphs.mapping_estimate import estimate_mapping
from ..ontology.mapping import Mapping


def print_estimate(rows: int, distinct: int, embedded: Sequence[Mapping], chooser: Chooser) -> None:
    """Print on standard output what the model would be asked, and what that would take.

    `embedded` are the mappings without the model of the texts that the table does not settle.
    """
    run = chooser.run or Run()
    found = estimate_mapping(embedded, chooser, run)
    choices = found.choices
    label = as_judge(chooser.judge).spec.label
    cost = "unknown" if choices.cost is None else f"${choices.cost:,.4f}"
    lines = {
        "rows": rows,
        "distinct texts": distinct,
        "from the canonical table": distinct - found.texts,
        "exact, not asked": found.exact,
        "unambiguous, not asked": found.sure,
        "without a choice, not asked": found.no_choice,
        "cannot be asked": choices.unusable,
        "in the cache": choices.cached,
        "calls": choices.calls,
        "tokens in, about": choices.tokens_in,
        "tokens out, about": choices.tokens_out,
    }
    print(f"estimate for {label}; nothing is sent")
    for name, number in lines.items():
        print(f"{name:<28}{number:>12,}")
    print(f"{'cost, about':<28}{cost:>12}")
    print(f"Repairs and retries come on top. Prices are of {run.prices.date}.")
