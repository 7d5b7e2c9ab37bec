"""Draw specifications with vl-convert, which needs no browser, no network and no display."""

from collections.abc import Mapping
from html import escape
from typing import Any

_VERSION = "6.4"
_FACTOR = 2  # the pixels of a PNG for each unit of the drawing


def to_svg(spec: Mapping[str, Any]) -> str:
    """Draw a Vega-Lite specification as SVG; data are never loaded from an address."""
    import vl_convert  # its JavaScript engine starts on the first use

    svg = str(vl_convert.vegalite_to_svg(dict(spec), vl_version=_VERSION, allowed_base_urls=[]))
    label = escape(str(spec.get("description", "")))
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def to_png(svg: str) -> bytes:
    """Convert a drawing to PNG at twice its size."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=_FACTOR))


def to_pdf(svg: str) -> bytes:
    """Convert a drawing to PDF with its fonts inside."""
    import vl_convert

    return bytes(vl_convert.svg_to_pdf(svg))
