"""What a store of replies must do, and what an entry is."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

# As langgraph.cache.base has them, whose import takes longer than all of ours that `map` needs.
Namespace = tuple[str, ...]
FullKey = tuple[Namespace, str]
Entry = dict[str, Any]
Pairs = Mapping[FullKey, tuple[Entry, int | None]]
CLAIM = ("claim",)
"""The namespace of claims, which say which process is asking for a reply now."""


class Store(Protocol):
    """What a backend must do: store JSON entries under (namespace, key)."""

    place: str

    def get(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """Return the entries of these keys; a key without an entry is absent."""

    async def aget(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """Do what `get` does, without blocking the event loop."""

    def set(self, pairs: Pairs) -> None:
        """Write entries, each with its lifetime in seconds; None keeps it without limit."""

    async def aset(self, pairs: Pairs) -> None:
        """Do what `set` does, without blocking the event loop."""

    async def aclaim(self, key: FullKey, owner: str, seconds: float) -> Entry | bool:
        """Return the entry under `key`, else whether `owner` now has its claim for `seconds`."""

    def renew(self, keys: Sequence[FullKey], owner: str, seconds: float) -> None:
        """Extend the claims that `owner` has on these keys to `seconds` from now."""

    async def arelease(self, key: FullKey, owner: str) -> None:
        """Release the claim on a key if `owner` has it."""

    async def adelete(self, keys: Sequence[FullKey]) -> None:
        """Delete the entries of these keys."""

    def clear(self, namespaces: Sequence[Namespace] | None = None) -> None:
        """Delete all entries, or those of these namespaces."""

    def scan(self, namespace: Namespace) -> Iterator[tuple[str, Entry]]:
        """Yield every (key, entry) of a namespace, in the order of the keys."""

    def close(self) -> None:
        """Close files and connections."""


class JsonSerde:
    """Plain JSON, so that reading an entry never runs code."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Encode a value. Raises TypeError or ValueError for a value that is not JSON."""
        return "json", json.dumps(obj, ensure_ascii=True, allow_nan=False).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Decode an entry. Raises ValueError for any encoding other than JSON."""
        if data[0] != "json":
            raise ValueError(f"an entry is encoded as {data[0]!r}, not as json")
        return json.loads(data[1])


def without_password(url: str) -> str:
    """Return an address without its user name, password and query, fit to be shown."""
    scheme, _, rest = url.partition("://")
    place, _, query = rest.partition("?")
    # Where both may hold "@", nobody can say where a secret ends.
    return f"{scheme}://{'…' if '@' in query else place.rpartition('@')[2]}"
