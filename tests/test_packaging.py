"""What is listed a second time for other installers equals pyproject.toml; other systems' gaps."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Before the program: what Windows lacks is taken away, and, where /proc says what is open, a file
# that this process has open cannot be removed or renamed, as on Windows. Modules that have another
# form for each system are loaded with it, since they load that of this system.
_WITHOUT_UNIX = """
import asyncio, filelock, os, platformdirs, signal, subprocess, sys
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None
for name in ("fchmod", "fork", "getuid", "geteuid", "killpg", "getpgid", "sched_getaffinity"):
    vars(os).pop(name, None)
for name in ("SIGHUP", "SIGUSR1", "SIGUSR2", "SIGPIPE"):
    vars(signal).pop(name, None)
def refusing(act):
    def done(path, *others, **options):
        for place in (path, *others[:1]):
            if os.path.isfile(place) and os.path.realpath(place) in open_files():
                raise PermissionError(13, "another program has it open", os.fspath(place))
        return act(path, *others, **options)
    return done
def open_files():
    links = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
    return {os.path.realpath(link) for link in links}
if os.path.isdir("/proc/self/fd"):
    for name in ("unlink", "remove", "rename", "replace"):
        setattr(os, name, refusing(getattr(os, name)))
from dxjudge.cli.main import main
for line in sys.argv[1:]:
    sys.argv[1:] = line.split()
    try:
        main()
    except SystemExit as end:
        print(end.code)
"""


def _pinned(dependency: str) -> tuple[str, str]:
    match = re.fullmatch(r"([\w.-]+)\s*(.*)", dependency)
    assert match, dependency
    return match[1], match[2]


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    recipe = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text("utf-8"))
    python, *needed = recipe["requirements"]["run"]
    assert _pinned(python) == ("python", PROJECT["requires-python"])
    assert list(map(_pinned, needed)) == list(map(_pinned, PROJECT["dependencies"]))
    assert recipe["context"]["version"] == PROJECT["version"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    (point,) = recipe["build"]["python"]["entry_points"]
    assert point.split(" = ") == ["dxjudge", PROJECT["scripts"]["dxjudge"]]


def test_the_container_is_another_user_and_can_be_asked_whether_it_is_well() -> None:
    lines = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
    last = lines[max(n for n, line in enumerate(lines) if line.startswith("FROM")) :]
    assert [line for line in last if line.startswith("USER")] == ["USER 65532:65532"]
    assert any(line.startswith("HEALTHCHECK") and "/health" in line for line in last)
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ")]
    own = [source for words in copied for source in words if "--from=build" not in words]
    assert own == ["."] and all((ROOT / source).exists() for source in own)
    left_out = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert not {name.split("/")[0] for name in left_out} & {
        "pyproject.toml",
        "README.md",
        "LICENSE",
    }
    (python,) = {line.split()[1] for line in lines if line.startswith("FROM")}
    version = python.split(":")[1].removesuffix("-slim")
    assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]


def test_the_nodes_of_the_compose_file_are_the_container_with_extras_that_exist() -> None:
    services = yaml.safe_load((ROOT / "compose.yml").read_text("utf-8"))["services"]
    assert set(services) == {"redis", "chroma", "head", "worker"}
    container = (ROOT / "Containerfile").read_text("utf-8")
    for name in ("head", "worker"):
        built = services[name]["build"]
        assert (built["context"], built["dockerfile"]) == (".", "Containerfile")
        for argument, extras in built["args"].items():
            assert f"ARG {argument}=" in container and f"${{{argument}}}" in container
            assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    port = next(word for word in services["head"]["command"] if "port" in word).partition("=")[2]
    assert f"--address=head:{port}" in services["worker"]["command"]


def test_commands_run_without_what_only_unix_has(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("diagnosis\ngout\nheart attack\n")
    (tmp_path / "cases.jsonl").write_bytes((ROOT / "examples/cases.jsonl").read_bytes())
    twice = ["map in.csv -o out.csv"] * 2  # the second time the output is there and is replaced
    judge = "judge extract_final_diagnosis cases.jsonl -o out.jsonl --engine rules"
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_UNIX, *twice, judge],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["0", "0", "3"], done.stderr
    assert "M10" in (tmp_path / "out.csv").read_text("utf-8")
    assert not list(tmp_path.glob(".*.part"))


def test_a_table_is_printed_where_the_output_cannot_hold_every_sign() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dxjudge", "steps"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert b"judge_equivalence" in done.stdout and done.stdout.isascii()


def test_the_permissions_of_a_file_stay_when_it_is_replaced(tmp_path: Path) -> None:
    from dxjudge.files.bytes import writing

    path = tmp_path / "kept"
    path.write_text("old")
    path.chmod(0o640)
    with writing(path) as file:
        file.write(b"new\n")
    assert path.read_bytes() == b"new\n" and path.stat().st_mode & 0o777 == 0o640
