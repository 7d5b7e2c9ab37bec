"""Let a model take part in mapping: choose among candidates, and translate texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..agents.choose_candidate import CHOOSE_CANDIDATE
from ..agents.engine.models import PROVIDERS
from ..agents.outcome import Outcome
from ..agents.step import Step
from ..agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from ..errors import UsageError
from ..ontology.chosen import Rerank, is_asked
from ..ontology.mapping import Mapping

if TYPE_CHECKING:  # these modules take long to import
    from ..agents.engine.judges import AnyJudge
    from ..agents.engine.run import Run


@dataclass(frozen=True)
class Chooser:
    """A model that chooses among the candidates.

    `rerank`: ask for all texts, only for ambiguous texts (no exact term, and an embedded score
    below `SURE`), or for none. `fallback`: what to do if the model fails: "embedded" keeps the
    embedded choice of the untranslated text, None reports the failure. `shuffle`: a seed for the
    order of the candidates. `translate`: first translate every text into English.
    """

    judge: "AnyJudge"
    run: "Run | None" = None
    rerank: Rerank = "all"
    fallback: Literal["embedded"] | None = None
    shuffle: int | None = None
    translate: bool = False

    def __post_init__(self) -> None:
        if self.rerank not in {"all", "ambiguous", "none"}:
            raise UsageError(f"rerank is {self.rerank!r}; it must be all, ambiguous or none")
        if self.rerank == "none" and not self.translate:
            raise UsageError("rerank is none, so the judge has nothing to do; use translate too")
        if self.fallback not in {None, "embedded"}:
            raise UsageError(f"fallback is {self.fallback!r}; it must be embedded or nothing")

    @property
    def signature(self) -> dict[str, Any]:
        """Everything needed to reproduce the choices: the judge, the prompts and the settings."""
        from ..agents.engine.judges import as_judge

        translate = f"{TRANSLATE_DIAGNOSIS.name} {TRANSLATE_DIAGNOSIS.load_prompt().hash[:12]}"
        return {
            "judge": as_judge(self.judge).spec.model_dump(mode="json"),
            "prompt": f"{CHOOSE_CANDIDATE.name} {CHOOSE_CANDIDATE.load_prompt().hash[:12]}",
            "translate": translate if self.translate else None,
            "rerank": self.rerank,
            "fallback": self.fallback,
            "shuffle": self.shuffle,
        }

    def is_asked(self, mapping: Mapping) -> bool:
        """Whether the model is asked to choose for an embedded mapping."""
        return is_asked(mapping, self.rerank)

    def question(self, mapping: Mapping) -> dict[str, Any]:
        """Return the inputs of the choosing step for an embedded mapping."""
        return {
            "diagnosis": mapping.translation or mapping.text,
            "candidates": [candidate.name for candidate in mapping.candidates],
            "shuffle": self.shuffle,
        }

    def choose(self, mappings: Sequence[Mapping]) -> list[Outcome]:
        """Return the outcome of the choosing step for each of these mappings."""
        return self._ask(CHOOSE_CANDIDATE, [self.question(mapping) for mapping in mappings])

    def in_english(self, texts: Sequence[str]) -> list[Outcome]:
        """Return the outcome of the translating step for each of these texts."""
        return self._ask(TRANSLATE_DIAGNOSIS, [{"diagnosis": text} for text in texts])

    def _ask(self, step: Step[Any, Any], inputs: list[dict[str, Any]]) -> list[Outcome]:
        # Importing LangGraph takes longer than mapping 100 texts, and most runs ask no model.
        from .step import run_step_sync

        outcomes = run_step_sync(step, inputs, judge=self.judge, run=self.run)
        assert isinstance(outcomes, list)
        return outcomes


Part = Literal["failed", "fallback", "exact", "embedded", "other"]
"""The part of the model in a mapping.

"failed": the text has no mapping. "fallback": the embedded choice stands, or the text was not
translated, because the model failed. "exact", "embedded": the model was not needed. "other": it was
asked, or the mapping has no code.
"""


def part_of(mapping: Mapping, chooser: Chooser | None) -> Part:
    """Return the part of the model in a mapping."""
    if mapping.status == "failed":
        return "failed"
    if chooser is None or mapping.decided_by not in ("exact", "embedded"):
        return "other"
    if (chooser.translate and mapping.translation is None) or chooser.is_asked(mapping):
        return "fallback"
    return "exact" if mapping.decided_by == "exact" else "embedded"


def is_final(part: str) -> bool:
    """Whether the next run keeps a mapping with this part of the model; others are tried again."""
    return part not in ("failed", "fallback")


def fell_back(mapping: Mapping, chooser: Chooser | None) -> bool:
    """Whether a mapping is the embedded choice, or was not translated, because the model failed."""
    return part_of(mapping, chooser) == "fallback"


def is_judge(model: str) -> bool:
    """Whether the name of a model means a model that writes text, not one that embeds it."""
    provider = model.partition(":")[0]
    return provider in PROVIDERS and "embed" not in model.lower()
