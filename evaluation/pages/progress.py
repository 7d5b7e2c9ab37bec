"""How far a run is: written while it goes, read by the pages that show it."""

import json
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import BaseModel, ValidationError

from ...errors import OutputError
from ...files.bytes import writing
from ..judging import CountsReplays
from ..judging import Progress as Told
from .kept import ATTEMPTS, lines_of

PROGRESS = "progress.json"
_SECONDS = 0.5  # between two writings of the file
_FRESH = 10.0  # seconds after a writing within which a run goes, wherever its process is
_QUIET = 600.0  # seconds without news after which a run counts as stopped
_SHOWN = 50  # the latest attempts with a fault


class Stage(BaseModel):
    """A task under a judge: how many of its items are done."""

    name: str
    done: int
    total: int


class Progress(BaseModel):
    """The stages of a run so far. started, at: seconds since 1970. process: its number."""

    process: int
    started: float
    at: float
    stages: list[Stage]

    @property
    def goes(self) -> bool:
        """Whether the process of the run is still there, as far as this machine can tell.

        A process in a container or on another machine has no number here: it goes as long as it
        writes.
        """
        quiet = abs(time.time() - self.at)  # another machine's clock may be ahead
        if quiet < _FRESH:
            return True
        if os.name == "nt":  # there, signal 0 would end the process
            return quiet < _QUIET
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True  # another user's process
        return True


class Fault(BaseModel):
    """An attempt that gave no valid answer."""

    at: str
    step: str
    judge: str
    status: str
    error: str
    text: str


class Going(BaseModel):
    """What is known of a run that still goes.

    attempts: how many ended in each way. faults: the latest ones, the newest first.
    """

    progress: Progress | None
    attempts: dict[str, int]
    faults: list[Fault]


class ProgressFile:
    """Writes how far a run is, twice a second, from a thread of its own."""

    def __init__(self, folder: Path, *, goes_on: bool = False) -> None:
        """folder: the output folder, which exists. goes_on: with what this process noted before."""
        self._path = folder / PROGRESS
        known = read_progress(folder) if goes_on else None
        before = known if known is not None and known.process == os.getpid() else None
        self._stages = {stage.name: stage for stage in before.stages} if before else {}
        self._started = before.started if before else time.time()
        self._ended = threading.Event()
        self._write()
        self._thread = threading.Thread(target=self._keep_writing, daemon=True)
        self._thread.start()

    def note(self, stage: str, done: int, total: int) -> None:
        """Note how many items of a stage are done."""
        self._stages[stage] = Stage(name=stage, done=done, total=total)

    def close(self) -> None:
        """Write the last state, and stop the thread."""
        self._ended.set()
        self._thread.join()

    def _keep_writing(self) -> None:
        ended = False
        while not ended:
            ended = self._ended.wait(_SECONDS)
            with suppress(OutputError):  # a full disk ends the run where it keeps its results
                self._write()

    def _write(self) -> None:
        progress = Progress(process=os.getpid(), started=self._started, at=time.time(),
                            stages=list(self._stages.values()))  # fmt: skip
        with writing(self._path) as file:
            file.write(progress.model_dump_json().encode())


class _Noted:
    """A progress function that writes the file too."""

    def __init__(self, file: ProgressFile, progress: Told | None) -> None:
        self._file = file
        self._progress = progress

    def __call__(self, stage: str, done: int, total: int) -> None:
        self._file.note(stage, done, total)
        if self._progress is not None:
            self._progress(stage, done, total)

    def replayed(self, stage: str) -> None:
        """Pass on that nobody was asked for an item: the pace leaves it out."""
        if isinstance(self._progress, CountsReplays):
            self._progress.replayed(stage)


@contextmanager
def progress_kept(folder: Path, progress: Told | None, *, goes_on: bool = False) -> Iterator[Told]:
    """Yield a progress function that writes the file too, and calls the given one.

    goes_on: the stages that this process noted there before stay. The file stays until the tables
    are written (`end_progress`), or goes if the block fails.
    """
    file = ProgressFile(folder, goes_on=goes_on)
    try:
        yield _Noted(file, progress)
    except BaseException:
        file.close()
        end_progress(folder)
        raise
    file.close()


def end_progress(folder: Path) -> None:
    """Remove the file: the run has ended."""
    (folder / PROGRESS).unlink(missing_ok=True)


def read_progress(folder: Path) -> Progress | None:
    """Return how far the run in a folder is; None where it is not said."""
    try:
        return Progress.model_validate(json.loads((folder / PROGRESS).read_bytes()))
    except (OSError, ValueError, ValidationError):
        return None  # it is being replaced, or there is none


def read_going(folder: Path) -> Going:
    """Return what the folder of an unfinished run shows."""
    attempts: Counter[str] = Counter()
    faults: deque[Fault] = deque(maxlen=_SHOWN)
    for one in lines_of(folder / ATTEMPTS):
        attempts[str(one.get("status", ""))] += 1
        if one.get("status") != "valid":
            faults.append(Fault(**{name: str(one.get(name, "")) for name in Fault.model_fields}))
    return Going(
        progress=read_progress(folder), attempts=dict(attempts), faults=list(reversed(faults))
    )
