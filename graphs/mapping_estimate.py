"""Estimate calls and costs before a model chooses among the candidates of mappings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..agents.choose_candidate import CHOOSE_CANDIDATE
from ..agents.engine.estimate import Count, Estimate, count_calls
from ..agents.engine.run import Run
from ..agents.step import Step
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


@dataclass
class MappingCount:
    """What is counted of texts for their estimate. deciders: texts by who decides them."""

    texts: int = 0
    deciders: Counter[str] = field(default_factory=Counter)
    choices: Count = field(default_factory=Count)
    translations: Count = field(default_factory=Count)

    def plain(self) -> dict[str, Any]:
        """Return the counts as plain JSON."""
        calls = {"choices": self.choices.plain(), "translations": self.translations.plain()}
        return {"texts": self.texts, "deciders": self.deciders, **calls}

    def add(self, other: Mapping[str, Any]) -> None:
        """Add the plain counts of other texts."""
        self.texts += other["texts"]
        self.deciders.update(other["deciders"])
        self.choices.add(other["choices"])
        self.translations.add(other["translations"])

    def estimate(self, chooser: Chooser, run: Run) -> MappingEstimate:
        """Return the estimate of the texts."""
        asked: list[tuple[Step[Any, Any], Count]] = [(CHOOSE_CANDIDATE, self.choices)]
        if chooser.translate:
            asked.insert(0, (TRANSLATE_DIAGNOSIS, self.translations))
        return MappingEstimate(
            texts=self.texts,
            exact=self.deciders["exact"],
            sure=self.deciders["embedded"],
            no_choice=self.deciders["none"],
            steps={step.name: one.estimate(step, chooser.judge, run) for step, one in asked},
        )


def count_mapping(embedded: Iterable[Mapped], chooser: Chooser, run: Run) -> MappingCount:
    """Count embedded mappings (`Mapper.stream(texts, choose=False)`), read once, for an estimate.

    Several counts can be added. Sends nothing and needs no key. `run` has the cache and the prices.
    Raises UsageError for a judge that cannot be used.
    """
    count = MappingCount()
    texts: list[dict[str, str]] = []

    def questions() -> Iterator[dict[str, Any]]:
        for mapping in embedded:
            count.texts += 1
            if chooser.translate and is_translated(mapping.text):
                texts.append({"diagnosis": mapping.text})
            if chooser.is_asked(mapping):
                yield chooser.question(mapping)
            else:
                count.deciders[mapping.decided_by] += 1

    count.choices = count_calls(CHOOSE_CANDIDATE, questions(), judge=chooser.judge, run=run)
    if chooser.translate:
        count.translations = count_calls(TRANSLATE_DIAGNOSIS, texts, judge=chooser.judge, run=run)
    return count
