"""The example files come out of the package as they are in it."""

from pathlib import Path

import pytest

from dxjudge.cli.examples_command import contents_of
from dxjudge.cli.main import run as dxjudge

EXAMPLES = Path(__file__).parent.parent / "examples"


def held(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def written() -> dict[str, bytes]:
    """The example files of the package, without what Python or an editor has left beside them."""
    names = (
        name for name in held(EXAMPLES) if "__pycache__" not in name and "/." not in f"/{name}"
    )
    return {name: (EXAMPLES / name).read_bytes() for name in names}


def test_the_files_are_copied_once_and_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert dxjudge(["examples"]) == 0
    count = len(written())
    assert held(tmp_path / "examples") == written() and count > 30
    assert f"examples: {count} files copied\n" in capsys.readouterr().err
    (tmp_path / "examples/cases.jsonl").unlink()
    assert dxjudge(["examples"]) == 0
    assert held(tmp_path / "examples") == written()
    assert f"1 files copied, {count - 1} were there" in capsys.readouterr().err


def test_a_changed_file_is_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "dr. o'hara"
    folder.mkdir()
    (folder / "diagnoses.csv").write_text("diagnosis\nmine\n")
    assert dxjudge(["examples", str(folder)]) == 5
    assert "another content; nothing was copied" in capsys.readouterr().err
    assert held(folder) == {"diagnoses.csv": b"diagnosis\nmine\n"}


def test_a_folder_that_cannot_be_made_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert dxjudge(["examples", str(tmp_path / "file/inside")]) == 5
    assert "file/inside" in capsys.readouterr().err


def test_the_next_command_that_it_names_can_be_pasted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shlex

    assert dxjudge(["examples", str(tmp_path / "it's here")]) == 0
    line = capsys.readouterr().err.splitlines()[-1].removeprefix("try: ")
    assert shlex.split(line)[2] == str(tmp_path / "it's here" / "diagnoses.csv")


def test_only_files_that_someone_wrote_are_copied(tmp_path: Path) -> None:
    source = tmp_path / "package"
    for name in ("a.csv", "notes/b.py", "notes/__pycache__/b.pyc", ".git/c", "notes/.d"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    assert dict(contents_of(source, Path("to"))) == {
        Path("to/a.csv"): b"a.csv",
        Path("to/notes/b.py"): b"notes/b.py",
    }
