"""Connect to a Ray cluster, and do the items of a job on it with Ray Data."""

import importlib
import json
import logging
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any

from ... import errors
from ...errors import DxjudgeError, EnvironmentFault, MissingExtra
from ...files.addresses import check_address
from ...graphs.workers import cores

Item = Mapping[str, Any]
"""An item of a job, and its result: plain JSON."""
Work = Callable[[Item], Item]
"""What a worker does with an item. It is sent to the workers once, so it must be picklable."""


@contextmanager
def connected(address: str) -> Iterator[int]:
    """Connect to a cluster and yield the number of its cores.

    address: "" for the cluster that RAY_ADDRESS names or that runs on this machine; where there is
    none, one is started with the cores of this machine. Raises MissingExtra without Ray, and
    EnvironmentFault where no cluster answers.
    """
    check_address(address, "the address of the cluster", "give host:port")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report its use to its makers
    ray = _ray()
    own = {} if address or os.environ.get("RAY_ADDRESS") else {"num_cpus": cores()}
    with _signals_kept():
        try:
            _init(ray, address, own)
        except (ConnectionError, RuntimeError, ValueError) as fault:
            raise EnvironmentFault(f"no Ray cluster at {address or 'hand'}: {fault}") from fault
    with _only_ours():
        try:
            yield max(int(ray.cluster_resources().get("CPU", 1)), 1)
        finally:
            ray.shutdown()


def _init(ray: Any, address: str, own: Mapping[str, Any]) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR, "include_dashboard": False}
    try:
        ray.init(address=address or None, **quiet, **own)
    except ValueError:  # a cluster runs on this machine, and it has its own number of cores
        if not own:
            raise
        ray.init(**quiet)


def _ray() -> Any:
    try:
        importlib.import_module("ray.data")
        return importlib.import_module("ray")
    except ImportError as fault:
        raise MissingExtra("--cluster", "ray", fault) from fault


@contextmanager
def _only_ours() -> Iterator[None]:
    """Keep lines that Ray writes about its nodes out of standard output and standard error.

    What this package writes on standard error still goes there.
    """
    with open(os.devnull, "w") as nowhere, os.fdopen(os.dup(2), "w", 1) as ours:
        try:
            os.dup2(nowhere.fileno(), 2)
            with redirect_stdout(nowhere), redirect_stderr(ours):
                yield
        finally:
            os.dup2(ours.fileno(), 2)


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Let a signal end a run as before: Ray would take SIGTERM for itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, kept)


def each(work: Work, items: Sequence[Item], actors: int = 0) -> Iterator[Item]:
    """Do every item on the cluster and yield the results as they come.

    The work of a worker or a node that is lost is done again by another. actors: so many workers
    keep the work between items, for work that loads much; 0 for workers that keep nothing.
    Raises what an item raised if that is a DxjudgeError, and EnvironmentFault for anything else.
    """
    if not items:
        return
    ray = _ray()
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    here = os.getcwd()
    rows = [{"item": json.dumps(item)} for item in items]
    dataset = ray.data.from_items(rows, override_num_blocks=len(rows))
    if actors:
        pool = ray.data.ActorPoolStrategy(size=min(actors, len(rows)))
        done = dataset.map(_Worker, fn_constructor_args=[work, here], compute=pool, num_cpus=1)
    else:
        done = dataset.map(_do, fn_kwargs={"work": work, "folder": here}, num_cpus=1)
    try:
        for row in done.iter_rows():
            yield _result(json.loads(row["result"]))
    except ray.exceptions.RayError as fault:
        reason = str(fault).strip().splitlines()[0]
        raise EnvironmentFault(f"the cluster failed: {reason}") from fault


def answer_of(method: Any, *arguments: Any) -> Any:
    """Call a method of an actor and wait for its answer."""
    return _ray().get(method.remote(*arguments))


class _Worker:
    """A worker that keeps its work, and with it what the work has loaded."""

    def __init__(self, work: Work, folder: str = "") -> None:
        self._work = work
        self._folder = folder

    def __call__(self, row: Item) -> Item:
        return _do(row, self._work, self._folder)


def _do(row: Item, work: Work, folder: str = "") -> Item:
    with suppress(OSError):  # the options may name files from the folder of the command
        os.chdir(folder)
    try:
        return {"result": json.dumps({"result": work(json.loads(row["item"]))})}
    except DxjudgeError as fault:
        # As words: an exception may have arguments that cannot be sent.
        kinds = (kind.__name__ for kind in type(fault).__mro__ if kind in _KINDS)
        told = [next(kinds), str(fault)]
    except Exception as fault:
        frame = traceback.extract_tb(fault.__traceback__)[-1]
        where = f"{os.path.basename(frame.filename)}, line {frame.lineno}"
        why = f"a worker failed: {type(fault).__name__}: {fault} ({where})"
        told = [errors.EnvironmentFault.__name__, why]
    return {"result": json.dumps({"fault": told})}


_KINDS = (
    errors.UsageError,
    errors.InputError,
    errors.OutputError,
    errors.NoVerdict,
    errors.EnvironmentFault,
    errors.DxjudgeError,
)


def _result(answer: Mapping[str, Any]) -> Item:
    if "fault" in answer:
        kind, why = answer["fault"]
        raise next(known for known in _KINDS if known.__name__ == kind)(why)
    result: Item = answer["result"]
    return result
