"""What the model of `dxjudge map --cluster` would be asked about the texts of a job."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...files.blocks import Blocks
from ...graphs.chooser import is_final
from ...graphs.mapping_estimate import MappingCount, count_mapping
from ..terminal.progress import Stages
from .distinct_texts import blocks_of
from .map_work import MAPPED, Map
from .on_ray import Item, each


@dataclass(frozen=True)
class LeftToAsk:
    """Counts what the model would be asked about a block of texts. work: how they are mapped.

    begun: the folder of this job, where an earlier run began it.
    """

    work: Map
    begun: str | None = None

    def __call__(self, item: Item) -> Item:
        """Return the counts of the texts that are not settled or finished, mapped without it."""
        chooser = self.work.chooser
        assert chooser and chooser.run
        texts = [text for text in self.work.texts_of(item) if text]
        wanted = [text for text in texts if self.work.table.settled(text, "") is None]
        finished = self._finished(wanted)
        left = [text for text in wanted if text not in finished]
        embedded = (one for some in self.work.mapper.stream(left, choose=False) for one in some)
        counts = count_mapping(embedded, chooser, chooser.run).plain()
        return {**counts, "finished": len(finished)}

    def _finished(self, texts: list[str]) -> set[str]:
        """Return the texts for which the earlier run has a final mapping."""
        if self.begun is None:
            return set()
        batches = Blocks(self.begun).rows_with(MAPPED, "text", texts)
        rows = (row for batch in batches for row in batch.to_pylist())
        return {row["text"] for row in rows if is_final(row["part"])}


def count_left(
    work: LeftToAsk, texts: Mapping[int, int], workers: int, progress: Stages
) -> tuple[MappingCount, int]:
    """Count on the cluster what is left to ask; also return how many texts are finished.

    texts: how many each bucket has.
    """
    count, finished, blocks = MappingCount(), 0, blocks_of(texts)
    for number, counted in enumerate(each(work, blocks, actors=workers), 1):
        count.add(counted)
        finished += counted["finished"]
        progress("estimating", number, len(blocks))
    return count, finished
