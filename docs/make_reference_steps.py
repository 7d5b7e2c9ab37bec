"""Pages made from the code: the fields of the steps; presets, tasks and metrics."""

import inspect
from typing import Any

from marked import MADE, Rows, cell, plain, table

from dxjudge.agents.steps import STEPS, VARIANTS
from dxjudge.evaluation.presets import PRESETS, main_columns
from dxjudge.evaluation.settings import Settings
from dxjudge.evaluation.task import Task
from dxjudge.evaluation.tasks import TASKS, every_column
from dxjudge.graphs.described import step_row


def steps_page() -> str:
    """The page of the steps: what each returns, its scale, its input and its output."""
    parts = [
        f"# The fields of the steps\n\n{MADE}\n[steps.md](steps.md) explains how steps work.\n"
    ]
    for step in (*STEPS, *VARIANTS):
        row = step_row(step)
        parts.append(f"## {row['name']}\n")
        keys = ("returns", "scale", "verdict", "decides", "source")
        parts.append("\n".join(f"- {key}: {cell(row[key])}" for key in keys) + "\n")
        parts.append(_fields("input", step.input.model_fields))
        result = step.known_result
        if result is not None:
            parts.append(_fields("result", result.model_fields))
    return "\n".join(parts)


def _fields(title: str, fields: dict[str, Any]) -> str:
    rows: Rows = [
        (
            f"`{name}`",
            f"`{_kind(field.annotation)}`",
            "" if field.is_required() else "may be left out",
            field.description or "",
        )
        for name, field in fields.items()
    ]
    return table((title, "type", "", "what it is"), rows)


def _kind(annotation: Any) -> str:
    return plain(inspect.formatannotation(annotation)).replace("NoneType", "None")


def presets_page() -> str:
    """The page of the presets, their tasks, and the metrics that each task fills."""
    parts = [
        f"# Presets, tasks and metrics\n\n{MADE}\n"
        "[evaluate.md](evaluate.md) explains evaluations, and [scoring.md](scoring.md) has the "
        "formulas.\n",
        "## Presets\n",
    ]
    for preset in PRESETS:
        settings = Settings(preset=preset.name, tasks=preset.tasks, **preset.settings)
        parts.append(f"### {preset.name}\n\n{preset.title}.\n")
        needs = ", ".join(f"`{need}`" for need in preset.needs) or "nothing more than `id`"
        tasks = ", ".join(f"[{task}](#{task})" for task in preset.tasks)
        chosen = ", ".join(f"`{key}: {value}`" for key, value in preset.settings.items())
        parts.append(f"- columns that the cases need: {needs}\n- tasks: {tasks}")
        parts.append(f"- settings: {chosen}\n" if chosen else "")
        rows = [
            (one.title or f"for each {one.by}", f"`{one.metric}`") for one in main_columns(settings)
        ]
        parts.append(table(("column of the main table", "metric"), rows))
    parts.append("## Tasks\n")
    parts += [_task(task) for task in TASKS]
    return "\n".join(parts)


def _task(task: Task) -> str:
    settings = Settings(preset="diagnosis")
    step = task.step(settings).name if task.step else "none; code computes it"
    needs = "; ".join(need.words for need in task.needs) or "nothing more than a response"
    lines = [f"### {task.name}\n", f"- step: {step}", f"- a case needs {needs}\n"]
    rows = [(f"`{one.metric}`", one.title) for one in every_column(task, settings)]
    return "\n".join([*lines, table(("metric", "title"), rows) if rows else ""])
