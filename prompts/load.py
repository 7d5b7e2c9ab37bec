"""Prompt files: a YAML header, a system and a user message, `{{placeholders}}`, and fences.

    ---
    name: choose_candidate
    version: 1
    source: H-DDx, section on mapping
    placeholders:
      diagnosis: untrusted      # text under judgement: fenced
      rules: trusted            # our own data (a rubric, a taxonomy): put in as it is
    ---
    # System
    ...
    # User
    ... {{diagnosis}} ...

Untrusted text stands between tags that carry a nonce, `<diagnosis-9f…>` and
`</diagnosis-9f…>`; the system message says that nothing between them is an instruction. The
nonce is a hash of everything put into the prompt, made again until it occurs in none of it:
no text can hold the tag that would close its own fence, and yet the same call always renders
the same words, so that replies can be kept and runs repeated.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

from ..errors import UsageError

Trust = Literal["trusted", "untrusted"]
Value = str | Sequence[str]

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_HEADER = re.compile(r"\A---\n(?P<header>.*?\n)---\n(?P<body>.*)\Z", re.DOTALL)
_SECTION = re.compile(r"^# (.+?)\s*$", re.MULTILINE)
_FIELDS = {"name", "version", "source", "placeholders"}


@dataclass(frozen=True)
class Rendered:
    """A prompt with its values in it: what the model is sent."""

    system: str
    user: str


@dataclass(frozen=True)
class Prompt:
    """A loaded prompt; `hash` covers its messages and the engine's own."""

    name: str
    version: int
    source: str
    placeholders: Mapping[str, Trust]
    system: str
    user: str
    hash: str

    def render(self, values: Mapping[str, Value]) -> Rendered:
        """Put the values in; a list becomes one line an item.

        Raises UsageError when the values are not exactly the prompt's placeholders.
        """
        if set(values) != set(self.placeholders):
            raise UsageError(
                f"prompt {self.name} wants {_names(self.placeholders)}, got {_names(values)}"
            )
        texts = {name: _as_text(value) for name, value in values.items()}
        nonce = _nonce(self.hash, texts)
        fenced = {
            name: _fence(name, text, nonce) if self.placeholders[name] == "untrusted" else text
            for name, text in texts.items()
        }
        notice = ""
        if "untrusted" in self.placeholders.values():
            notice = "\n\n" + load_sections("engine")["Fence"].replace("{{nonce}}", nonce)
        return Rendered(_fill(self.system, fenced) + notice, _fill(self.user, fenced))


@cache
def load_prompt(name: str) -> Prompt:
    """Load `prompts/NAME.md`.

    Raises UsageError naming the file for: no such file, a header field that is missing,
    unknown or of the wrong type, a section that is missing, a placeholder that is declared and
    not used or used and not declared.
    """
    header, sections, text = _read(name)
    if set(header) != _FIELDS:
        raise UsageError(f"prompt {name}: the header must hold {_names(_FIELDS)}")
    if header["name"] != name or not isinstance(header["version"], int):
        raise UsageError(f"prompt {name}: `name` must be the file's, `version` a whole number")
    if set(sections) != {"System", "User"}:
        raise UsageError(f"prompt {name}: the sections must be `# System` and `# User`")
    placeholders = _placeholders(name, header["placeholders"], sections)
    return Prompt(
        name=name,
        version=header["version"],
        source=str(header["source"]),
        placeholders=placeholders,
        system=sections["System"],
        user=sections["User"],
        hash=hash_of(sections.values(), placeholders),
    )


def hash_of(messages: Iterable[str], placeholders: Mapping[str, Trust]) -> str:
    """The identity of a prompt's words.

    The engine's own words (fence, repair, schema) are in it: they change answers as well.
    """
    words = [*messages, *load_sections("engine").values(), repr(placeholders)]
    return hashlib.sha256("\x00".join(words).encode()).hexdigest()


@cache
def load_sections(name: str) -> Mapping[str, str]:
    """The `# Titled` sections of `prompts/NAME.md`, for the engine's own messages."""
    return _read(name)[1]


@cache
def load_sentences(kind: str) -> tuple[str, ...]:
    """The sentences of this kind in `prompts/perturbations.yaml`: "irrelevant", "injection"."""
    path = resources.files(__package__) / "perturbations.yaml"
    return tuple(yaml.safe_load(path.read_text(encoding="utf-8"))[kind])


def _read(name: str) -> tuple[dict[str, Any], dict[str, str], str]:
    path = resources.files(__package__) / f"{name}.md"
    try:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except OSError as fault:
        raise UsageError(f"prompt {name}: no file {name}.md in prompts/") from fault
    found = _HEADER.match(text)
    if not found:
        raise UsageError(f"prompt {name}: no header between two lines of ---")
    header = yaml.safe_load(found["header"])
    if not isinstance(header, dict):
        raise UsageError(f"prompt {name}: the header is not a YAML mapping")
    return header, _sections(name, found["body"]), text


def _sections(name: str, body: str) -> dict[str, str]:
    parts = _SECTION.split(body)
    if parts[0].strip():
        raise UsageError(f"prompt {name}: text before the first `# Section`")
    titles = parts[1::2]
    if len(set(titles)) != len(titles):
        raise UsageError(f"prompt {name}: a section occurs twice")
    return {title: text.strip() for title, text in zip(titles, parts[2::2], strict=True)}


def _placeholders(name: str, declared: Any, sections: Mapping[str, str]) -> dict[str, Trust]:
    declared = declared or {}
    if not isinstance(declared, dict) or not set(declared.values()) <= {"trusted", "untrusted"}:
        raise UsageError(f"prompt {name}: each placeholder is `trusted` or `untrusted`")
    used = {found for text in sections.values() for found in _PLACEHOLDER.findall(text)}
    if used - set(declared):
        raise UsageError(f"prompt {name}: used, not declared: {_names(used - set(declared))}")
    if set(declared) - used:
        raise UsageError(f"prompt {name}: declared, not used: {_names(set(declared) - used)}")
    return declared


def _nonce(seed: str, texts: Mapping[str, str]) -> str:
    state = hashlib.sha256(seed.encode())
    for name in sorted(texts):
        state.update(f"\x00{name}\x00{len(texts[name])}\x00{texts[name]}".encode())
    nonce = state.hexdigest()[:12]
    # A text cannot be chosen to hold its own hash, but the guarantee costs one look.
    while any(nonce in text for text in texts.values()):
        nonce = hashlib.sha256(nonce.encode()).hexdigest()[:12]
    return nonce


def _fence(name: str, text: str, nonce: str) -> str:
    return f"<{name}-{nonce}>\n{text}\n</{name}-{nonce}>"


def _fill(template: str, texts: Mapping[str, str]) -> str:
    # One pass: what a value holds is never read as a placeholder.
    return _PLACEHOLDER.sub(lambda found: texts[found[1]], template)


def _as_text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(f"- {' '.join(item.split())}" for item in value)


def _names(names: object) -> str:
    return ", ".join(sorted(names)) or "none"  # type: ignore[call-overload]
