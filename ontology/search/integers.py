"""The product of whole numbers in onnxruntime: those of many texts with those of all terms.

A processor multiplies four times as many 8-bit numbers as float32 numbers in the same time, and
their sum is exact. The model is written here, since its second matrix must be a constant of it:
then onnxruntime puts it in order once and not in every call.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

LEVELS = 63
"""The highest number of a text; with it a sum of two products fits in 16 bits.

Processors without VNNI add two products in 16 bits and cut off what does not fit.
"""

_ZERO = LEVELS + 1  # what stands for 0 in a text, whose numbers have no sign
_UINT8, _INT8, _INT32 = 2, 3, 6  # types in ONNX
_IR, _OPSET = 8, 13  # old enough for every release of onnxruntime that the package allows


class Product:
    """The products of texts with terms that stay the same.

    terms: whole numbers between -127 and 127, int8 of shape (numbers, terms).
    """

    def __init__(self, terms: npt.NDArray[np.int8]) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # A process that maps may be forked, and a copy of a process has no other threads.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            _model(terms), options, providers=["CPUExecutionProvider"]
        )

    def of(self, texts: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.int32]:
        """Return the products, (texts, terms); `texts` holds whole numbers up to `LEVELS`."""
        numbers = (texts + _ZERO).astype(np.uint8)
        products: npt.NDArray[np.int32] = self._session.run(None, {"texts": numbers})[0]
        return products


def _model(terms: npt.NDArray[np.int8]) -> bytes:
    """Return the model `products` = (`texts` - 64) times `terms`, in ONNX's format (protobuf)."""
    zero = np.full((), _ZERO, np.uint8)
    node = [_text(1, name) for name in ("texts", "terms", "zero")]
    graph = [
        *_part(1, [*node, _text(2, "products"), _text(4, "MatMulInteger")]),
        _text(2, "product"),
        *_part(5, _constant("terms", terms, _INT8)),
        *_part(5, _constant("zero", zero, _UINT8)),
        *_part(11, _value("texts", _UINT8, (_text(2, "text"), _number(1, terms.shape[0])))),
        *_part(12, _value("products", _INT32, (_text(2, "text"), _number(1, terms.shape[1])))),
    ]
    return b"".join([_number(1, _IR), *_part(7, graph), *_part(8, [_number(2, _OPSET)])])


def _constant(name: str, values: npt.NDArray[Any], kind: int) -> list[bytes]:
    sizes = [_number(1, size) for size in values.shape]
    return [*sizes, _number(2, kind), _text(8, name), *_part(9, [values.tobytes()])]


def _value(name: str, kind: int, sizes: Iterable[bytes]) -> list[bytes]:
    shape = _part(2, [piece for size in sizes for piece in _part(1, [size])])
    return [_text(1, name), *_part(2, _part(1, [_number(1, kind), *shape]))]


def _part(field: int, content: list[bytes]) -> list[bytes]:
    """Return a message as pieces, which are joined once, since one of them is large."""
    return [_varint(field << 3 | 2) + _varint(sum(map(len, content))), *content]


def _text(field: int, content: str) -> bytes:
    return b"".join(_part(field, [content.encode()]))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
