"""What a place for replies must do, and what an entry is."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from langgraph.cache.base import FullKey, Namespace

Entry = dict[str, Any]
Pairs = Mapping[FullKey, tuple[Entry, int | None]]
CLAIM = ("claim",)
"""The namespace of claims: who is asking for a reply just now."""


class Store(Protocol):
    """What a backend must do: a key-value store of JSON, under (namespace, key)."""

    place: str

    def get(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """The entries that are there."""

    async def aget(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """The same, without blocking the event loop."""

    def set(self, pairs: Pairs) -> None:
        """Write entries, each with a time to live in seconds or None."""

    async def aset(self, pairs: Pairs) -> None:
        """The same, without blocking the event loop."""

    async def aclaim(self, key: FullKey, owner: str, seconds: float) -> Entry | bool:
        """The entry under `key`; else whether its claim is now `owner`'s, for so many seconds."""

    def renew(self, keys: Sequence[FullKey], owner: str, seconds: float) -> None:
        """Hold the claims on these keys, which are `owner`'s, for so many seconds from now."""

    async def arelease(self, key: FullKey, owner: str) -> None:
        """Give up the claim on a key if it is `owner`'s."""

    def clear(self, namespaces: Sequence[Namespace] | None = None) -> None:
        """Forget everything, or these namespaces."""

    def scan(self, namespace: Namespace) -> Iterator[tuple[str, Entry]]:
        """Every (key, entry) of a namespace, in the order of the keys."""

    def close(self) -> None:
        """Let go of files and connections."""


class JsonSerde:
    """Plain JSON: what is read back was never code."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Encode. Raises TypeError or ValueError for what is not JSON."""
        return "json", json.dumps(obj, ensure_ascii=True, allow_nan=False).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Decode. Raises ValueError for anything but JSON."""
        if data[0] != "json":
            raise ValueError(f"an entry is encoded as {data[0]!r}, not as json")
        return json.loads(data[1])


def without_password(url: str) -> str:
    """An address as it may be shown."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
