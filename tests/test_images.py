"""Images that no provider takes as they are: made smaller and said, or refused with the bound."""

import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from dxjudge.agents.engine.run import Run
from dxjudge.agents.images import MAX_BYTES, Image, load_images
from dxjudge.agents.wires.image_size import MAX_SIDE
from dxjudge.cli.main import run as command
from dxjudge.errors import InputError
from dxjudge.evaluation.cases import Case, Source
from dxjudge.evaluation.read import with_images
from dxjudge.graphs.step import run_step_sync

from .protocol_server import ProtocolServer, say
from .test_models import GOOD, LOOK


def picture(width: int, height: int, kind: str, mode: str = "RGB") -> bytes:
    """Noise, which no format makes smaller."""
    data = random.Random(0).randbytes(width * height * len(Pillow.new(mode, (1, 1)).getbands()))
    file = io.BytesIO()
    Pillow.frombytes(mode, (width, height), data).save(file, kind)
    return file.getvalue()


LARGE = picture(1300, 1000, "PNG")  # 3.9 million bytes of noise


def test_an_image_of_too_many_bytes_is_made_smaller_and_the_row_says_so(tmp_path: Path) -> None:
    assert len(LARGE) > MAX_BYTES
    with ProtocolServer([GOOD]) as server:
        with Run(cache=tmp_path / "r.sqlite") as run:
            inputs = {"question": "q", "images": [LARGE]}
            first, again = (
                run_step_sync(LOOK, inputs, judge=server.judge(), run=run) for _ in range(2)
            )
    [sent] = server.seen[0].images
    assert isinstance(sent, bytes) and len(sent) <= MAX_BYTES
    with Pillow.open(io.BytesIO(sent)) as small:
        width, height = small.size
        assert small.format == "PNG" and width / height == pytest.approx(1.3, abs=0.01)
    for outcome in (first, again):
        assert not isinstance(outcome, list) and outcome.status == "done"
        [note] = outcome.notes
        assert f"from 1,300 x 1,000 to {width:,} x {height:,} pixels" in note
        assert f"at most {MAX_BYTES:,} bytes and {MAX_SIDE:,} pixels a side" in note
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("kind", "mode", "width", "height", "shown"),
    [
        ("JPEG", "L", MAX_SIDE + 1000, 9, ("JPEG", "L", (MAX_SIDE, 8))),
        ("PNG", "LA", 9, MAX_SIDE + 1000, ("PNG", "LA", (8, MAX_SIDE))),
        ("WEBP", "RGB", 9000, 18, ("WEBP", "RGB", (MAX_SIDE, 16))),
        ("GIF", "L", 9000, 9, ("PNG", None, (MAX_SIDE, 8))),
    ],
)
def test_an_image_of_too_many_pixels_keeps_its_format(
    kind: str, mode: str, width: int, height: int, shown: tuple[str, str | None, Any]
) -> None:
    content = picture(width, height, kind, mode)
    [loaded] = load_images((Image.model_validate(content),))
    import base64

    with Pillow.open(io.BytesIO(base64.b64decode(loaded.url.partition(",")[2]))) as small:
        assert (small.format, small.size) == (shown[0], shown[2])
        assert shown[1] in (None, small.mode)
    assert loaded.note and load_images((Image.model_validate(content),))[0].hash == loaded.hash


def test_without_the_library_the_bound_and_the_extra_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(InputError, match=r"at most 3,750,000 can be sent.*dxjudge\[images\]"):
        load_images((Image.model_validate(LARGE),))


def test_the_note_stands_on_the_row_of_the_responses(tmp_path: Path) -> None:
    (tmp_path / "large.png").write_bytes(LARGE)
    row = {"id": "1", "question": "What is it?", "images": "large.png"}
    (tmp_path / "cases.jsonl").write_text(json.dumps(row) + "\n")
    with ProtocolServer(lambda seen: say("red")) as server:
        words = ["answer", str(tmp_path / "cases.jsonl"), "-o", str(tmp_path / "r.jsonl"), "--form",
                 "medlesionvqa", "--model", server.judge(), "--cache-mode", "off"]  # fmt: skip
        assert command(words) == 0
    answer = json.loads((tmp_path / "r.jsonl").read_text())
    assert answer["status"] == "done" and "large.png) was made smaller" in answer["reason"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_a_path_without_an_end_is_not_read() -> None:
    """A case table may name any path, such as a device."""
    with pytest.raises(InputError, match=r"image 1 \(/dev/zero\) is not a file"):
        load_images((Image(path=Path("/dev/zero")),))


@pytest.mark.parametrize("cell", ["a\0b.png", "a\ud800.png"])
def test_a_path_that_no_system_has_does_not_end_an_evaluation(cell: str) -> None:
    rows = [{"id": "1", "image": cell}, {"id": "2", "image": "b.png"}]
    read = with_images([Case("1"), Case("2")], Source("cases", rows), "folder/cases.jsonl")
    assert [[Path(name).name for name in one.images] for one in read] == [[], ["b.png"]]
