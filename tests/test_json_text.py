"""JSON from outside that is nested too deeply is a fault of the text, and of nothing else."""

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from dxjudge.errors import InputError
from dxjudge.evaluation.cells import listed_diagnoses, read_options, read_scores
from dxjudge.files.json_text import load_json

DEEP = "[" * 100_000 + "]" * 100_000


def test_a_text_nested_too_deeply_is_no_json() -> None:
    assert load_json('[{"a": [1.5, null]}]') == [{"a": [1.5, None]}]
    assert load_json(b'"\xc3\xa9"') == "é"
    with pytest.raises(ValueError, match="brackets are nested too deeply"):
        load_json(DEEP)
    assert gc.isenabled()


def test_finalizers_of_other_objects_do_not_run_while_a_nested_text_is_read() -> None:
    ended: list[bool] = []

    class Finalized:
        def __init__(self) -> None:
            self.myself = self

        def __del__(self) -> None:
            self.descend(400)
            ended.append(True)

        def descend(self, calls: int) -> None:
            if calls:
                self.descend(calls - 1)

    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(700)
    try:
        Finalized()
        with pytest.raises(ValueError):
            load_json(DEEP)
        gc.collect()
    finally:
        gc.set_threshold(*before)
    assert ended == [True]


def test_garbage_is_collected_again_after_many_threads() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as threads:
            list(threads.map(load_json, ["[1]"] * 5_000))
    finally:
        sys.setswitchinterval(interval)
    assert gc.isenabled()


@pytest.mark.parametrize("cell", ['{"A": ' + DEEP + "}", '{"diagnoses": ' + DEEP + "}"])
def test_a_cell_nested_too_deeply_is_told_with_its_row(cell: str) -> None:
    readers: tuple[Any, ...] = (lambda: read_options({"options": cell}, "row 7"),
                                lambda: read_scores(cell, "row 7"))  # fmt: skip
    for read in readers:
        with pytest.raises(InputError, match="row 7"):
            read()
    assert listed_diagnoses(cell) is None
