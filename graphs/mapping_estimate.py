"""Estimate calls and costs before a model chooses among the candidates of mappings."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..agents.choose_candidate import CHOOSE_CANDIDATE
from ..agents.engine.estimate import Estimate, estimate
from ..agents.engine.run import Run
from ..agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ..ontology.chosen import is_translated
from ..ontology.mapping import Mapping
from .chooser import Chooser


@dataclass(frozen=True)
class MappingEstimate:
    """The number of distinct texts that need no model, and an estimate of the calls for the rest.

    exact: texts that are equal to a term. sure: texts with a clear embedded choice. no_choice:
    texts without a candidate or without a diagnosis. For all of these the model is not asked.
    choices: the estimate for all other texts, untranslated. translations: the estimate for the
    translations, None if no translation is wanted.
    """

    texts: int
    exact: int
    sure: int
    no_choice: int
    choices: Estimate
    translations: Estimate | None = None


def estimate_mapping(embedded: Sequence[Mapping], chooser: Chooser, run: Run) -> MappingEstimate:
    """Estimate from the embedded mappings (`Mapper.stream(texts, choose=False)`).

    Sends nothing and needs no key. `run` has the cache and the prices. Raises UsageError for a
    judge that cannot be used.
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
