"""PDF files in one order: a drawing program that keeps its objects in hash tables has no order."""

import re

_OBJECT = re.compile(rb"^(\d{10}) \d{5} n", re.MULTILINE)
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_NAMES = re.compile(rb"(?:\n +/[a-z]+\d+ \d+ 0 R){2,}")


def settled(pdf: bytes) -> bytes:
    """Return a PDF with its objects in the order in which its pages name them.

    The names of resources are sorted, and the objects are numbered anew. A file with another table
    of objects than the plain one is returned as it is.
    """
    table = int(pdf.rpartition(b"startxref\n")[2].split()[0])
    if not pdf.startswith(b"xref\n", table):
        return pdf
    places = sorted(int(place) for place in _OBJECT.findall(pdf[table:]))
    bodies = {}
    for place, end in zip(places, [*places[1:], table], strict=True):
        number, _, body = pdf[place:end].partition(b" 0 obj\n")
        bodies[int(number)] = _split(body)
    trailer = pdf[pdf.index(b"trailer", table) : pdf.rindex(b"startxref")]
    numbers = {old: new for new, old in enumerate(_reached(trailer, bodies), 1)}

    def renumbered(part: bytes) -> bytes:
        return _REFERENCE.sub(lambda found: b"%d 0 R" % numbers[int(found[1])], part)

    whole, starts = pdf[: places[0]], []
    for old, new in numbers.items():
        starts.append(len(whole))
        part, stream = bodies[old]
        whole += b"%d 0 obj\n" % new + renumbered(part) + stream
    lines = b"".join(b"%010d 00000 n\r\n" % start for start in starts)
    head = b"xref\n0 %d\n0000000000 65535 f\r\n" % (len(starts) + 1)
    size = re.sub(rb"/Size \d+", b"/Size %d" % (len(starts) + 1), renumbered(trailer))
    return whole + head + lines + size + b"startxref\n%d\n%%%%EOF" % len(whole)


def _split(body: bytes) -> tuple[bytes, bytes]:
    """Return the dictionary of an object with its names sorted, and the stream behind it."""
    part, mark, stream = body.partition(b"\nstream\n")
    return _NAMES.sub(lambda names: b"\n".join(sorted(names[0].split(b"\n"))), part), mark + stream


def _reached(trailer: bytes, bodies: dict[int, tuple[bytes, bytes]]) -> list[int]:
    """Return the numbers of all objects, each where it is first named."""
    order: dict[int, None] = {}
    waiting = [int(number) for number in reversed(_REFERENCE.findall(trailer))]
    while waiting:
        number = waiting.pop()
        if number not in order:
            order[number] = None
            named = _REFERENCE.findall(bodies[number][0])
            waiting += [int(one) for one in reversed(named)]
    return [*order]
