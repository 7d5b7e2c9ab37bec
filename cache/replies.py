"""The reply cache: keeps each answer of a model under all fields that can change it."""

import threading
import warnings
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from ..errors import EnvironmentFault, UsageError
from .claims import Claims
from .key import Fields, differences, fingerprint
from .open import open_store
from .store import Entry, Store

Mode = Literal["read-write", "replay", "refresh", "off"]
MODES: tuple[Mode, ...] = get_args(Mode)

_REPLY = ("reply",)
_TURN = ("turn",)
_NOTE = ("note",)  # the fields of calls without a kept reply, for `why`; never served


@dataclass(frozen=True)
class Why:
    """Whether a key is kept, its nearest other entry, and the fields in which they differ."""

    key: str
    kept: bool
    fields: Fields
    nearest: str | None
    differences: dict[str, tuple[Any, Any]]


class Replies:
    """Replies in a store. When the store fails during a run, the run goes on without it.

    unkept: the number of replies that could not be kept, because the store was locked, failed or
    can only be read.

    mode: "read-write" reads and keeps replies; "replay" only reads; "refresh" only keeps; "off"
    does neither and opens no store.
    """

    def __init__(self, store: Store | str | Path | None = None, mode: Mode = "read-write") -> None:
        """Set up the cache; the store is opened on first use.

        Raises UsageError for an unknown mode.
        """
        if mode not in MODES:
            raise UsageError(f"cache mode {mode!r} is not one of {', '.join(MODES)}")
        self.mode = mode
        self._place = store
        self._store: Store | None = None
        self._claims: Claims | None = None
        self.unkept = 0
        self._opening = threading.Lock()
        self._warned = False

    @property
    def store(self) -> Store:
        """The store, opened on first use."""
        with self._opening:
            if self._store is None:
                place = self._place
                if place is None or isinstance(place, (str, Path)):
                    self._store = open_store(place)
                else:
                    self._store = place
            return self._store

    @property
    def reads(self) -> bool:
        """Whether kept replies are served."""
        return self.mode in ("read-write", "replay")

    @property
    def writes(self) -> bool:
        """Whether new replies are kept."""
        return self.mode in ("read-write", "refresh")

    def close(self) -> None:
        """Close the store if it was opened."""
        if self._claims is not None:
            self._claims.close()
            self._claims = None
        if self._store is not None:
            self._store.close()
            self._store = None

    def find(self, keys: Sequence[str]) -> dict[str, Entry]:
        """Return the kept replies of these keys; a key without a reply is absent."""
        if not self.reads or not keys:
            return {}
        try:
            return _replies(self.store.get([(_REPLY, key) for key in keys]))
        except Exception as fault:
            self._complain(fault)
            return {}

    async def afind(self, keys: Sequence[str]) -> dict[str, Entry]:
        """Do what `find` does, without blocking the event loop."""
        if not self.reads or not keys:
            return {}
        try:
            return _replies(await self.store.aget([(_REPLY, key) for key in keys]))
        except Exception as fault:
            self._complain(fault)
            return {}

    @asynccontextmanager
    async def claimed(self, key: str) -> AsyncIterator[Entry | None]:
        """Yield the kept reply of this key, or None: then the block may ask for it.

        Waits while another process asks for the same reply. There is no waiting where the store
        cannot be written, or in a mode other than "read-write".
        """
        if self.mode != "read-write":
            yield (await self.afind([key])).get(key)
            return
        claims, place = self._claims_of_store(), (_REPLY, key)
        try:
            try:
                entry = await claims.take(place)
            except Exception as fault:
                self._complain(fault)
                entry = None
            yield entry.get("reply") if entry else None
        finally:
            await claims.release(place)

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Let one process at a time, of all that share the store, run a block of this name."""
        claims, place = self._claims_of_store(), (_TURN, name)
        await claims.take(place)
        try:
            yield
        finally:
            await claims.release(place)

    async def akeep(self, fields: Fields, key: str, reply: Entry) -> None:
        """Keep a reply."""
        if not self.writes:
            return
        entry = {"fields": fields, "reply": reply, "written": _now()}
        try:
            await self.store.aset({(_REPLY, key): (entry, None)})
        except Exception as fault:
            self.unkept += 1
            self._complain(fault)

    def keep(self, entries: Iterable[tuple[Fields, Entry, str]]) -> int:
        """Keep (fields, reply, time written) triples under their keys; return their number.

        They replace the replies that the store has under these keys.
        """
        pairs: dict[tuple[tuple[str, ...], str], tuple[Entry, int | None]] = {}
        for fields, reply, written in entries:
            entry = {"fields": fields, "reply": reply, "written": written}
            pairs[_REPLY, fingerprint(fields)] = (entry, None)
        self.store.set(pairs)
        return len(pairs)

    async def anote(self, misses: Iterable[tuple[str, Fields]], why: str) -> None:
        """Note the fields of calls without a reply, so that `why` can explain them."""
        pairs: dict[tuple[tuple[str, ...], str], tuple[Entry, int | None]] = {
            (_NOTE, key): ({"fields": fields, "note": why, "written": _now()}, None)
            for key, fields in misses
        }
        if not pairs or self.mode == "off":
            return
        try:
            await self.store.aset(pairs)
        except Exception as fault:
            self._complain(fault)

    def entries(self, step: str | None = None) -> Iterator[tuple[str, Entry]]:
        """Yield every (key, entry), or those of one step; an entry has fields, reply, written."""
        for key, entry in self.store.scan(_REPLY):
            if step is None or entry["fields"].get("step") == step:
                yield key, entry

    def clear(self) -> None:
        """Delete every reply and note."""
        self.store.clear([_REPLY, _NOTE])

    def why(self, key: str) -> Why:
        """Explain a key, or the start of one: compare its fields with the nearest other entry.

        The nearest entry is the one with the fewest differing fields. Raises UsageError when
        neither a reply nor a miss is recorded under the key, or when several keys start so.
        """
        full, kept, fields = self._look_up(key)
        best: tuple[str, dict[str, tuple[Any, Any]]] | None = None
        for other, entry in self.entries():
            if other == full:
                continue
            differing = differences(fields, entry["fields"])
            if best is None or _distance(differing) < _distance(best[1]):
                best = (other, differing)
        return Why(full, kept, fields, best[0] if best else None, best[1] if best else {})

    def _look_up(self, key: str) -> tuple[str, bool, Fields]:
        matches: dict[str, tuple[bool, Fields]] = {}
        for namespace in (_NOTE, _REPLY):
            for full, entry in self.store.scan(namespace):
                if full.startswith(key):
                    matches[full] = (namespace == _REPLY, entry["fields"])
        if len(matches) != 1:
            problem = "fits several keys" if matches else "is neither kept nor a recorded miss"
            raise UsageError(f"{key!r} {problem} in {self.store.place}")
        full, (kept, fields) = matches.popitem()
        return full, kept, fields

    def _claims_of_store(self) -> Claims:
        store = self.store
        with self._opening:
            if self._claims is None:
                self._claims = Claims(store)
            return self._claims

    def _complain(self, fault: Exception) -> None:
        # The user must fix a store that cannot be opened; one that fails later is not needed.
        if self._store is None:
            raise fault
        if not self._warned:
            self._warned = True
            text = f"the reply cache {self._store.place} fails ({fault}); going on without it"
            if isinstance(fault, EnvironmentFault):
                text = f"{fault}; a reply that it lacks is asked for and not kept"
            warnings.warn(text, stacklevel=2)


def _replies(entries: Mapping[tuple[tuple[str, ...], str], Entry]) -> dict[str, Entry]:
    return {key: entry["reply"] for (_, key), entry in entries.items() if "reply" in entry}


def _distance(differing: Mapping[str, object]) -> tuple[bool, int]:
    # `messages` is the hash of the whole text, which differs whenever an input differs.
    return "step" in differing, len(set(differing) - {"messages"})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
