"""Let a judge choose among the candidates of a mapping."""

from collections.abc import Sequence

from .choose_candidate import (
    CHOOSE_CANDIDATE,
    CHOOSE_CANDIDATE_CONSTRAINED,
    CandidateInput,
)
from .engine.ask import ask
from .engine.judges import AnyJudge
from .engine.run import Run
from .outcome import Outcome


async def choose(
    diagnosis: str,
    names: Sequence[str],
    *,
    judge: AnyJudge,
    run: Run,
    shuffle: int | None = None,
    constrained: bool = False,
) -> Outcome:
    """The judge's choice: Done (value: CandidateChoice), Abstained (none fits) or Failed.

    shuffle: a seed for the order in which the names are shown. constrained: give the server the
    names as an enumeration that its decoder cannot leave; slower where each new schema is
    compiled, and misleading for small models, which follow the first word that fits.
    Raises as `ask`.
    """
    step = CHOOSE_CANDIDATE_CONSTRAINED if constrained else CHOOSE_CANDIDATE
    inputs = CandidateInput(diagnosis=diagnosis, candidates=tuple(names), shuffle=shuffle)
    return await ask(step, inputs, judge=judge, run=run)
