"""Multiply the vectors of texts with those of all terms, on one thread.

onnxruntime takes half the time of NumPy's OpenBLAS on processors that OpenBLAS does not know. The
vectors are on the grid, so that both give the same numbers.
"""

from functools import lru_cache
from typing import Any

from ..packaged import packaged
from .encode import Vectors


def cosines(texts: Vectors, terms: Vectors) -> Vectors:
    """Return the products of two lists of vectors, float32 of shape (texts, terms)."""
    products: Vectors = _session().run(None, {"texts": texts, "terms": terms})[0]
    return products


@lru_cache(maxsize=1)
def _session() -> Any:
    """Return the product of data/product.onnx (training/product.py makes it)."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # A process that maps may be forked, and a copy of a process has no other threads.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the products of many texts would stay in memory
    content = packaged("product.onnx").read_bytes()
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
