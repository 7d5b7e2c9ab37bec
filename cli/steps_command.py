"""`dxjudge steps`: what the judging steps return, and the schemas of one."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..agents.step import Step

Schema = Annotated[
    str | None,
    typer.Option(
        "--schema", metavar="NAME", help="Print a step's input, answer and result as JSON Schema."
    ),
]


def list_steps(
    schema: Schema = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the judging steps: name, what each returns, its scale, its source.

    `decides` names what can decide without a model (code, rules, ontology).

    Examples:
      dxjudge steps
      dxjudge steps --schema grade_ddx
    """
    from ..agents.steps import STEPS, VARIANTS, find_step

    if schema is not None:
        typer.echo(json.dumps(schemas(find_step(schema)), indent=2, ensure_ascii=False))
        return
    rows = [_row(step) for step in (*STEPS, *VARIANTS)]
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        typer.echo(row["name"])
        for name in ("returns", "scale", "fields", "decides", "source"):
            typer.echo(f"  {name:<8} {row[name]}")


def schemas(step: "Step[Any, Any]") -> dict[str, Any]:
    """The JSON schemas of a step: its input, what the model answers, and the result.

    The answer of a step that makes it from its input (options, categories) is given for the
    defaults of the input, or left out where there are none.
    """
    answer = _answer(step)
    assert step.result is not None  # every step names its result (tests/test_steps_contract.py)
    return {
        "step": step.prompt_name,
        "version": step.version,
        "input": step.input.model_json_schema(),
        "answer": answer.model_json_schema() if answer is not None else None,
        "result": step.result.model_json_schema(),
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
    except AttributeError:  # it hangs on a field without a default
        return None


def _with_metadata(field: Any) -> Any:
    # The metadata read a name such as "dermcase" as the data that it stands for.
    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def _row(step: "Step[Any, Any]") -> dict[str, str]:
    decides = list(step.stand_ins)
    if "predicted" in step.input.model_fields:  # as `judge --engine ontology` has it
        decides.append("ontology")
    return {
        "name": step.prompt_name,
        "returns": step.returns,
        "scale": step.scale,
        "fields": ", ".join(step.input.model_fields),
        "decides": ", ".join(decides) or "-",
        "source": step.load_prompt().source,
    }
