"""Draw specifications with vl-convert, which needs no browser, no network and no display."""

import json
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any

from .settled import settled

_VERSION = "6.4"
_FACTOR = 2  # the pixels of a PNG for each unit of the drawing
_KEPT = 64  # drawings that are kept: an evaluation that is written again draws nothing again


def to_svg(spec: Mapping[str, Any]) -> str:
    """Draw a Vega-Lite specification as SVG; data are never loaded from an address."""
    return _svg(json.dumps(spec, ensure_ascii=False))


@lru_cache(_KEPT)
def _svg(spec: str) -> str:
    import vl_convert  # its JavaScript engine starts on the first use

    svg = str(vl_convert.vegalite_to_svg(spec, vl_version=_VERSION, allowed_base_urls=[]))
    label = escape(str(json.loads(spec).get("description", "")))
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


@lru_cache(_KEPT)
def to_png(svg: str) -> bytes:
    """Convert a drawing to PNG at twice its size."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=_FACTOR))


@lru_cache(_KEPT)
def to_pdf(svg: str) -> bytes:
    """Convert a drawing to PDF with its fonts inside; the same drawing gives the same bytes."""
    import vl_convert

    return settled(bytes(vl_convert.svg_to_pdf(svg)))
