"""`dxjudge curate`: make a data set; each procedure is a command of its own."""

import typer

from ..command import Command
from .dedupe_command import dedupe
from .dermcase_command import dermcase
from .export_command import export
from .mediconfusion_command import mediconfusion
from .medlesionvqa_command import medlesionvqa
from .medsyn_command import medsyn
from .patterns_command import patterns
from .probe_command import probe

app = typer.Typer(
    help="Make a data set with every statement checked: dermcase, medsyn, mediconfusion, "
    "medlesionvqa; or find patterns of failures and duplicates, probe models, and export.",
    no_args_is_help=True,
)
app.command("dermcase", cls=Command)(dermcase)
app.command("medsyn", cls=Command)(medsyn)
app.command("mediconfusion", cls=Command)(mediconfusion)
app.command("medlesionvqa", cls=Command)(medlesionvqa)
app.command("patterns", cls=Command)(patterns)
app.command("dedupe", cls=Command)(dedupe)
app.command("export", cls=Command)(export)
app.command("probe", cls=Command)(probe)
