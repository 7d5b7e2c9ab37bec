"""A judge's own words on a verdict."""

from typing import Any


def explained(value: Any) -> str:
    """What the judge says about a step's result; nothing where it says nothing."""
    for name in ("rationale", "explanation"):
        if hasattr(value, name):
            return str(getattr(value, name))
    if hasattr(value, "errors"):
        return " ".join(f"[{error.category}] {error.explanation}" for error in value.errors)
    if hasattr(value, "dimensions"):
        return " ".join(
            f"[{name}: {one.raw}] {one.justification}" for name, one in value.dimensions.items()
        )
    return ""
