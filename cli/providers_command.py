"""`dxjudge providers`: who can be asked, with which key, and what each supports."""

import json
from typing import Annotated

import typer


def list_providers(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the providers of models: address, variables, and what each one's API has.

    A judge is PROVIDER:MODEL. Any server that speaks OpenAI's or Anthropic's wire is
    openai:MODEL@http://host:port/v1 or anthropic:MODEL@http://host:port.

    Examples:
      dxjudge providers
      dxjudge providers --json
    """
    from ..agents.engine.models import PROVIDERS

    rows = [
        {
            "provider": name,
            "address": known.url,
            "key": known.key,
            "address_variable": known.url_variable,
            "supports": list(known.supports),
        }
        for name, known in PROVIDERS.items()
    ]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        typer.echo(f"{row['provider']}:MODEL")
        typer.echo(f"  address   {row['address'] or 'your own'} ({row['address_variable']})")
        typer.echo(f"  key       {row['key'] or 'none'}")
        typer.echo(f"  supports  {', '.join(row['supports'])}")
