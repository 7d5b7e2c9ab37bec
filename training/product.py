"""Make the product of two matrices as an ONNX model: ontology/data/product.onnx.

    python training/product.py

Search multiplies the vectors of texts and terms with it, because onnxruntime uses all instructions
of a processor, and NumPy's OpenBLAS takes twice as long on processors that it does not know.
"""

from pathlib import Path

FILE = Path(__file__).parents[1] / "ontology" / "data" / "product.onnx"
_OPSET, _IR = 13, 8  # old enough for every release of onnxruntime that the package allows


def main() -> None:
    """Write the model: `cosines` = `texts` times the transpose of `terms`, all float32."""
    from onnx import TensorProto, checker, helper

    def matrix(name: str, rows: str, columns: str) -> object:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, columns])

    graph = helper.make_graph(
        [helper.make_node("Gemm", ["texts", "terms"], ["cosines"], transB=1)],
        "product",
        [matrix("texts", "text", "number"), matrix("terms", "term", "number")],
        [matrix("cosines", "text", "term")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
    model.ir_version = _IR
    checker.check_model(model)
    FILE.write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
