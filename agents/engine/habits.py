"""What the process has learnt about each model: its method, and the parameters it rejects."""

import threading
import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..judge import JudgeSpec
from .faults import Fault, rejected_parameter, rejects_method
from .models import Method


class Habits:
    """What one model on one server accepts; every run in the process shares it.

    spoke: the model has answered at least once. proven: the current method has given a valid
    answer.
    """

    def __init__(self, methods: tuple[Method, ...], absent: tuple[str, ...] = ()) -> None:
        """methods: the ones that may work, best first; absent: parameters that are never sent."""
        self._methods = methods
        self._place = 0
        self._absent = absent
        self._dropped: dict[str, None] = {}
        self._lock = threading.Lock()
        self.spoke = False
        self.proven = False

    @property
    def method(self) -> Method:
        """The best method that is not known to fail."""
        return self._methods[self._place]

    def fit(self, spec: JudgeSpec) -> JudgeSpec:
        """Return the spec that will be sent."""
        for name in self._absent:
            if getattr(spec, name) is not None:
                self.drop(name, spec.label)
        method = self.method if spec.method == "auto" else spec.method
        dropped = tuple(name for name in self._dropped if getattr(spec, name) is not None)
        return as_sent(spec, method, dropped)

    def adapt(self, asked: JudgeSpec, sent: JudgeSpec, fault: Fault) -> bool:
        """Learn from a rejected request; return whether another request may succeed.

        asked: the spec that the user set; sent: the spec of the rejected request.
        """
        # The method is checked first, because its message may name a parameter as well.
        if asked.method == "auto" and rejects_method(fault, sent.method):
            return self.demote(sent.method)
        name = rejected_parameter(fault, sent)
        if name is None:
            return False
        self.drop(name, sent.label)
        return True

    def drop(self, name: str, label: str) -> None:
        """Stop sending this parameter; warn the first time."""
        with self._lock:
            known = name in self._dropped
            self._dropped[name] = None
        if not known:
            warnings.warn(f"{label} does not take {name}: it is no longer sent", stacklevel=2)

    @property
    def learnt(self) -> dict[str, Any]:
        """What another process can adopt, as plain JSON."""
        return {"method": self.method, "dropped": list(self._dropped)}

    def adopt(self, learnt: Mapping[str, Any], label: str) -> None:
        """Take over what another process has learnt, to which the model has answered."""
        for name in learnt["dropped"]:
            if name in JudgeSpec.model_fields:
                self.drop(name, label)
        if learnt["method"] != self.method:
            self.demote(self.method, learnt["method"])
        self.spoke = True

    def demote(self, method: Method, to: Method | None = None) -> bool:
        """Replace a failing method by the next, or by `to`; return False if none is left."""
        with self._lock:
            if self.method != method:  # another call has already replaced it
                return True
            later = self._methods[self._place + 1 :]
            if not later or (to is not None and to not in later):
                return False
            self._place = self._methods.index(to or later[0])
            self.proven = False
            return True


@lru_cache(maxsize=1024)
def as_sent(spec: JudgeSpec, method: Method, dropped: tuple[str, ...]) -> JudgeSpec:
    """Return a spec with this method and without the dropped parameters."""
    gone: dict[str, object] = dict.fromkeys(dropped)
    return spec.model_copy(update={**gone, "method": method, "dropped": dropped})


@lru_cache(maxsize=1024)
def kept_spec(spec: JudgeSpec, method: Method, dropped: tuple[str, ...]) -> JudgeSpec:
    """Return a spec as it was sent, from what a store has. Raises ValueError for other values."""
    # The values come from a file and model_copy does not validate, so they are validated here.
    return JudgeSpec.model_validate(as_sent(spec, method, dropped).model_dump())


_HABITS: dict[str, Habits] = {}
_LEARNING = threading.Lock()


def habits_of(endpoint: str, methods: tuple[Method, ...], absent: tuple[str, ...] = ()) -> Habits:
    """Return the process's habits for a model on a server."""
    habits = _HABITS.get(endpoint)
    if habits is None:
        with _LEARNING:
            habits = _HABITS.setdefault(endpoint, Habits(methods, absent))
    return habits


def forget_habits() -> None:
    """Forget what was learnt about all models, as needed after a server was replaced."""
    with _LEARNING:
        _HABITS.clear()
