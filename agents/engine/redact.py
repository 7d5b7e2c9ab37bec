"""Remove API keys from everything that a server, an SDK or a model wrote."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import SecretStr

from ...files.json_text import read_nested
from .hidden import without_surrogates
from .judges import Judge
from .models import keys_of_environment

_LEAST = 8  # characters; a shorter value is not a key, and occurs in ordinary text
_MARK = "[key]"


def redact(text: str, judge: Judge) -> str:
    """Replace the keys in a text, also keys that JSON has escaped once or twice.

    Half a surrogate pair, which cannot be encoded, becomes U+FFFD.
    """
    text = without_surrogates(text)
    for secret in _secrets(judge):
        for form in _forms(secret):
            if form in text:
                text = text.replace(form, _MARK)
    return text


def redact_value(value: Any, judge: Judge) -> Any:
    """Replace the keys in every text of a value that was read from JSON.

    Raises ValueError for a value that is nested too deeply.
    """
    return read_nested(_without, value, _secrets(judge))


def _without(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        value = without_surrogates(value)
        for secret in secrets:
            value = value.replace(secret, _MARK)
        return value
    if isinstance(value, Mapping):
        return {_without(key, secrets): _without(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, secrets) for item in value]
    return value


def _secrets(judge: Judge) -> list[str]:
    secrets = keys_of_environment()
    if judge.model is not None:
        values = (getattr(judge.model, name) for name in type(judge.model).model_fields)
        secrets += [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
    # The longest first: of a key that begins with another one, nothing may be left.
    return sorted((secret for secret in secrets if len(secret) >= _LEAST), key=len, reverse=True)


def _forms(secret: str) -> Iterator[str]:
    yield secret
    escaped = json.dumps(secret)[1:-1]
    for form in (escaped, escaped.replace("/", "\\/")):
        if form != secret:
            yield form
            yield json.dumps(form)[1:-1]
