"""Recognises that two judges are the same model on the same server."""

import re
from collections.abc import Iterable

from ...errors import UsageError
from ..judge import OFFICIAL
from .judges import Judge

# Names and addresses of the own machine; a server that listens on all of them is one server.
_LOOPBACK = re.compile(
    r"(?<=://)(localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[(0*:)+0*1\]|\[::\])(?=[:/]|$)"
)


def one_model(judge: Judge) -> str:
    """Return a name that is equal for two judges if they are the same model on the same server.

    All names of the own machine (localhost, 127.0.0.1, [::1]) count as one. A model object of a
    vendor is identified by its model and address. Any other object is only equal to itself. The
    name is only for comparisons: the keys of kept replies have the address as it was written.
    """
    spec, brought = judge.spec, judge.model
    name = spec.endpoint
    if brought is not None and spec.provider != "object":
        fields = ("openai_api_base", "anthropic_api_url")
        address = next(
            (url for attribute in fields if (url := getattr(brought, attribute, None))), ""
        )
        name = f"{spec.label}@{address}".rstrip("@/")
    name = name.lower()
    for official in OFFICIAL.values():
        name = name.removesuffix(f"@{official}")
    return _LOOPBACK.sub("localhost", name)


def check_named_once(judges: Iterable[Judge]) -> None:
    """Raise UsageError if two judges are one model, or have one label.

    Votes name a judge by its label, so two judges with one label could not be separated.
    """
    seen: set[str] = set()
    for judge in judges:
        names = {judge.spec.label.lower(), one_model(judge)}
        if names & seen:
            raise UsageError(f"the judge {judge.spec.label} is named twice; name it once")
        seen |= names
