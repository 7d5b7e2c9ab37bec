"""Short names of judges, for sentences and drawings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from ...agents.judge import parse_judge
from ...errors import UsageError


def short_names(judges: Sequence[str]) -> dict[str, str]:
    """Return the model name of each judge if these names are distinct, else the whole label.

    >>> short_names(["openai:gpt-4o", "openai:qwen@http://127.0.0.1:8000/v1"])
    {'openai:gpt-4o': 'gpt-4o', 'openai:qwen@http://127.0.0.1:8000/v1': 'qwen'}
    """
    bare = {judge: _bare(judge) for judge in judges}
    if len(set(bare.values())) == len(bare):
        return bare
    servers = {judge: f"{bare[judge]} {judge.partition('@')[2]}".strip() for judge in judges}
    return servers if len(set(servers.values())) == len(servers) else {j: j for j in judges}


def _bare(judge: str) -> str:
    try:
        return parse_judge(judge).model
    except UsageError:
        return judge


def renamed(rows: Iterable[Any], names: Mapping[str, str]) -> tuple[Any, ...]:
    """Return the frozen rows with new names in the columns that hold a judge."""
    return tuple(
        replace(
            row,
            **{
                one.name: names.get(getattr(row, one.name), getattr(row, one.name))
                for one in fields(row)
                if one.name in _COLUMNS
            },
        )
        for row in rows
    )


_COLUMNS = ("judge", "first", "second", "left_out")
