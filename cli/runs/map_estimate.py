"""What the model would be asked by `dxjudge map`, for `--estimate` and for `--account`."""

from collections.abc import Iterable, Iterator, Sequence

from ...agents.engine.judges import as_judge
from ...agents.engine.run import Run
from ...agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ...graphs.chooser import Chooser
from ...graphs.mapper import Mapper
from ...graphs.mapping_estimate import MappingEstimate, estimate_mapping
from ...ontology.mapping import Mapping
from ..terminal.facts import Fact
from ..terminal.progress import Stages
from .estimates import Estimates, estimate_facts, in_json, keep_estimates


def mapping_facts(
    rows: int, distinct: int, embedded: Iterable[Mapping], chooser: Chooser
) -> Iterator[Fact]:
    """Yield what mapping with the model would ask, and why not of every distinct text.

    rows, distinct: the numbers of rows and of distinct texts. embedded: the mappings, made without
    the model, of the texts that the table does not settle.
    """
    run = chooser.run or Run()
    estimate = estimate_mapping(embedded, chooser, run)
    yield from estimate_facts(_by_step(estimate, chooser), run, rows=rows)
    reasons = {
        "code in the canonical table": distinct - estimate.texts,
        "equal to a term": estimate.exact,
        "one clear code": estimate.sure,
        "no diagnosis, or no candidate": estimate.no_choice,
    }
    lines = {
        "distinct texts": distinct,
        "texts without a call": sum(reasons.values()),
        **{f"  {reason}": number for reason, number in reasons.items() if number},
    }
    for name, number in lines.items():
        yield Fact(f"{name:<32}{number:>8,}", {in_json(name): number})
    translations = estimate.steps.get(TRANSLATE_DIAGNOSIS.name)
    if translations:
        yield Fact(
            f"{translations.calls:,} of the calls translate; "
            "the calls for choices are counted for the untranslated texts",
            {"calls_that_translate": translations.calls},
        )


def keep_mapping_estimate(embedded: Iterable[Mapping], chooser: Chooser) -> None:
    """Keep the estimate for the account of the chooser's run. embedded: as in `mapping_facts`."""
    if chooser.run is not None:
        estimate = estimate_mapping(embedded, chooser, chooser.run)
        keep_estimates(_by_step(estimate, chooser), chooser.run)


def embedded_choices(mapper: Mapper, texts: Sequence[str], progress: Stages) -> Iterator[Mapping]:
    """Yield the mappings that texts have without the model, and show how far that is."""
    done = 0
    for batch in mapper.stream(texts, choose=False):
        yield from batch
        done += len(batch)
        progress("estimating", done, len(texts))


def _by_step(estimate: MappingEstimate, chooser: Chooser) -> Estimates:
    label = as_judge(chooser.judge).spec.label
    return [(label, step, asked) for step, asked in estimate.steps.items()]
