"""`dxjudge providers`: list the providers of models, their keys and what they support."""

import typer

from .options import AsJson


def list_providers(
    as_json: AsJson = False,
) -> None:
    """List the providers of models: address, variables, and what the API supports.

    A judge is written PROVIDER:MODEL. A server of your own with the API of
    OpenAI is written openai:MODEL@http://host:port/v1, one with the API of
    Anthropic anthropic:MODEL@http://host:port.

    Examples:
      dxjudge providers
      dxjudge providers --json
    """
    from ..agents.engine.models import PROVIDERS, address_variables
    from .terminal.printing import print_json

    rows = [
        {
            "provider": name,
            "address": provider.url,
            "key": provider.key or (provider.account[0] if provider.account else ""),
            "address_variable": provider.url_variable,
            "variables": address_variables(name),
            "supports": list(provider.supports),
            "extra": provider.extra[0] if provider.extra else "",
        }
        for name, provider in PROVIDERS.items()
    ]
    if as_json:
        print_json({"providers": rows})
        return
    for row in rows:
        typer.echo(f"{row['provider']}:MODEL")
        typer.echo(f"  address   {row['address'] or 'your own'} ({row['variables']})")
        account = f", or your account (pip install 'dxjudge[{row['extra']}]')"
        typer.echo(f"  key       {row['key'] or 'none'}{account if row['extra'] else ''}")
        typer.echo(f"  supports  {', '.join(row['supports'])}")
