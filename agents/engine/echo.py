"""What a model is shown of its own invalid answer: the start and the end of a long one."""

import json
from collections.abc import Sequence

from ..wires.request import Reply

_HEAD, _TAIL = 12_000, 4_000  # characters, together some 4,000 tokens
_LINES = 40


def echo(reply: Reply) -> str:
    """Return the answer as text; in a long one a line replaces the middle and gives its length."""
    text = reply.text if reply.data is None else json.dumps(dict(reply.data), ensure_ascii=False)
    left_out = len(text) - _HEAD - _TAIL
    if left_out <= 0:
        return text
    middle = f"\n[… {left_out:,} characters of this answer are left out here …]\n"
    return text[:_HEAD] + middle + text[-_TAIL:]


def listed(problems: Sequence[str]) -> str:
    """Return the problems, one line each; of more than 40, only the first."""
    lines = [f"- {line}" for line in problems[:_LINES]]
    if len(problems) > _LINES:
        lines.append(f"- and {len(problems) - _LINES:,} further problems")
    return "\n".join(lines)
