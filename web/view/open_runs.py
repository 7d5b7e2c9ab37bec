"""The runs that `dxjudge view` shows, each read once, when something first asks for it."""

import threading
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from ...errors import InputError
from ...evaluation.finished.read_run import FinishedRun, read_run
from ...evaluation.records import INPUTS, SIGNATURE
from ...files.counted import counted

State = Literal["finished", "running"]


class RunLine(BaseModel):
    """A run in the list of runs; `place` is how addresses name it."""

    place: int
    name: str
    state: State


class OpenRun:
    """The folder of an evaluation, finished or not."""

    def __init__(self, folder: Path, place: int) -> None:
        """folder: the output folder of `dxjudge evaluate`. place: among the runs, from 0."""
        self.folder = folder
        self.place = place
        self._lock = threading.Lock()
        self._finished: FinishedRun | None = None

    @property
    def name(self) -> str:
        """The folder as the user wrote it."""
        return str(self.folder)

    @property
    def state(self) -> State:
        """Whether the evaluation has written everything; the signature is written last."""
        written = (self.folder / SIGNATURE).exists() and (self.folder / INPUTS).exists()
        return "finished" if written else "running"

    @property
    def line(self) -> RunLine:
        """The run in the list of runs."""
        return RunLine(place=self.place, name=self.name, state=self.state)

    @property
    def finished(self) -> FinishedRun:
        """Everything that the run has written. Raises InputError for a run that still goes."""
        with self._lock:
            if self._finished is None:
                self._finished = read_run(self.folder)
            return self._finished


class OpenRuns:
    """The runs in the order in which the user named them."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        """Raise InputError for a folder that is not there."""
        for folder in folders:
            if not folder.is_dir():
                raise InputError(f"{folder}: there is no such folder")
        self.runs = tuple(OpenRun(folder, place) for place, folder in enumerate(folders))

    def run(self, place: int) -> OpenRun:
        """Return the run at a place. Raises InputError where there is none."""
        if not 0 <= place < len(self.runs):
            raise InputError(f"there is no run {place}: {counted(len(self.runs), 'run')} are open")
        return self.runs[place]

    @property
    def title(self) -> str:
        """The names of the runs, for the title of the page."""
        return ", ".join(run.name for run in self.runs)
