"""Read the images of a case from paths, bytes or URLs, check them and prepare a message."""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from ..errors import InputError
from ..files.json_text import load_cell
from .wires.image_size import MAX_SIDE, Fitted, TooLarge, can_fit, fit

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

    A plain string is a URL if it starts with http:// or https://, the image itself if it is a data
    URL or the base64 of an image, and a path otherwise.
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
            if image.startswith("data:"):
                return {"data": image.partition(";base64,")[2]}
            if _is_base64(image):
                return {"data": image}
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


def images_of(cell: Any, folder: Path, name: str) -> tuple[Image, ...]:
    """Return the images that a cell names; none for an empty cell.

    The cell is a path (relative to `folder`), a URL, a data URL, base64, bytes, an object with one
    of `path`, `url` and `data`, a list of these, or text with a semicolon or line break between
    paths and URLs. Raises InputError, naming the column, for anything else.
    """
    if cell is None or cell != cell or cell in ("", b"", [], ()):  # NaN is an empty cell
        return ()
    try:
        entries = _entries(cell)
        return tuple(_in_folder(Image.model_validate(entry), folder) for entry in entries)
    except ValueError as fault:
        raise InputError(f"the column {name} does not name images: {_first_line(fault)}") from fault


def _entries(cell: Any) -> list[Any]:
    if isinstance(cell, list | tuple):
        return list(cell)
    if not isinstance(cell, str) or _is_base64(cell):
        return [cell]
    if cell.lstrip().startswith(("[", "{")):
        value = load_cell(cell)
        return value if isinstance(value, list) else [value]
    if cell.startswith("data:"):
        return [cell]
    return [part.strip() for part in re.split(r"[;\n]", cell) if part.strip()]


def _in_folder(image: Image, folder: Path) -> Image:
    if image.path is None or image.path.is_absolute():
        return image
    return Image(path=folder / image.path)


def _first_line(fault: ValueError) -> str:
    errors: list[Any] = fault.errors() if isinstance(fault, ValidationError) else []
    return str(errors[0]["msg"]) if errors else str(fault)


def _is_base64(text: str) -> bool:
    """Whether a text is the base64 of an image and not a path: long, with an image's first bytes.

    Tables of VLMEvalKit hold images in this form.
    """
    return len(text) >= _LEAST_BASE64 and text.startswith(_BASE64_STARTS)


_LEAST_BASE64 = 64  # characters; a 1 x 1 pixel PNG has 92
_BASE64_STARTS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")


class LoadedImage(BaseModel):
    """An image that is ready to be sent; cache keys contain its `hash`.

    note: says that it was made smaller; "" for an image that is sent as it is.
    """

    model_config = ConfigDict(frozen=True)

    url: str
    hash: str
    note: str = ""

    @property
    def content(self) -> tuple[str, bytes]:
        """The media type and the bytes of an image that is not an address."""
        head, _, data = self.url.partition(";base64,")
        return head.removeprefix("data:"), base64.b64decode(data)

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
    if kind_of(content) is None:
        raise InputError(f"{name} is not PNG, JPEG, GIF or WebP")
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    fitted = _fitted(content, name)
    if fitted is None:
        return LoadedImage(url=data_url(content), hash=digest)
    # Of the content that is sent, the bytes depend on the version of the library.
    return LoadedImage(
        url=data_url(fitted.content),
        hash=f"{digest} in {MAX_BYTES} bytes and {MAX_SIDE} pixels",
        note=f"{name} was made smaller, from {_size(fitted.before)} to {_size(fitted.now)} pixels, "
        f"because at most {_BOUND} can be sent",
    )


_BOUND = f"{MAX_BYTES:,} bytes and {MAX_SIDE:,} pixels a side"


def _fitted(content: bytes, name: str) -> Fitted | None:
    if can_fit():
        try:
            return fit(content, MAX_BYTES)
        except TooLarge as fault:
            if len(content) <= MAX_BYTES:
                return None  # the provider may read what the library does not
            raise InputError(
                f"{name} has {len(content):,} bytes; at most {MAX_BYTES:,} can be sent, and {fault}"
            ) from fault
    if len(content) > MAX_BYTES:
        raise InputError(
            f"{name} has {len(content):,} bytes; at most {MAX_BYTES:,} can be sent. With "
            "pip install 'dxjudge[images]' it is made smaller"
        )
    return None


def _size(sides: tuple[int, int]) -> str:
    return f"{sides[0]:,} x {sides[1]:,}"


def data_url(content: bytes) -> str:
    """Return bytes as a data URL with the media type of the image that they are."""
    return f"data:{kind_of(content)};base64,{base64.b64encode(content).decode()}"


def _read(image: Image, name: str) -> bytes:
    try:
        if image.path is not None:
            if image.path.exists() and not image.path.is_file():
                raise InputError(f"{name} is not a file")  # a device may have no end
            return image.path.read_bytes()
        return base64.b64decode(image.data or "", validate=True)
    except (OSError, ValueError) as fault:
        raise InputError(f"{name} cannot be read: {fault}") from fault


def kind_of(content: bytes) -> str | None:
    """Return the media type of an image by its first bytes; None for anything else."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for sign, kind in _SIGNATURES.items() if content.startswith(sign)), None)
