"""A package of an extra that is not installed: what needs it, the pip command, exit code 6."""

import sys
import tomllib
from pathlib import Path

import pytest

import dxjudge
import dxjudge.scoring
from dxjudge.cli.main import run as command

ROOT = Path(__file__).parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
CASES = "examples/cases.jsonl"
JUDGE = (
    f"judge judge_equivalence {CASES} --set predicted=response_diagnosis --set truth=diagnosis "
    "-o out.csv --judge openai:m@http://127.0.0.1:9/v1"
)


# Imported by another test, they would not ask for the package of their extra again.
_OF_EXTRAS = (
    "dxjudge.agents.watching.sender",
    "dxjudge.web.app",
    "dxjudge.web.metrics",
    "dxjudge.web.mcp_server",
)


def _uninstall(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the test ends, the package cannot be imported, whatever was imported before."""
    parts = [name for name in sys.modules if name.partition(".")[0] == package]
    for name in (*parts, *_OF_EXTRAS):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize(
    ("module", "extra", "line"),
    [
        ("sentence_transformers", "encoders", "search gout --model some/encoder"),
        ("chromadb", "chroma", "search gout --chroma embedded"),
        ("chromadb", "chroma", "search gout --chroma http://127.0.0.1:9"),
        ("pyarrow", "parquet", "map in.parquet -o out.csv"),
        ("pyarrow", "parquet", "map in.csv -o out.parquet"),
        ("openpyxl", "excel", "map in.xlsx -o out.csv"),
        ("openpyxl", "excel", "map in.csv -o out.xlsx"),
        ("redis", "redis", f"{JUDGE} --cache redis://127.0.0.1:9"),
        ("opentelemetry", "otel", f"{JUDGE} --otel"),
        ("prometheus_client", "serve", "serve"),
        ("fastapi_swagger", "serve", "serve"),
        ("mcp", "mcp", "mcp"),
    ],
)
def test_a_command_names_the_missing_extra_and_writes_nothing(
    module: str,
    extra: str,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _uninstall(module, monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text("diagnosis\ngout\n")
    (tmp_path / "in.parquet").write_bytes(b"PAR1")
    (tmp_path / "in.xlsx").write_bytes(b"PK\x03\x04")
    words = [str(ROOT / word) if word == CASES else word for word in line.split()]
    assert command(words) == 6
    said = capsys.readouterr().err
    assert f"needs the {extra} extra: pip install 'dxjudge[{extra}]'" in said, said
    assert said.count("\n") == 1
    assert not list(tmp_path.glob("out.*"))


@pytest.mark.parametrize(
    ("encoder", "library", "extra"),
    [("some/model", "sentence_transformers", "encoders"), ("dermlip", "open_clip", "clip")],
)
def test_an_encoder_of_scores_names_its_extra(
    encoder: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("huggingface_hub", library):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(dxjudge.MissingExtra, match=rf"pip install 'dxjudge\[{extra}\]'"):
        dxjudge.scoring.load_encoder(encoder)


def test_a_table_as_a_frame_needs_pandas_or_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    from dxjudge.files.parquet import frame_of

    assert len(frame_of(["a"], [[1], [2]])) == 2
    _uninstall("pandas", monkeypatch)
    assert frame_of(["a"], [[1], [2]]).num_rows == 2
    _uninstall("pyarrow", monkeypatch)
    with pytest.raises(dxjudge.MissingExtra, match=r"frame.* pip install 'dxjudge\[parquet\]'"):
        frame_of(["a"], [[1]])


def test_the_extra_all_holds_every_extra_of_users() -> None:
    (spec,) = EXTRAS["all"]
    named = spec.removeprefix("dxjudge[").removesuffix("]").split(",")
    assert set(named) == EXTRAS.keys() - {"all", "bench", "cluster", "dev", "docs", "test", "train"}


def test_every_extra_that_a_message_names_is_one_of_the_package() -> None:
    fault = dxjudge.MissingExtra("this", "excel", ImportError("No module named 'openpyxl'"))
    assert str(fault) == (
        "this needs the excel extra: pip install 'dxjudge[excel]' (No module named 'openpyxl')"
    )
    assert (fault.extra, fault.exit_code) == ("excel", 6)
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    sources = [path for room in ROOT.glob("*/__init__.py") for path in room.parent.rglob("*.py")]
    for path in (*pages, *sources):
        for part in path.read_text("utf-8").split("dxjudge[")[1:]:
            names = part.partition("]")[0]
            if "{" not in names:
                assert set(names.split(",")) <= EXTRAS.keys(), path


def test_an_evaluation_without_its_package_ends_before_a_judge_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sacrebleu.metrics.bleu")  # as another test may have left it
    _uninstall("sacrebleu", monkeypatch)
    files = [str(ROOT / "examples" / name) for name in ("cases.jsonl", "evaluate/careful.jsonl")]
    judge = "openai:m@http://127.0.0.1:9/v1"
    line = ["evaluate", *files, "-o", str(tmp_path / "out"), "--preset", "dermcase"]
    assert command([*line, "--judge", judge]) == 6
    assert "needs the text extra: pip install 'dxjudge[text]'" in capsys.readouterr().err
