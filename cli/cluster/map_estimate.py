"""Run `dxjudge map --cluster --estimate`: what the model would be asked about the whole job."""

import sys
from dataclasses import replace
from typing import Any

from ..exit_codes import SOME_FAILED
from ..runs.map_estimate import mapping_facts
from ..runs.map_job import Request
from ..runs.map_model import Asked, asking
from ..terminal.facts import tell
from ..terminal.progress import stages
from .distinct_texts import DISTINCT, TEXTS
from .journal import beside, is_unfinished, whole_path
from .left_to_ask import LeftToAsk, count_left
from .map_run import Done, about_job, gather, mapping_work, prepare
from .not_read import not_read
from .on_ray import connected


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
    done = Done()
    kept = prepared.job.blocks.for_now(TEXTS, DISTINCT)
    with asking(asked) as chooser, connected(address) as cores, kept:
        assert chooser
        with stages(quiet=quiet) as progress:
            texts, style = gather(prepared, done, progress)
            work = LeftToAsk(mapping_work(prepared, style, chooser), begun)
            count, finished = count_left(work, texts, request.workers or cores, progress)
        facts = [*mapping_facts(done.read, done.distinct, count, chooser, finished)]
    others = prepared.found.others
    tell([*facts, *not_read(list(done.unread), others)], as_json=as_json, file=sys.stdout)
    return SOME_FAILED if done.unread or others else 0
