"""Run `dxjudge map --cluster --estimate`: what the model would be asked about the whole job."""

import sys
from dataclasses import dataclass, replace
from typing import Any

from ...graphs.mapping_estimate import MappingCount, count_mapping
from ..exit_codes import SOME_FAILED
from ..runs.map_estimate import mapping_facts
from ..runs.map_job import Request
from ..runs.map_model import Asked, asking
from ..terminal.facts import tell
from ..terminal.progress import stages
from .distinct_texts import DISTINCT, TEXTS
from .journal import beside, whole_path
from .map_run import Done, blocks_of, gather, mapping_work, prepare
from .map_work import Map
from .not_read import not_read
from .on_ray import Item, connected, each


@dataclass(frozen=True)
class Estimate:
    """Counts what the model would be asked about a block of texts. work: how they are mapped."""

    work: Map

    def __call__(self, item: Item) -> Item:
        """Return the counts of the texts that nobody has settled, which are mapped without it."""
        chooser = self.work.chooser
        assert chooser and chooser.run
        texts = [text for text in self.work.texts_of(item) if text]
        left = [text for text in texts if self.work.table.settled(text, "") is None]
        embedded = (one for some in self.work.mapper.stream(left, choose=False) for one in some)
        return count_mapping(embedded, chooser, chooser.run).plain()


def estimate_map_cluster(
    request: Request, settings: dict[str, Any], asked: Asked, address: str,
    *, quiet: bool, as_json: bool,
) -> int:  # fmt: skip
    """Run the command; return the exit code. Nothing is sent, and nothing stays in the output."""
    output = beside(whole_path(request.output))
    with stages(quiet=quiet) as progress:
        prepared = prepare(request, settings, asked, progress)
    prepared = replace(prepared, job=replace(prepared.job, output=output))
    done, count = Done(), MappingCount()
    kept = prepared.job.blocks.for_now(TEXTS, DISTINCT)
    with asking(asked) as chooser, connected(address) as cores, kept:
        assert chooser
        with stages(quiet=quiet) as progress:
            texts, style = gather(prepared, done, progress)
            work = Estimate(mapping_work(prepared, style, chooser))
            blocks = blocks_of(texts)
            counts = each(work, blocks, actors=request.workers or cores)
            for number, counted in enumerate(counts, 1):
                count.add(counted)
                progress("estimating", number, len(blocks))
        facts = [*mapping_facts(done.read, done.distinct, count, chooser)]
    others = prepared.found.others
    tell([*facts, *not_read(list(done.unread), others)], as_json=as_json, file=sys.stdout)
    return SOME_FAILED if done.unread or others else 0
