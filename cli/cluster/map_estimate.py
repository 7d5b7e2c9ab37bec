"""Run `dxjudge map --cluster --estimate`: what the model would be asked about the whole job."""

import sys
from dataclasses import dataclass, replace
from typing import Any

from ...files.blocks import Blocks
from ...graphs.chooser import is_final
from ...graphs.mapping_estimate import MappingCount, count_mapping
from ..exit_codes import SOME_FAILED
from ..runs.map_estimate import mapping_facts
from ..runs.map_job import Request
from ..runs.map_model import Asked, asking
from ..terminal.facts import tell
from ..terminal.progress import stages
from .distinct_texts import DISTINCT, TEXTS
from .journal import beside, is_unfinished, whole_path
from .map_run import Done, about_job, blocks_of, gather, mapping_work, prepare
from .map_work import MAPPED, Map
from .not_read import not_read
from .on_ray import Item, connected, each


@dataclass(frozen=True)
class Estimate:
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


def estimate_map_cluster(
    request: Request, settings: dict[str, Any], asked: Asked, address: str,
    *, quiet: bool, as_json: bool,
) -> int:  # fmt: skip
    """Run the command; return the exit code. Nothing is sent, and nothing stays in the output."""
    output = beside(whole_path(request.output))
    with stages(quiet=quiet) as progress:
        prepared = prepare(request, settings, asked, progress)
    begun = prepared.job.output if is_unfinished(request.output, about_job(prepared)) else None
    prepared = replace(prepared, job=replace(prepared.job, output=output))
    done, count, finished = Done(), MappingCount(), 0
    kept = prepared.job.blocks.for_now(TEXTS, DISTINCT)
    with asking(asked) as chooser, connected(address) as cores, kept:
        assert chooser
        with stages(quiet=quiet) as progress:
            texts, style = gather(prepared, done, progress)
            work = Estimate(mapping_work(prepared, style, chooser), begun)
            blocks = blocks_of(texts)
            counts = each(work, blocks, actors=request.workers or cores)
            for number, counted in enumerate(counts, 1):
                count.add(counted)
                finished += counted["finished"]
                progress("estimating", number, len(blocks))
        facts = [*mapping_facts(done.read, done.distinct, count, chooser, finished)]
    others = prepared.found.others
    tell([*facts, *not_read(list(done.unread), others)], as_json=as_json, file=sys.stdout)
    return SOME_FAILED if done.unread or others else 0
