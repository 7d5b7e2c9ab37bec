"""What the tests share: a cache folder of their own, and one mapper over the whole base."""

import gc
import json
import os
import signal
import stat
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from filelock import FileLock
from hypothesis import settings

from dxjudge.agents.engine import habits, limits
from dxjudge.files.charts import to_pdf, to_png
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.mapping import Mapping
from dxjudge.ontology.search import index
from dxjudge.ontology.search.term_rows import TermRows, load_rows

from .built import build_wheel

# Beside the code, so that the index is built once and not for each run of the tests.
os.environ.setdefault("DXJUDGE_CACHE_DIR", str(Path(__file__).parents[1] / "build" / "test-cache"))

# Every worker imports all tests, and many tests start a process: each would compile our code again
# where compiled code is not kept.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What is imported and collected lives until the end: no search for garbage need look at it.
gc.disable()

# A shell that starts the tests in the background makes them ignore the interrupt key.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The first example pays for imports, and a loaded machine is slow: time must not fail a test.
settings.register_profile("without deadline", deadline=None)
# `.ci/run` judges a commit: the same commit gives the same answer. Runs at home search on.
settings.register_profile("reproducible", deadline=None, derandomize=True, database=None)
settings.load_profile(os.environ.get("DXJUDGE_HYPOTHESIS", "without deadline"))


def pytest_collection_finish() -> None:
    """From here on only what tests make is looked at for garbage."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def mapper() -> Iterator[Mapper]:
    """The default mapper, its index built where it is not there yet."""
    yield Mapper()


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The wheel as it would be released, built once by whichever process needs it first."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "wheel"
    with FileLock(f"{folder}.lock"):
        built = list(folder.glob("*.whl"))
        return built[0] if built else build_wheel(folder)


@pytest.fixture(scope="session", autouse=True)
def large_indexes_stay() -> Iterator[None]:
    """A process forgets an index with its last mapper; here each test would read it again."""
    large: deque[TermRows] = deque(maxlen=2)

    def load_and_keep(home: Path, key: str) -> TermRows:
        rows = load_rows(home, key)
        if len(rows.terms) > 10_000 and rows not in large:
            large.append(rows)
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "load_rows", load_and_keep)
        yield


_MAPPED: defaultdict[str, dict[str, Mapping]] = defaultdict(dict)


@pytest.fixture(scope="module")
def texts_are_mapped_once() -> Iterator[None]:
    """For tests of what comes after the mapping, most of them of the same examples.

    Mappers with equal settings share their mappings, also those of other modules.
    """
    map_all = Mapper._without_model

    def map_new(mapper: Mapper, texts: list[str]) -> list[Mapping]:
        known = _MAPPED[json.dumps(mapper.signature, sort_keys=True)]
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, map_all(mapper, new), strict=True))
        return [known[text] for text in texts]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Mapper, "_without_model", map_new)
        yield


@pytest.fixture(scope="module")
def one_picture() -> Iterator[None]:
    """For tests of evaluations that look at no picture: the first one stands for all others.

    Every figure is drawn as SVG, and only the first is converted to PNG and PDF.
    """
    import vl_convert

    with pytest.MonkeyPatch.context() as patch:
        for name in ("svg_to_png", "svg_to_pdf"):
            patch.setattr(vl_convert, name, _first_of(getattr(vl_convert, name)))
        yield
    to_png.cache_clear()
    to_pdf.cache_clear()


def _first_of(convert: Callable[..., bytes]) -> Callable[..., bytes]:
    converted: list[bytes] = []

    def convert_first(svg: str, **options: Any) -> bytes:
        if not converted:
            converted.append(convert(svg, **options))
        return converted[0]

    return convert_first


@pytest.fixture(scope="session", autouse=True)
def no_power_cut() -> Iterator[None]:
    """Files of tests need not outlast the machine, so nothing waits for its disk.

    What is not a plain file is synchronised as ever, since it may refuse.
    """
    synchronise = os.fsync

    def fsync(descriptor: int) -> None:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            synchronise(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        yield


@pytest.fixture(scope="session", autouse=True)
def commands_are_read_once() -> Iterator[None]:
    """Typer's runner reads the options of all commands from their signatures at each call."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def hangup_ends() -> Iterator[None]:
    """A process that the test starts ends at SIGHUP, also where the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture(autouse=True)
def no_limits_of_other_tests() -> None:
    """A free port of a test is at times one whose last server said 429, or had answered."""
    limits._LIMITERS.clear()
    habits._HABITS.clear()
