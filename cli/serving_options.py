"""The options of `dxjudge serve` and `dxjudge mcp`: what the service maps to and which models."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from .option_groups import ModelOptions, RunOptions
from .options import MODEL, Specificity
from .searching_options import SearchingOptions

if TYPE_CHECKING:
    from ..web.settings import Service

Offered = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="A model that requests may name: openai:gpt-4o, or openai:MODEL@URL. May be "
        "repeated. Without one, only code, rules and the ontology decide.",
        rich_help_panel=MODEL,
    ),
]
OwnSteps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        metavar="FILE.py:NAME",
        help="Your own step, beside those of dxjudge. May be repeated.",
        rich_help_panel=MODEL,
    ),
]


@dataclass(frozen=True, kw_only=True)
class ServingOptions:
    """What a service offers."""

    searching: SearchingOptions
    specificity: Specificity = "concept"
    judge: Offered = None
    step: OwnSteps = None
    model: ModelOptions
    run: RunOptions

    @contextmanager
    def open(self) -> Iterator["Service"]:
        """Yield the service, whose account is written at the end.

        Raises UsageError for a judge, a step or an ontology that does not exist, and
        EnvironmentFault for a model without its key.
        """
        from ..agents.engine.judges import as_judge, check_key
        from ..agents.steps import STEPS, VARIANTS, find_step
        from ..graphs.mapper import Mapper
        from ..web.settings import Service

        own = [find_step(name) for name in self.step or ()]
        judges = {name: as_judge(self.model.judge(name)) for name in self.judge or ()}
        for judge in judges.values():
            check_key(judge)
        mapper = Mapper(specificity=self.specificity, **self.searching.settings)
        mapper.tree  # noqa: B018  a release that cannot be read ends the command here
        steps = {step.prompt_name: step for step in (*STEPS, *VARIANTS, *own)}
        with self.run.open() as run:
            yield Service(mapper, run, steps, judges)
