"""Read the images of a case from paths, bytes or URLs, check them and prepare a message."""

import base64
import hashlib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from ..errors import InputError

# The smallest of the vendors' limits for one image (Anthropic: 5 MB once encoded in base64).
MAX_BYTES = 5_000_000 * 3 // 4
MAX_IMAGES = 20
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


class Image(BaseModel):
    """One image: exactly one of `path`, `url` (http or https) and `data` (base64).

    A plain string is a URL if it starts with http:// or https://, and a path otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path | None = None
    url: str | None = None
    data: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_plain(cls, image: Any) -> Any:
        if isinstance(image, bytes):
            return {"data": base64.b64encode(image).decode()}
        if isinstance(image, Path):
            return {"path": image}
        if isinstance(image, str):
            is_url = image.startswith(("http://", "https://"))
            return {"url": image} if is_url else {"path": image}
        return image

    @model_validator(mode="after")
    def _one_source(self) -> "Image":
        if sum(source is not None for source in (self.path, self.url, self.data)) != 1:
            raise ValueError("an image has exactly one of path, url and data")
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise ValueError("an image URL starts with http:// or https://")
        return self


class LoadedImage(BaseModel):
    """An image that is ready to be sent; cache keys contain its `hash`."""

    model_config = ConfigDict(frozen=True)

    url: str
    hash: str

    def block(self) -> dict[str, Any]:
        """Return the content block that LangChain translates into each vendor's format."""
        return {"type": "image_url", "image_url": {"url": self.url}}


def load_images(images: tuple[Image, ...]) -> tuple[LoadedImage, ...]:
    """Read and check images.

    Raises InputError if there are too many images, or if one is unreadable, too large, or not
    PNG, JPEG, GIF or WebP; the message names the image.
    """
    if len(images) > MAX_IMAGES:
        raise InputError(f"{len(images)} images; at most {MAX_IMAGES} can be sent at once")
    return tuple(_load(image, place) for place, image in enumerate(images, start=1))


def _load(image: Image, place: int) -> LoadedImage:
    if image.url is not None:
        return LoadedImage(url=image.url, hash=f"url:{image.url}")
    name = f"image {place} ({image.path or 'data'})"
    content = _read(image, name)
    kind = _kind(content)
    if kind is None:
        raise InputError(f"{name} is not PNG, JPEG, GIF or WebP")
    if len(content) > MAX_BYTES:
        raise InputError(f"{name} has {len(content):,} bytes; at most {MAX_BYTES:,} can be sent")
    encoded = base64.b64encode(content).decode()
    digest = hashlib.sha256(content).hexdigest()
    return LoadedImage(url=f"data:{kind};base64,{encoded}", hash=f"sha256:{digest}")


def _read(image: Image, name: str) -> bytes:
    try:
        if image.path is not None:
            return image.path.read_bytes()
        return base64.b64decode(image.data or "", validate=True)
    except (OSError, ValueError) as fault:
        raise InputError(f"{name} cannot be read: {fault}") from fault


def _kind(content: bytes) -> str | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for sign, kind in _SIGNATURES.items() if content.startswith(sign)), None)
