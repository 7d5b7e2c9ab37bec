"""The estimate of `dxjudge map --estimate`."""

from collections.abc import Iterator, Sequence

from ...agents.engine.judges import as_judge
from ...agents.engine.run import Run
from ...graphs.chooser import Chooser
from ...graphs.mapping_estimate import estimate_mapping
from ...ontology.mapping import Mapping
from ..terminal.facts import Fact
from .estimates import in_json, prices_note


def estimate_facts(
    rows: int, distinct: int, embedded: Sequence[Mapping], chooser: Chooser
) -> Iterator[Fact | str]:
    """Yield facts on the calls, tokens and cost that mapping with the model would take.

    rows, distinct: the numbers of rows and of distinct texts. embedded: the mappings, made without
    the model, of the texts that the table does not settle.
    """
    run = chooser.run or Run()
    estimate = estimate_mapping(embedded, chooser, run)
    choices = estimate.choices
    label = as_judge(chooser.judge).spec.label
    parts = [part for part in (estimate.translations, choices) if part]
    costs = [part.cost for part in parts]
    known = sum(cost for cost in costs if cost is not None)
    cost = "unknown" if None in costs else f"${known:,.4f}"
    reasons = {
        "code in the canonical table": distinct - estimate.texts,
        "equal to a term": estimate.exact,
        "one clear code": estimate.sure,
        "no diagnosis, or no candidate": estimate.no_choice,
        "cannot be sent": sum(part.unusable for part in parts),
    }
    lines = {
        "rows": rows,
        "distinct texts": distinct,
        "texts without a call": sum(reasons.values()),
        **{f"  {reason}": number for reason, number in reasons.items() if number},
        "replies already in the cache": sum(part.cached for part in parts),
        "calls of the model": sum(part.calls for part in parts),
        "tokens in, about": sum(part.tokens_in for part in parts),
        "tokens out, about": sum(part.tokens_out for part in parts),
    }
    yield Fact(f"estimate for {label}; nothing is sent", {"model": label})
    for name, number in lines.items():
        yield Fact(f"{name:<36}{number:>12,}", {in_json(name): number})
    yield Fact(f"{'cost, about':<36}{cost:>12}", {"cost": None if None in costs else known})
    if estimate.translations:
        yield Fact(
            f"{estimate.translations.calls:,} of the calls translate; "
            "the calls for choices are counted for the untranslated texts",
            {"calls_that_translate": estimate.translations.calls},
        )
    yield prices_note(run)
