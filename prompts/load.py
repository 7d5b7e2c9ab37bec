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
import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib import resources
from pathlib import Path
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


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """The two messages of a step, with `{{placeholders}}` for the fields of its input.

    name: by default that of its file or of the step. version, source: for the record.
    placeholders: name -> "untrusted" (text under judgement, which is fenced) or "trusted" (your
        own data, put in as it is). By default all that the messages use, untrusted.
    words: part -> text, for the wordings that need it (see `prompts/variants.yaml`).

    Raises UsageError for a placeholder that is declared and not used, or used and not declared.
    """

    system: str
    user: str
    name: str = ""
    version: int = 1
    source: str = ""
    placeholders: Mapping[str, Trust] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Settle the placeholders."""
        messages = (inspect.cleandoc(self.system), inspect.cleandoc(self.user))
        settled = _placeholders(self.name or "of the step", self.placeholders, messages)
        object.__setattr__(self, "system", messages[0])
        object.__setattr__(self, "user", messages[1])
        object.__setattr__(self, "placeholders", settled)

    @cached_property
    def hash(self) -> str:
        """The identity of its words: its two messages and the engine's own."""
        return hash_of((self.system, self.user), self.placeholders)

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
    try:
        text = _shipped(name)
    except OSError as fault:
        raise UsageError(
            f"prompt {name}: no file {name}.md in prompts/; a step of your own has "
            'prompt=Prompt(system=..., user=...) or prompt="FILE.md"'
        ) from fault
    header, sections = _split(name, text)
    if not _FIELDS <= set(header) <= _FIELDS | {"words"}:
        raise UsageError(f"prompt {name}: the header must hold {_names(_FIELDS)}")
    if header["name"] != name:
        raise UsageError(f"prompt {name}: `name` must be the file's")
    return _prompt(name, header, sections)


def read_prompt(path: Path) -> Prompt:
    """Read a prompt from a file of one's own; the header, and each of its fields, may be left out.

    Raises UsageError naming the file as `load_prompt` does.
    """
    try:
        changed = path.stat().st_mtime_ns
    except OSError as fault:
        raise UsageError(f"prompt {path}: {fault.strerror}") from fault
    return _read_file(path, changed)


@lru_cache(maxsize=256)
def _read_file(path: Path, _changed: int) -> Prompt:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"prompt {path} cannot be read: {fault}") from fault
    header, sections = _split(str(path), text, needs_header=False)
    if not set(header) <= _FIELDS | {"words"}:
        unknown = _names(set(header) - _FIELDS)
        raise UsageError(f"prompt {path}: the header has the unknown field {unknown}")
    return _prompt(str(path), {"name": path.stem, **header}, sections)


def _prompt(where: str, header: Mapping[str, Any], sections: Mapping[str, str]) -> Prompt:
    if set(sections) != {"System", "User"}:
        raise UsageError(f"prompt {where}: the sections must be `# System` and `# User`")
    version, words = header.get("version", 1), header.get("words") or {}
    if not isinstance(version, int):
        raise UsageError(f"prompt {where}: `version` must be a whole number")
    if not isinstance(words, dict):
        raise UsageError(f"prompt {where}: `words` must be a mapping of parts to texts")
    messages = sections["System"], sections["User"]
    return Prompt(
        name=str(header["name"]),
        version=version,
        source=str(header.get("source", "")),
        placeholders=_placeholders(where, header.get("placeholders"), messages),
        words={part: str(text).strip() for part, text in words.items()},
        system=messages[0],
        user=messages[1],
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
    return _split(name, _shipped(name))[1]


@cache
def load_sentences(kind: str) -> tuple[str, ...]:
    """The sentences of this kind in `prompts/perturbations.yaml`: "irrelevant", "injection"."""
    path = resources.files(__package__) / "perturbations.yaml"
    return tuple(yaml.safe_load(path.read_text(encoding="utf-8"))[kind])


def _shipped(name: str) -> str:
    return (resources.files(__package__) / f"{name}.md").read_text(encoding="utf-8")


def _split(
    where: str, text: str, *, needs_header: bool = True
) -> tuple[dict[str, Any], dict[str, str]]:
    """The header and the sections of a prompt file."""
    text = text.replace("\r\n", "\n")
    match = _HEADER.match(text)
    if match is None:
        if needs_header:
            raise UsageError(f"prompt {where}: no header between two lines of ---")
        return {}, _sections(where, text)
    try:
        header = yaml.safe_load(match["header"])
    except yaml.YAMLError as fault:
        raise UsageError(f"prompt {where}: {' '.join(str(fault).split())}") from fault
    if not isinstance(header, dict):
        raise UsageError(f"prompt {where}: the header is not a YAML mapping")
    return header, _sections(where, match["body"])


def _sections(name: str, body: str) -> dict[str, str]:
    parts = _SECTION.split(body)
    if parts[0].strip():
        raise UsageError(f"prompt {name}: text before the first `# Section`")
    titles = parts[1::2]
    if len(set(titles)) != len(titles):
        raise UsageError(f"prompt {name}: a section occurs twice")
    return {title: text.strip() for title, text in zip(titles, parts[2::2], strict=True)}


def _placeholders(name: str, declared: Any, messages: Sequence[str]) -> dict[str, Trust]:
    """What is declared, checked against what the messages use; all of these if none is."""
    used = {name for text in messages for name in _PLACEHOLDER.findall(text)}
    declared = declared or dict.fromkeys(sorted(used), "untrusted")
    if not isinstance(declared, Mapping) or not set(declared.values()) <= {"trusted", "untrusted"}:
        raise UsageError(f"prompt {name}: each placeholder is `trusted` or `untrusted`")
    if used - set(declared):
        raise UsageError(f"prompt {name}: used, not declared: {_names(used - set(declared))}")
    if set(declared) - used:
        raise UsageError(f"prompt {name}: declared, not used: {_names(set(declared) - used)}")
    return dict(declared)


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
    return _PLACEHOLDER.sub(lambda match: texts[match[1]], template)


def _as_text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(f"- {' '.join(item.split())}" for item in value)


def _names(names: object) -> str:
    return ", ".join(sorted(names)) or "none"  # type: ignore[call-overload]
