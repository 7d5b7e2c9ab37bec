"""The ways in which the conditions of a text may be told apart."""

import re

from .abbreviations import expand_abbreviations
from .agents import agent, organism
from .joined import Part, read_parts

_LONGEST_NAME = 4  # words of the name of an agent before what it causes
# These join no conditions: "pt with AKI on CKD".
_LEAD = re.compile(
    r"^\s*(?:(?:the )?(?:pt|patient)|present(?:s|ed|ing)?|adm(?:itted)?)\s+(?:with|w/|for)\s*",
    re.IGNORECASE,
)
_INDUCED = re.compile(r"[\s-](?:induced|related|associated)$", re.IGNORECASE)


def readings_of(text: str) -> tuple[tuple[Part, ...], ...]:
    """Return the ways to part a text: at "and" as well as at other joints, then at these alone.

    First "mets" are those of all places before it, which must be known as such.
    """
    text = _LEAD.sub("", text)
    shared, listed = read_parts(text, listed=True, shared=True), read_parts(text, listed=True)
    beside = read_parts(text, listed=True, first="beside")
    readings = dict.fromkeys((shared, listed, read_parts(text), _of_agent(text), beside))
    return tuple(tuple(_as_meant(part, text) for part in parts) for parts in readings)


def _as_meant(part: Part, text: str) -> Part:
    """Write out an abbreviation whose meaning a word of another part says."""
    expansion = expand_abbreviations(part.text, text)
    by_context = any(entry.kind == "context" for entry in expansion.expanded)
    return part._replace(text=expansion.text) if by_context else part


def _of_agent(text: str) -> tuple[Part, ...]:
    """Return the parts of a condition after what causes it: "VRE UTI", "steroid-induced myopathy".

    A drug is its cause only where the text says so.
    """
    words = text.split()
    for end in range(min(_LONGEST_NAME, len(words) - 1), 0, -1):
        span, rest = " ".join(words[:end]), " ".join(words[end:])
        name = _INDUCED.sub("", span)
        if organism(name) or (name != span and agent(name)):
            return Part(rest, rest, "with"), Part(name, span, "agent")
    return ()
