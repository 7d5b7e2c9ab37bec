"""`dxjudge curate`: make a data set; each procedure is a command of its own."""

import typer

from ..command import Command
from .dermcase_command import dermcase

app = typer.Typer(
    help="Make a data set with every statement checked: dermcase.", no_args_is_help=True
)
app.command("dermcase", cls=Command)(dermcase)
