"""Map the batches of a distributed data set: `Dataset.map_batches` of Ray Data, UDFs of Spark.

mapped = ray.data.read_parquet("diagnoses/").map_batches(
    MapBatch,
    fn_constructor_kwargs={"column": "dx"},
    batch_format="pyarrow",
    compute=ray.data.ActorPoolStrategy(min_size=1, max_size=8),
)
mapped.write_parquet("mapped/")
"""

from typing import Any

from ..files.frames import as_arrow, frame_texts, is_frame, with_added
from ..graphs.many import mapping_columns
from ..graphs.mapper import Mapper
from ..ontology.mapping import Mapping
from ..ontology.search.encode import packaged_encoder

_REMEMBERED = 20_000  # mappings that are kept from batch to batch; each takes some kilobytes


class MapBatch:
    """Adds the columns of a mapping to a batch of rows.

    The index is opened with the first batch and kept. A text that was in one of the last batches is
    not mapped again. A text whose mapping fails has the status `failed` and a reason; it does not
    stop the job.

    Args:
        column: the column with the diagnoses; None where only one column is possible.
        threads: how many batches of texts are encoded at once. 1 is right for one worker a core.
        settings: those of `Mapper`.
    """

    def __init__(self, column: str | None = None, *, threads: int = 1, **settings: Any) -> None:
        self._column = column
        self._threads = threads
        self._mapper = Mapper(**settings)
        self._known: dict[str, Mapping] = {}

    def __repr__(self) -> str:
        return f"MapBatch({self._column!r}, {self._mapper!r})"

    def __call__(self, batch: Any) -> Any:
        """Return the batch with the columns of `ADDED` (graphs/many.py) at its end.

        A pandas, polars or Arrow frame, or a list of dicts, gives the same kind; a dict of columns,
        which is how Ray hands out batches by default, gives an Arrow table.

        Raises:
            UsageError: if the column of the diagnoses is not clear.
            InputError: for a cell that is not a text.
        """
        frame = batch if is_frame(batch) else as_arrow(batch)
        texts = frame_texts(frame, self._column)
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            packaged_encoder().threads = self._threads
            self._known.update(zip(new, self._mapper.map_many(new), strict=True))
        return with_added(frame, mapping_columns([self._known[text] for text in texts]))
