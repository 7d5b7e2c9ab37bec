"""Make an image smaller that no provider takes as it is. Needs Pillow (extra `images`)."""

import io
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

MAX_SIDE = 8000
"""The smallest of the vendors' limits for the width and the height of an image, in pixels."""
_STEP = 0.9  # each try is at least so much smaller
_FORMATS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 90},
    "PNG": {"optimize": False},
    "WEBP": {"quality": 90},
}


class TooLarge(ValueError):
    """The image cannot be made smaller; the message says why."""


@dataclass(frozen=True)
class Fitted:
    """An image that fits: its content, and its width and height before and now, in pixels."""

    content: bytes
    before: tuple[int, int]
    now: tuple[int, int]


def can_fit() -> bool:
    """Whether Pillow is installed."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        return False
    return True


@lru_cache(maxsize=4)  # several models are asked about one image, one soon after the other
def fit(content: bytes, most: int) -> Fitted | None:
    """Return the image with at most `most` bytes and `MAX_SIDE` pixels a side; None if it fits.

    The width and height keep their proportion. The format stays, except that of a GIF the first
    frame becomes a PNG. Raises TooLarge for an image that cannot be read.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(content)) as opened:
            before, kind = opened.size, opened.format
            if len(content) <= most and max(before) <= MAX_SIDE:
                return None
            picture = ImageOps.exif_transpose(opened)  # a new file has no mark of its orientation
            picture.load()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as fault:
        raise TooLarge(f"it cannot be made smaller: {fault}") from fault
    name = kind if kind in _FORMATS else "PNG"
    share = min(1.0, MAX_SIDE / max(before))
    try:
        whole = picture.convert(_mode(picture.mode, name))
        while True:
            smaller = _encoded(whole, name, share)
            if len(smaller.content) <= most:
                return Fitted(smaller.content, before, smaller.now)
            share *= min(_STEP, (most / len(smaller.content)) ** 0.5)
    except (OSError, ValueError) as fault:
        raise TooLarge(f"it cannot be made smaller: {fault}") from fault


def _mode(mode: str, name: str) -> str:
    """Return the mode in which an image is scaled: its own, where the format has it."""
    if name == "PNG" and mode in ("P", "PA", "1"):  # a palette, of which colours cannot be mixed
        return "RGBA"
    kept = {"JPEG": ("L", "RGB"), "WEBP": ("RGB", "RGBA")}.get(
        name, ("L", "LA", "RGB", "RGBA", "I;16")
    )
    return mode if mode in kept else "RGB"


def _encoded(whole: Any, name: str, share: float) -> Fitted:
    width, height = (max(1, round(side * share)) for side in whole.size)
    file = io.BytesIO()
    whole.resize((width, height)).save(file, name, **_FORMATS[name])
    return Fitted(file.getvalue(), whole.size, (width, height))
