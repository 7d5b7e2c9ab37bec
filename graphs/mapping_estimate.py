"""Estimate calls and costs before a model chooses among the candidates of mappings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..agents.choose_candidate import CHOOSE_CANDIDATE
from ..agents.engine.estimate import Estimate, estimate
from ..agents.engine.run import Run
from ..agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ..ontology.chosen import is_translated
from ..ontology.mapping import Mapping as Mapped
from .chooser import Chooser


@dataclass(frozen=True)
class MappingEstimate:
    """The number of distinct texts that need no model, and an estimate of the calls for the rest.

    exact: texts that are equal to a term. sure: texts with a clear embedded choice. no_choice:
    texts without a candidate or without a diagnosis. For all of these the model is not asked.
    steps: an estimate for each step that is asked, by its name; a choice is estimated for the
    untranslated text.
    """

    texts: int
    exact: int
    sure: int
    no_choice: int
    steps: Mapping[str, Estimate]


def estimate_mapping(embedded: Iterable[Mapped], chooser: Chooser, run: Run) -> MappingEstimate:
    """Estimate from the embedded mappings (`Mapper.stream(texts, choose=False)`), read once.

    Sends nothing and needs no key. `run` has the cache and the prices. Raises UsageError for a
    judge that cannot be used.
    """
    deciders = Counter[str]()
    texts: list[dict[str, str]] = []
    count = 0

    def questions() -> Iterator[dict[str, Any]]:
        nonlocal count
        for mapping in embedded:
            count += 1
            if chooser.translate and is_translated(mapping.text):
                texts.append({"diagnosis": mapping.text})
            if chooser.is_asked(mapping):
                yield chooser.question(mapping)
            else:
                deciders[mapping.decided_by] += 1

    choices = estimate(CHOOSE_CANDIDATE, questions(), judge=chooser.judge, run=run)
    steps = {CHOOSE_CANDIDATE.name: choices}
    if chooser.translate:
        translations = estimate(TRANSLATE_DIAGNOSIS, texts, judge=chooser.judge, run=run)
        steps = {TRANSLATE_DIAGNOSIS.name: translations, **steps}
    return MappingEstimate(
        texts=count,
        exact=deciders["exact"],
        sure=deciders["embedded"],
        no_choice=deciders["none"],
        steps=steps,
    )
