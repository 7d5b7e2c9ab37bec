"""Load and render prompts: a header, two messages with `{{placeholders}}`, and fences.

    ---
    name: choose_candidate
    version: 1
    source: H-DDx, section on mapping
    placeholders:
      diagnosis: untrusted      # judged text: put in between tags
      rules: trusted            # our own data (a rubric, a taxonomy): put in unchanged
    ---
    # System
    ...
    # User
    ... {{diagnosis}} ...

Untrusted text is put between tags that contain a nonce, `<diagnosis-9f…>` and `</diagnosis-9f…>`.
The system message says that the text between them is not an instruction. The nonce is a hash of
all values of the prompt; it is hashed again until it occurs in none of them. So no text can
contain the tag that closes its own fence. The same call still renders the same words, so that
replies can be kept and runs repeated.
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
    """The two messages of a prompt with all values, as they are sent to the model."""

    system: str
    user: str


@dataclass(frozen=True, repr=False, kw_only=True)
class Prompt:
    """The two messages of a step, with `{{placeholders}}` for the fields of its input.

    Args:
        system, user: the two messages.
        name: by default, the name of its file or of the step.
        version, source: information only.
        placeholders: for each name, "untrusted" (judged text, which is put between tags) or
            "trusted" (your own data, which is put in unchanged). By default, all placeholders of
            the messages are untrusted.
        words: the text of each part that some wordings need (see `prompts/variants.yaml`).

    Raises:
        UsageError: for a placeholder that is declared but not used, or used but not declared.
    """

    system: str
    user: str
    name: str = ""
    version: int = 1
    source: str = ""
    placeholders: Mapping[str, Trust] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Clean the messages and check the placeholders."""
        messages = (inspect.cleandoc(self.system), inspect.cleandoc(self.user))
        settled = _placeholders(self.name or "of the step", self.placeholders, messages)
        object.__setattr__(self, "system", messages[0])
        object.__setattr__(self, "user", messages[1])
        object.__setattr__(self, "placeholders", settled)

    def __repr__(self) -> str:
        fields = ", ".join(self.placeholders)
        return f"Prompt({self.name!r}, version {self.version}, {fields}, {self.hash[:12]})"

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of its two messages and of the engine's own messages."""
        return hash_of((self.system, self.user), self.placeholders)

    def render(self, values: Mapping[str, Value]) -> Rendered:
        """Return the messages with these values; a list becomes one line for each item.

        Raises UsageError if the names of the values are not exactly the prompt's placeholders.
        """
        if set(values) != set(self.placeholders):
            raise UsageError(
                f"prompt {self.name} needs {_names(self.placeholders)}, got {_names(values)}"
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

    Raises UsageError, which names the file, for a missing file; a header field that is missing,
    unknown or of the wrong type; a missing section; and a placeholder that is declared but not
    used, or used but not declared.
    """
    try:
        text = _shipped(name)
    except OSError as fault:
        raise UsageError(
            f"prompt {name}: no file {name}.md in prompts/; for your own step, write "
            'prompt=Prompt(system=..., user=...) or prompt="FILE.md"'
        ) from fault
    header, sections = _split(name, text)
    if not _FIELDS <= set(header) <= _FIELDS | {"words"}:
        raise UsageError(f"prompt {name}: the header must have {_names(_FIELDS)}")
    if header["name"] != name:
        raise UsageError(f"prompt {name}: `name` must be {name}, the name of the file")
    return _prompt(name, header, sections)


def read_prompt(path: Path) -> Prompt:
    """Read a prompt from your own file; the header and each of its fields are optional.

    Raises UsageError, which names the file, in the same cases as `load_prompt`.
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
    """Return the SHA-256 of a prompt's messages and placeholders.

    It includes the engine's own messages (fence, repair, schema), because they change answers too.
    """
    words = [*messages, *load_sections("engine").values(), repr(placeholders)]
    return hashlib.sha256("\x00".join(words).encode()).hexdigest()


@cache
def load_sections(name: str) -> Mapping[str, str]:
    """Load the `# Titled` sections of `prompts/NAME.md`, for the engine's own messages."""
    return _split(name, _shipped(name))[1]


@cache
def load_sentences(kind: str) -> tuple[str, ...]:
    """Load the sentences of a kind, "irrelevant" or "injection", from perturbations.yaml."""
    path = resources.files(__package__) / "perturbations.yaml"
    return tuple(yaml.safe_load(path.read_text(encoding="utf-8"))[kind])


def _shipped(name: str) -> str:
    return (resources.files(__package__) / f"{name}.md").read_text(encoding="utf-8")


def _split(
    where: str, text: str, *, needs_header: bool = True
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the header and the sections of a prompt file."""
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
    """Check the declared placeholders against the messages; without any, return those used."""
    used = {name for text in messages for name in _PLACEHOLDER.findall(text)}
    declared = declared or dict.fromkeys(sorted(used), "untrusted")
    if not isinstance(declared, Mapping) or not set(declared.values()) <= {"trusted", "untrusted"}:
        raise UsageError(f"prompt {name}: each placeholder must be `trusted` or `untrusted`")
    if used - set(declared):
        raise UsageError(f"prompt {name}: used but not declared: {_names(used - set(declared))}")
    if set(declared) - used:
        raise UsageError(f"prompt {name}: declared but not used: {_names(set(declared) - used)}")
    return dict(declared)


def _nonce(seed: str, texts: Mapping[str, str]) -> str:
    state = hashlib.sha256(seed.encode())
    for name in sorted(texts):
        state.update(f"\x00{name}\x00{len(texts[name])}\x00{texts[name]}".encode())
    nonce = state.hexdigest()[:12]
    # Nobody can write a text that contains its own hash, but one search makes it certain.
    while any(nonce in text for text in texts.values()):
        nonce = hashlib.sha256(nonce.encode()).hexdigest()[:12]
    return nonce


def _fence(name: str, text: str, nonce: str) -> str:
    return f"<{name}-{nonce}>\n{text}\n</{name}-{nonce}>"


def _fill(template: str, texts: Mapping[str, str]) -> str:
    # One pass, so that the text of a value is never read as a placeholder.
    return _PLACEHOLDER.sub(lambda match: texts[match[1]], template)


def _as_text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(f"- {' '.join(item.split())}" for item in value)


def _names(names: object) -> str:
    return ", ".join(sorted(names)) or "none"  # type: ignore[call-overload]
