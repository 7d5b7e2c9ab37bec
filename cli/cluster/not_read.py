"""What the summary of a job on many machines says of files without rows in the output."""

from collections.abc import Iterator, Sequence

from ...files.counted import counted
from ..terminal.facts import Fact

_SHOWN = 3  # files that have a line


def not_read(unread: Sequence[str], others: Sequence[str]) -> Iterator[Fact]:
    """Yield facts on files that could not be read, and why, and on those of no known form."""
    for place, why in enumerate(unread):
        yield Fact(f"not read: {why}" if place < _SHOWN else "", {"unread": [why]})
    if (more := len(unread) - _SHOWN) > 0:
        yield Fact(f"not read: {counted(more, 'further file')}", {})
    if others:
        names = ", ".join(path.rpartition("/")[2] for path in others[:_SHOWN])
        rest = ", …" * (len(others) > _SHOWN)
        yield Fact(
            f"not read, of no known form: {counted(len(others), 'file')} ({names}{rest})",
            {"of_no_known_form": list(others)},
        )
