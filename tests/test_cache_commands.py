import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dxjudge.cache.key import fingerprint
from dxjudge.cache.replies import Replies
from dxjudge.cli.kept.cache_commands import app
from dxjudge.errors import UsageError

JUDGE = {"provider": "openai", "model": "gpt-4o", "base_url": None}
FIELDS = {"step": "grade", "judge": JUDGE, "input": {"truth": "MI"}, "repeat": 0}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    path = tmp_path / "r.sqlite"
    replies = Replies(path)
    for repeat in range(3):
        fields = {**FIELDS, "repeat": repeat}
        asyncio.run(replies.akeep(fields, fingerprint(fields), {"answer": {}}))
    replies.close()
    return path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_info_counts_replies_by_step_and_judge(cache: Path) -> None:
    output = run("info", "--cache", cache)
    assert "3 replies" in output
    assert output.splitlines()[1].split() == ["3", "grade", "openai:gpt-4o"]


def test_clear_asks_first(cache: Path) -> None:
    result = CliRunner().invoke(app, ["clear", "--cache", str(cache)], input="n\n")
    assert result.exit_code == 1
    assert "3 replies" in run("info", "--cache", cache)
    run("clear", "--yes", "--cache", cache)
    assert "0 replies" in run("info", "--cache", cache)


def test_export_and_import_carry_the_replies(cache: Path, tmp_path: Path) -> None:
    assert "3 replies" in run("export", tmp_path / "c.jsonl", "--cache", cache)
    assert "3 replies" in run("import", tmp_path / "c.jsonl", "--cache", tmp_path / "b.sqlite")
    assert "3 replies" in run("info", "--cache", tmp_path / "b.sqlite")


def test_why_shows_both_values_of_each_field_that_differs(cache: Path) -> None:
    missed = {**FIELDS, "input": {"truth": "Angina"}}
    asyncio.run(Replies(cache).anote([(fingerprint(missed), missed)], "replay"))
    output = run("why", fingerprint(missed)[:16], "--cache", cache)
    assert "not kept, grade" in output
    assert "input.truth" in output and "'Angina'" in output and "'MI'" in output
    assert "repeat" not in output


@pytest.mark.parametrize("command", [["info"], ["clear", "--yes"], ["why", "0123456789abcdef"]])
def test_a_cache_that_is_not_there_is_not_made(command: list[str], tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [*command, "--cache", str(tmp_path / "typo.sqlite")])
    assert isinstance(result.exception, UsageError)
    assert "there is no reply cache" in str(result.exception)
    assert not list(tmp_path.iterdir())
