"""Judge the batches of a distributed data set: `Dataset.map_batches` of Ray Data, UDFs of Spark.

judged = ray.data.read_parquet("answers/").map_batches(
    JudgeBatch,
    fn_constructor_kwargs={"step": "grade_ddx", "judge": "openai:gpt-4o",
                           "cache": "redis://cache:6379"},
    batch_format="pyarrow",
    compute=ray.data.ActorPoolStrategy(min_size=1, max_size=8),
)
judged.write_parquet("judged/")
"""

from collections.abc import Mapping as ReadOnly
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.outcome import Outcome
from ..agents.stand_ins import check_engine
from ..agents.step import Step
from ..agents.steps import find_step
from ..files.frames import as_arrow, is_frame, with_added
from ..graphs.columns import judged_columns, result_types
from ..graphs.row_inputs import frame_inputs
from ..graphs.step import run_step_sync


class JudgeBatch:
    """Adds the verdicts of a step to a batch of rows.

    Cache, limits and budget are opened with the first batch and kept. A row that fails has the
    status `failed` and a reason; it does not stop the job.

    Args:
        step: the name of a step, or `path/to/file.py:NAME`.
        judge: the model that is asked, such as "openai:gpt-4o"; None where rules decide.
        fields: field of the step -> column, where the column has another name.
        given: field of the step -> value, for fields that are the same in all rows.
        engine, repeat: as in `run_step`.
        settings: those of `Run`. `cache="redis://…"` shares replies, so that no question is asked
            twice. Limits and budget are those of one worker, unless `permits` (adapters/permits.py)
            gives those of the whole job.

    Raises:
        UsageError: for a step, a judge or an engine that cannot be used.
    """

    def __init__(
        self,
        step: str | Step[Any, Any],
        *,
        judge: AnyJudge | None = None,
        fields: ReadOnly[str, str] | None = None,
        given: ReadOnly[str, Any] | None = None,
        engine: str = "auto",
        repeat: int = 0,
        **settings: Any,
    ) -> None:
        known = find_step(step)
        check_engine(known, engine, judge is not None)
        self._types = result_types(known)
        self._step = step
        self._named = [f"{field}={column}" for field, column in (fields or {}).items()]
        self._given = dict(given or {})
        self._asked: dict[str, Any] = {"judge": judge, "engine": engine, "repeat": repeat}
        self._settings = settings

    def __repr__(self) -> str:
        return f"JudgeBatch({find_step(self._step).prompt_name!r}, judge={self._asked['judge']!r})"

    def __call__(self, batch: Any) -> Any:
        """Return the batch with the columns of `dxjudge judge` at its end.

        Frames and dicts of columns are taken and given back as `MapBatch` does. Raises UsageError
        for a field without a column, and AuthenticationFault, ModelFault or ReplayMiss where no
        row can succeed.
        """
        frame = batch if is_frame(batch) else as_arrow(batch)
        step = find_step(self._step)
        inputs = frame_inputs(step, frame, self._named, self._given)
        columns = judged_columns(step, self.judge_all(inputs))
        return with_added(frame, columns, self._types)

    def judge_all(self, inputs: Sequence[dict[str, Any]]) -> list[Outcome]:
        """Return the outcome of each input, in order."""
        if not inputs:
            return []
        return run_step_sync(self._step, inputs, run=self.run, **self._asked)

    @cached_property
    def run(self) -> Run:
        """The run of this worker: its cache, its counts, and its limits and budget."""
        return Run(**self._settings)

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings alone; a copy opens a run of its own."""
        return {name: value for name, value in vars(self).items() if name != "run"}
