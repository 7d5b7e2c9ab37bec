"""The steps there are: one line each."""

import difflib
from typing import Any

from ..errors import UsageError
from .choose_candidate import CHOOSE_CANDIDATE
from .step import Step

STEPS: tuple[Step[Any, Any], ...] = (CHOOSE_CANDIDATE,)


def find_step(step: str | Step[Any, Any]) -> Step[Any, Any]:
    """The step of this name. Raises UsageError that lists the names."""
    if isinstance(step, Step):
        return step
    names = {known.name: known for known in STEPS}
    if step in names:
        return names[step]
    near = difflib.get_close_matches(step, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the steps are {', '.join(sorted(names))}"
    raise UsageError(f"no step {step!r}; {hint}")
