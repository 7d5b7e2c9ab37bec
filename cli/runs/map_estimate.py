"""What the model would be asked by `dxjudge map`, for `--estimate` and for `--account`."""

from collections.abc import Iterator, Sequence

from ...agents.engine.judges import as_judge
from ...agents.engine.run import Run
from ...agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ...graphs.chooser import Chooser
from ...graphs.mapper import Mapper
from ...graphs.mapping_estimate import MappingCount, MappingEstimate, count_mapping
from ...ontology.mapping import Mapping
from ..terminal.facts import Fact
from ..terminal.progress import Stages
from .estimates import Estimates, estimate_facts, in_json, keep_estimates


def mapping_facts(
    rows: int, distinct: int, count: MappingCount, chooser: Chooser, finished: int = 0
) -> Iterator[Fact]:
    """Yield what mapping with the model would ask, and why not of every distinct text.

    rows, distinct: the numbers of rows and of distinct texts. count: of the texts that neither the
    table settles nor, `finished` texts, the journal has.
    """
    run = chooser.run or Run()
    estimate = count.estimate(chooser, run)
    yield from estimate_facts(_by_step(estimate, chooser), run, rows=rows)
    reasons = {
        "code in the canonical table": distinct - estimate.texts - finished,
        "finished in the journal": finished,
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


def keep_mapping_estimate(count: MappingCount, chooser: Chooser) -> None:
    """Keep the estimate of texts for the account of the chooser's run."""
    if chooser.run is not None:
        keep_estimates(_by_step(count.estimate(chooser, chooser.run), chooser), chooser.run)


def count_embedded(
    mapper: Mapper, texts: Sequence[str], chooser: Chooser, progress: Stages
) -> MappingCount:
    """Map texts without the model, show how far that is, and count them for the estimate."""
    return count_mapping(_embedded(mapper, texts, progress), chooser, chooser.run or Run())


def _embedded(mapper: Mapper, texts: Sequence[str], progress: Stages) -> Iterator[Mapping]:
    done = 0
    for batch in mapper.stream(texts, choose=False):
        yield from batch
        done += len(batch)
        progress("estimating", done, len(texts))


def _by_step(estimate: MappingEstimate, chooser: Chooser) -> Estimates:
    label = as_judge(chooser.judge).spec.label
    return [(label, step, asked) for step, asked in estimate.steps.items()]
