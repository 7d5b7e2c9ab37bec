"""Give a step a prompt in other words, to test whether the verdict depends on the wording."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..prompts.variants import variant_names, vary_prompt
from .step import Step


def variants_of(step: Step[Any, Any]) -> tuple[str, ...]:
    """Return the names of the other wordings of a step's prompt (see variants.yaml).

    A step that is a variant itself has none. Raises UsageError if the prompt cannot be loaded.
    """
    return variant_names(step.load_prompt())


# One graph is kept for each step object, so each wording must always be the same object.
@lru_cache(maxsize=512)
def vary(step: Step[Any, Any], variant: str) -> Step[Any, Any]:
    """Return the step with its prompt in other words; everything else is the same.

    The prompt is named `NAME~VARIANT` and has a different hash, so that cache keys, journals and
    signatures distinguish it. Raises UsageError for a variant that the prompt does not have.
    """
    return replace(step, prompt=vary_prompt(step.load_prompt(), variant))
