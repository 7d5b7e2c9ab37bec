"""A step whose prompt or rules change gets another version, because its results may change.

The version is in the keys of kept replies, in journals and records, and in the signature of an
evaluation. `data/step_digests.json` records, for each step, the digest of its prompt and rules.
"""

import ast
import hashlib
import importlib
import io
import json
import pkgutil
import tokenize
from pathlib import Path
from typing import Any

import pytest

from dxjudge import agents
from dxjudge.agents.step import Step
from dxjudge.agents.steps import STEPS, VARIANTS

RECORDED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "step_digests.json").read_text(encoding="utf-8")
)
PACKAGE = agents.__name__
CHANGELOG = (Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
NEWEST = next(line for line in CHANGELOG.splitlines() if line.startswith("## "))
# Modules of agents/ that are the same machinery for every step and hold no rule of any.
MACHINERY = {"step", "verdict", "outcome", "judge", "images", "stand_ins", "declared"}


def all_steps() -> dict[str, tuple[Step[Any, Any], str]]:
    """Each step of dxjudge by its prompt, with the name of the module that defines it."""
    steps = {}
    for found in pkgutil.walk_packages(agents.__path__, f"{PACKAGE}."):
        if found.ispkg or ".engine" in found.name:
            continue
        module = importlib.import_module(found.name)
        for name in assigned(Path(module.__file__ or "").read_text("utf-8")):
            if isinstance(value := getattr(module, name, None), Step):
                steps[value.prompt_name] = (value, found.name)
    return steps


def assigned(source: str) -> set[str]:
    """The names that a module gives a value itself, so without those that it imports."""
    targets: list[ast.expr] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign):
            targets.append(node.target)
        elif isinstance(node, ast.Assign):
            targets += node.targets
    return {target.id for target in targets if isinstance(target, ast.Name)}


def rules_of(module: str) -> list[str]:
    """The source of a module of agents/ and of the modules with rules that it imports there.

    They are sorted by their own names, so that a module may move to another folder.
    """
    sources: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in sources or name.rpartition(".")[2] in MACHINERY:
            continue
        sources[name] = Path(importlib.import_module(name).__file__ or "").read_text("utf-8")
        for node in ast.walk(ast.parse(sources[name])):
            if isinstance(node, ast.ImportFrom) and node.level:
                package = name.rsplit(".", node.level)[0]
                imported = f"{package}.{node.module}" if node.module else package
                if imported.startswith(f"{PACKAGE}.") and ".engine" not in imported:
                    waiting.append(imported)
    return [plain(sources[name]) for name in sorted(sources, key=lambda one: one.split(".")[::-1])]


def plain(source: str) -> str:
    """A source without imports, docstrings, comments and white space, which change no result."""
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line - 1] = lines[line - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = ""
    return "".join("".join(lines).split())


def digest_of(prompt_hash: str, rules: list[str]) -> str:
    return hashlib.sha256("\0".join([prompt_hash, *rules]).encode()).hexdigest()[:16]


def test_the_record_names_steps_that_there_are() -> None:
    assert {step.prompt_name for step in (*STEPS, *VARIANTS)} <= set(all_steps())
    assert set(RECORDED) <= set(all_steps())


@pytest.mark.parametrize("name", sorted(all_steps()))
def test_a_changed_prompt_or_rule_raises_the_version(name: str) -> None:
    step, module = all_steps()[name]
    now = {"version": step.version, "digest": digest_of(step.load_prompt().hash, rules_of(module))}
    assert not outdated(RECORDED.get(name), now, NEWEST), (
        f"the prompt or a rule of {name} has changed, or {name} is not recorded: raise the version "
        f"of the step, unless it is new or no result can change; then write "
        f"{json.dumps({name: now})} to tests/data/step_digests.json"
    )


def outdated(recorded: dict[str, Any] | None, now: dict[str, Any], newest: str) -> bool:
    """Whether the record must be written: for a new step only when a version is released.

    newest: the heading of the newest version in the changelog. Until its first release a step has
    no results that anybody keeps, so that its first version needs no record.
    """
    if recorded is None:
        return now["version"] != 1 or not newest.endswith("(unreleased)")
    return recorded != now


def test_a_new_step_is_recorded_when_it_is_released() -> None:
    first, second = {"version": 1, "digest": "a"}, {"version": 2, "digest": "a"}
    assert not outdated(None, first, "## 0.1.0 (unreleased)")
    assert outdated(None, first, "## 0.1.0 (2026-12-01)")
    assert outdated(None, second, "## 0.1.0 (unreleased)")
    assert outdated({"version": 1, "digest": "b"}, first, "## 0.1.0 (unreleased)")


def test_the_digest_changes_with_the_rules_and_not_with_their_comments() -> None:
    source = 'def rule(text):\n    """Old words."""\n    return text == "a"  # why\n'
    same = 'def rule(text):\n    """New."""\n\n    return text == "a"\n'
    other = source.replace('"a"', '"b"')
    assert plain(source) == plain(same) != plain(other)
    assert digest_of("p", [plain(source)]) != digest_of("p", [plain(other)])
    assert digest_of("p", [plain(source)]) != digest_of("q", [plain(source)])
