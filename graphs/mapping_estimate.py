"""What it would take to let a model choose, before anything is spent."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..agents.choose_candidate import CHOOSE_CANDIDATE
from ..agents.engine.estimate import Estimate, estimate
from ..agents.engine.run import Run
from ..agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ..ontology.decide import is_translated
from ..ontology.mapping import Mapping
from .chooser import Chooser


@dataclass(frozen=True)
class MappingEstimate:
    """Distinct texts by what settles them, and what the calls for the rest will take.

    exact: equal to a term, so not asked. sure: a clear embedded choice, so not asked. no_choice:
    nothing to choose from (no diagnosis, no candidate). The rest is in `choices`, of the texts
    as they are; `translations` come before, where they are asked for.
    """

    texts: int
    exact: int
    sure: int
    no_choice: int
    choices: Estimate
    translations: Estimate | None = None


def estimate_mapping(embedded: Sequence[Mapping], chooser: Chooser, run: Run) -> MappingEstimate:
    """Estimate from the embedded mappings (`Mapper.stream(texts, choose=False)`).

    Sends nothing and needs no key; `run` tells the cache and the prices. Raises UsageError for
    a judge that cannot be used.
    """
    left = [mapping for mapping in embedded if not chooser.is_asked(mapping)]
    asked = [chooser.question(mapping) for mapping in embedded if chooser.is_asked(mapping)]
    texts = [{"diagnosis": mapping.text} for mapping in embedded if is_translated(mapping.text)]
    deciders = [mapping.decided_by for mapping in left]
    return MappingEstimate(
        texts=len(embedded),
        exact=deciders.count("exact"),
        sure=deciders.count("embedded"),
        no_choice=deciders.count("none"),
        choices=estimate(CHOOSE_CANDIDATE, asked, judge=chooser.judge, run=run),
        translations=estimate(TRANSLATE_DIAGNOSIS, texts, judge=chooser.judge, run=run)
        if chooser.translate
        else None,
    )
