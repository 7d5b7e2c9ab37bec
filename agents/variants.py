"""The same step in other words, to see whether a verdict depends on the wording of its prompt."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..prompts.variants import variant_names, vary_prompt
from .step import Step


def variants_of(step: Step[Any, Any]) -> tuple[str, ...]:
    """The names of the wordings that a step's prompt has beside its own (see variants.yaml).

    A step that is a variant itself has none. Raises UsageError when the prompt cannot be loaded.
    """
    return variant_names(step.load_prompt())


# A graph is kept for each step object: one object for each wording.
@lru_cache(maxsize=512)
def vary(step: Step[Any, Any], variant: str) -> Step[Any, Any]:
    """The step with its prompt in other words; everything else is the same.

    The prompt goes by `NAME~VARIANT` and has a hash of its own, so that cache keys, journals and
    signatures tell it apart. Raises UsageError for a variant that the prompt does not have.
    """
    return replace(step, prompt=vary_prompt(step.load_prompt(), variant))
