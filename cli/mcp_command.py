"""`dxjudge mcp`: the same tools for assistants, over the Model Context Protocol."""

from ..errors import MissingExtra
from .command import grouped
from .serving_options import ServingOptions


@grouped
def mcp(*, serving: ServingOptions) -> None:
    """Serve mapping, codes and judging to an assistant over MCP (standard input and output).

    Tools: map_diagnoses, search_codes, show_code, list_steps, judge.

    Examples:
      dxjudge mcp
      dxjudge mcp --judge openai:gpt-4o --max-calls 100
    """
    try:
        from ..web.mcp_server import make_mcp_server
    except ImportError as fault:
        raise MissingExtra("dxjudge mcp", "mcp", fault) from fault

    with serving.open() as service:
        make_mcp_server(service).run("stdio")
