"""`dxjudge steps`: list the judging steps, print their schemas, and write a new step."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..agents.step import Step

Name = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="Show one step: its name, or path/to/file.py:NAME."),
]
Schema = Annotated[
    str | None,
    typer.Option(
        "--schema",
        metavar="NAME",
        help="Print the input, answer and result of a step as JSON Schema.",
    ),
]
New = Annotated[
    str | None,
    typer.Option(
        "--new",
        metavar="NAME",
        help="Write a new step with this name, and its test, for you to change.",
    ),
]
Folder = Annotated[Path, typer.Option("--output", "-o", help="The folder that --new writes to.")]


def list_steps(
    name: Name = None,
    schema: Schema = None,
    new: New = None,
    output: Folder = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """List the judging steps: name, what each returns, its verdict, its source.

    Out: for each step the lines returns, scale, verdict, fields (the columns
    that `dxjudge judge` reads), decides (what can decide without a model:
    code, rules, ontology) and source.

    Examples:
      dxjudge steps
      dxjudge steps grade_ddx
      dxjudge steps --schema grade_ddx
      dxjudge steps --new judge_urgency
      dxjudge steps judge_urgency.py:JUDGE_URGENCY
    """
    from ..agents.steps import STEPS, VARIANTS, find_step

    if new is not None:
        from .new_step import write_new_step

        typer.echo("\n".join(write_new_step(new, output)))
        return
    if schema is not None:
        typer.echo(json.dumps(schemas(find_step(schema)), indent=2, ensure_ascii=False))
        return
    steps = (find_step(name),) if name is not None else (*STEPS, *VARIANTS)
    rows = [_row(step) for step in steps]
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        typer.echo(row["name"])
        for field in ("returns", "scale", "verdict", "fields", "decides", "source"):
            typer.echo(f"  {field:<8} {row[field]}")


def schemas(step: "Step[Any, Any]") -> dict[str, Any]:
    """Return the JSON schemas of a step: its input, the answer of the model, and the result.

    Where the form of the answer depends on the input (options, categories), it is the form for
    the defaults of the input, or None where the input has no defaults.
    """
    answer = _answer(step)
    result = step.known_result
    return {
        "step": step.prompt_name,
        "version": step.version,
        "input": step.input.model_json_schema(),
        "answer": answer.model_json_schema() if answer is not None else None,
        "result": result.model_json_schema() if result is not None else None,
    }


def _answer(step: "Step[Any, Any]") -> Any:
    from pydantic import TypeAdapter

    if isinstance(step.output, type):
        return step.output
    defaults = {
        name: TypeAdapter(_with_metadata(field)).validate_python(field.default)
        for name, field in step.input.model_fields.items()
        if not field.is_required()
    }
    try:
        return step.output(step.input.model_construct(**defaults))
    except AttributeError:  # the answer depends on a field without a default
        return None


def _with_metadata(field: Any) -> Any:
    # The metadata has validators that read a name such as "dermcase" as the data it stands for.
    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def _row(step: "Step[Any, Any]") -> dict[str, str]:
    decides = list(step.stand_ins)
    if "predicted" in step.input.model_fields:  # for `judge --engine ontology`
        decides.append("ontology")
    return {
        "name": step.prompt_name,
        "returns": step.returns or "-",
        "scale": step.scale or "-",
        "verdict": _verdict(step),
        "fields": ", ".join(step.input.model_fields),
        "decides": ", ".join(decides) or "-",
        "source": step.load_prompt().source or "-",
    }


def _verdict(step: "Step[Any, Any]") -> str:
    """Return the verdict in words: its field, kind, scale, levels and the field of its words."""
    verdict = step.verdict
    if verdict is None:
        return "none"
    if not verdict.field:
        parts = verdict.parts
        assert parts is not None  # a verdict has a field or parts
        return f"one for each part: {parts.kind}, {parts.scale}"
    text = f"{verdict.field}: {verdict.kind}, {verdict.scale}"
    if verdict.levels is not None:
        text += f", levels {', '.join(map(str, verdict.levels))}"
    if verdict.parts is not None:
        text += f"; or one for each part: {verdict.parts.kind}"
    return text + (f"; words: {verdict.words}" if verdict.words else "")
