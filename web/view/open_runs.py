"""The runs that `dxjudge view` shows, each read once, when something first asks for it."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from ...errors import InputError
from ...evaluation.finished.read_run import FinishedRun, read_run
from ...evaluation.pages.opened import OpenedCases, few_pauses, open_cases, own_people
from ...evaluation.pages.people import PeoplePage, people_page
from ...evaluation.pages.progress import read_progress
from ...evaluation.records import INPUTS, OVERVIEW, RATINGS, SIGNATURE
from ...files.counted import counted
from ...scoring.votes import Vote

State = Literal["finished", "running", "stopped"]
Stamp = tuple[int, ...]


class RunLine(BaseModel):
    """A run in the list of runs; `place` is how addresses name it."""

    place: int
    name: str
    state: State


class OpenRun:
    """The folder of an evaluation, finished or not.

    Verdicts of people are those given, and those that the folder itself has.
    """

    def __init__(self, folder: Path, place: int, people: Sequence[Vote] = ()) -> None:
        """folder: the output folder of `dxjudge evaluate`. place: among the runs, from 0."""
        self.folder = folder
        self.place = place
        self._people = people
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._finished: tuple[Stamp, FinishedRun] | None = None
        self._cases: tuple[Stamp, OpenedCases] | None = None
        self._compared: tuple[OpenedCases, PeoplePage | None] | None = None

    @property
    def name(self) -> str:
        """The folder as the user wrote it."""
        return str(self.folder)

    @property
    def state(self) -> State:
        """Whether the evaluation has written everything, still goes, or was stopped.

        The data of the front page is written last. A folder of an earlier run can be written again.
        """
        progress = read_progress(self.folder)
        if progress is not None and progress.goes:
            return "running"
        written = all((self.folder / name).exists() for name in (INPUTS, SIGNATURE, OVERVIEW))
        return "finished" if written else "stopped"

    @property
    def _stamp(self) -> Stamp:
        """Others once the run was done again or was rated."""
        paths = (self.folder / OVERVIEW, self.folder / RATINGS)
        return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in paths)

    @property
    def line(self) -> RunLine:
        """The run in the list of runs."""
        return RunLine(place=self.place, name=self.name, state=self.state)

    @property
    def finished(self) -> FinishedRun:
        """Everything that the run has written. Raises InputError for a run that still goes."""
        with self._lock:
            stamp = self._stamp
            if self._finished is None or self._finished[0] != stamp:
                self._finished = stamp, read_run(self.folder)
            return self._finished[1]

    @property
    def cases(self) -> OpenedCases:
        """The tables behind the pages of cases. Raises InputError for a run that still goes."""
        with self._reading:
            stamp = self._stamp
            if self._cases is None or self._cases[0] != stamp:
                with few_pauses():
                    people = [*self._people, *own_people(self.folder)]
                    self._cases = stamp, open_cases(self.folder, people)
            return self._cases[1]

    @property
    def people(self) -> PeoplePage | None:
        """Judges and people on the same items; None where no person said anything."""
        cases = self.cases
        with self._lock:
            if self._compared is None or self._compared[0] is not cases:
                self._compared = cases, people_page(cases.items)
            return self._compared[1]

    def read_ahead(self) -> None:
        """Read the tables of cases in the background, so that the first look at them is fast."""

        def read() -> None:
            with suppress(InputError):  # the page that asks for them says what is wrong
                self.cases.read_ahead()

        if self.state == "finished":
            threading.Thread(target=read, daemon=True).start()


class OpenRuns:
    """The runs in the order in which the user named them."""

    def __init__(self, folders: Sequence[Path], people: Sequence[Vote] = ()) -> None:
        """people: verdicts of people. Raises InputError for a folder that is not there."""
        for folder in folders:
            if not folder.is_dir():
                raise InputError(f"{folder}: there is no such folder")
        self.runs = tuple(OpenRun(folder, place, people) for place, folder in enumerate(folders))

    def run(self, place: int) -> OpenRun:
        """Return the run at a place. Raises InputError where there is none."""
        if not 0 <= place < len(self.runs):
            raise InputError(f"there is no run {place}: {counted(len(self.runs), 'run')} are open")
        return self.runs[place]

    @property
    def title(self) -> str:
        """The names of the runs, for the title of the page."""
        return ", ".join(run.name for run in self.runs)
