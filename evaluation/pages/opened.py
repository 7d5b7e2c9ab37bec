"""The tables of one finished run behind its pages of cases, each read once."""

import gc
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ...agents.images import Image, LoadedImage, load_images
from ...errors import DxjudgeError, InputError
from ...graphs.jury.votes_file import read_votes
from ...ontology.tree import load_tree
from ...scoring.votes import Vote
from ..records import RATINGS, SIGNATURE, read_signature
from .case_view import CaseView, case_view
from .coded import Mask
from .items import Items, read_items
from .kept import ATTEMPTS, PROMPTS, Kept
from .predictions import PREDICTIONS, Prediction, Predictions
from .texts import Texts
from .tree_view import TreeView, tree_view
from .wanted import Table, Wanted

_PAUSE = 1.0  # seconds in which the first rows reach the page


class AttemptView(BaseModel):
    """An attempt at an answer, with its fault."""

    at: str
    turn: int
    attempt: int
    method: str
    status: str
    text: str
    error: str
    seconds: float | None
    cost: float | None


class Exchange(BaseModel):
    """What was sent to a judge and what came back. notes: what the run did not keep."""

    system: str
    user: str
    images: list[str]
    attempts: list[AttemptView]
    reply: str
    notes: list[str]


class OpenedCases:
    """The verdicts of a run with their texts, diagnoses, prompts and attempts."""

    def __init__(self, folder: Path, items: Items, kept: Kept) -> None:
        """folder: of the finished run. kept: its prompts and attempts."""
        self.folder = folder
        self.items = items
        self.kept = kept
        self.predictions = Predictions(folder)
        self._searching = threading.Lock()
        self._reads_on = False

    @cached_property
    def table(self) -> Table:
        """The verdicts, to filter and sort."""
        return Table(self.items, self._with_text)

    def _with_text(self, words: str) -> Mask:
        with self._searching:  # a search waits for the texts that are read ahead
            return self._texts.rows(words)

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self.items, self.kept)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings of the run, as its signature has them."""
        return dict(read_signature(self.folder / SIGNATURE)["settings"])

    def read_ahead(self) -> None:
        """Read what the first look at the table waits for."""
        self.table.found(Wanted())

    def read_on(self) -> None:
        """Read, once and in the background, what a first score, search or case would wait for.

        To be called when the table is shown: earlier, this work would delay it.
        """
        if not self._reads_on:
            self._reads_on = True
            timer = threading.Timer(_PAUSE, self._read_rest)
            timer.daemon = True
            timer.start()

    def _read_rest(self) -> None:
        # The page that needs a file says what is wrong with it.
        with suppress(InputError), few_pauses():
            for metric in self.items.scores.metrics[:1]:  # finds the rows' places for all metrics
                self.items.score_of(metric)
            self.predictions.of("")
            self._with_text("\x00")

    def case(self, case: str, wanted: Wanted) -> CaseView:
        """Return a case beside those of the wanted rows. Raises InputError for an unknown one."""
        return self._view(case, self.table.cases(wanted))

    def alone(self, case: str) -> CaseView:
        """Return a case without those beside it, as a report shows it."""
        return self._view(case, ())

    def _view(self, case: str, order: Sequence[str]) -> CaseView:
        predictions = self.predictions.of(case)
        tree, why = self._tree(predictions)
        notes = [f"No tree is drawn: {why}."] if why else []
        return case_view(self.items, case, order, predictions, tree, notes)

    def image(self, case: int, number: int) -> LoadedImage:
        """Return an image of a case, both by their places from 0.

        Raises InputError for one that is not there, cannot be read, or is an address: the pages
        load nothing from other machines.
        """
        cases = self.items.inputs.cases
        images = cases[case].images if 0 <= case < len(cases) else ()
        if not 0 <= number < len(images):
            raise InputError(f"case {case + 1} has no image {number + 1}")
        image = Image.model_validate(images[number])
        if image.path is None:
            raise InputError(f"{images[number]} is an address: nothing is loaded from there")
        return load_images((image,))[0]

    def _tree(self, predictions: Sequence[Prediction]) -> tuple[TreeView | None, str]:
        """The tree of a case, or why there is none."""
        if not (self.folder / PREDICTIONS).exists():
            return None, f"the run has no {PREDICTIONS}"
        try:
            tree = load_tree(self.settings["ontology"])
        except DxjudgeError as fault:
            return None, str(fault)
        view = tree_view(tree, predictions, self.items.inputs.responses, self.settings["predicted"])
        return view, "" if view else "the run has mapped no diagnosis of this case to a code"

    def exchange(self, row: int) -> Exchange:
        """Return what was sent and received for a row of the table of all verdicts."""
        item = self.items.rows[row]
        prompt = self.kept.prompts.get(item.key)
        attempts = self.kept.attempts.get(item.key, [])
        return Exchange(
            system=prompt.system if prompt else "",
            user=prompt.user if prompt else "",
            images=list(prompt.images) if prompt else [],
            attempts=[_attempt(one) for one in attempts],
            reply=self.kept.replies.get(item.key, ""),
            notes=self._not_kept(item.key, item.decided_by),
        )

    def _not_kept(self, key: str, decided_by: str) -> list[str]:
        if not key:
            return [f"No model was asked: {decided_by or 'nobody'} decided."]
        notes = []
        if key not in self.kept.prompts:
            notes.append(
                f"The prompt is not in {PROMPTS}: an earlier version or another folder asked, or "
                "the item was asked in several calls."
            )
        if key not in self.kept.attempts and key not in self.kept.replies:
            notes.append(f"The reply is not in {ATTEMPTS}: it came from an earlier run.")
        return notes


def _attempt(one: dict[str, Any]) -> AttemptView:
    return AttemptView(
        at=str(one.get("at", "")),
        turn=int(one.get("turn") or 0),
        attempt=int(one.get("attempt") or 0),
        method=str(one.get("method", "")),
        status=str(one.get("status", "")),
        text=str(one.get("text", "")),
        error=str(one.get("error", "")),
        seconds=one.get("latency"),
        cost=one.get("cost"),
    )


@contextmanager
def few_pauses() -> Iterator[None]:
    """Read without the collector of circular garbage, which looks at all that was read so far.

    Nor does it look at it later: that would take longer than a filter does.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def open_cases(folder: Path, people: Sequence[Vote] = ()) -> OpenedCases:
    """Open the cases of a finished run. Raises InputError for a folder without an evaluation."""
    kept = Kept(folder)
    return OpenedCases(folder, read_items(folder, people, lambda: kept.seconds), kept)


def own_people(folder: Path) -> list[Vote]:
    """Read what people said of a run, where its folder has their verdicts."""
    path = folder / RATINGS
    return read_votes(path, by_groups=True) if path.exists() else []
