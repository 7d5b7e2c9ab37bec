"""Make an int8 ONNX model compute the same on every machine.

    python training/arithmetic.py MODEL.onnx

onnxruntime's `quantize_dynamic` also rounds the activations, by the range of the whole batch, and
multiplies in integers. A text's vector then depends on the texts beside it, and on processors
without VNNI the products overflow (AVX2 adds pairs of them in 16 bits). Two changes mend this:

- Each `MatMulInteger` becomes a float32 `MatMul` whose weight is Cast(int8) x scale. onnxruntime
  folds these two into one matrix when it loads the file, whose size stays as it was.
- Layer norms, softmax and the sums of the pooling are computed in float64. Releases of
  onnxruntime, processors and batch sizes add their terms in different orders, which moved the
  last bits of every vector; what float64 leaves of that is lost in the rounding to float32.
  A layer norm is written out, because onnxruntime's own of float64 takes four times as long.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

SUMS = {"LayerNormalization", "Softmax", "ReduceSum", "ReduceL2"}

_NORM = (  # the steps of a layer norm, their operators, and what each reads
    ("mean", "ReduceMean", ("value",)),
    ("distance", "Sub", ("value", "mean")),
    ("square", "Mul", ("distance", "distance")),
    ("variance", "ReduceMean", ("square",)),
    ("sum", "Add", ("variance", "epsilon")),
    ("deviation", "Sqrt", ("sum",)),
    ("unit", "Div", ("distance", "deviation")),
    ("scaled", "Mul", ("unit", "factor")),
    ("norm", "Add", ("scaled", "shift")),
)


def main() -> None:
    """Rewrite a file in its place."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("model", type=Path)
    rewrite(options.parse_args().model)


def rewrite(path: Path) -> None:
    """Rewrite the model of a file, in its place.

    Raises ValueError where it holds no integer products: it was rewritten before.
    """
    import onnx

    model = onnx.load(path)
    if not any(node.op_type == "MatMulInteger" for node in model.graph.node):
        raise ValueError(f"{path} holds no integer products: was it rewritten before?")
    _replace(model.graph, _float_products(model.graph))
    _replace(model.graph, _wide_sums(model.graph))
    _replace(model.graph, _written_out(model.graph))
    onnx.checker.check_model(model)
    onnx.save(model, path)


def _replace(graph: Any, nodes: Iterator[Any]) -> None:
    """Put nodes in the place of those of a graph, and drop the numbers that none reads."""
    kept = list(nodes)
    del graph.node[:]
    graph.node.extend(kept)
    read = {name for node in kept for name in node.input}
    numbers = [initializer for initializer in graph.initializer if initializer.name in read]
    del graph.initializer[:]
    graph.initializer.extend(numbers)


def _float_products(graph: Any) -> Iterator[Any]:
    """The nodes of a graph with float32 products in place of integer ones."""
    numbers = {initializer.name: initializer for initializer in graph.initializer}
    maker = {name: node for node in graph.node for name in node.output}
    reader = {name: node for node in graph.node for name in node.input}
    products = [node for node in graph.node if node.op_type == "MatMulInteger"]
    gone = set()
    for node in products:
        scaled = reader[reader[node.output[0]].output[0]]
        gone |= {maker[node.input[0]].name, maker[scaled.input[1]].name}
        gone |= {reader[node.output[0]].name, scaled.name}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            scaled = reader[reader[node.output[0]].output[0]]
            scales = maker[scaled.input[1]].input
            scale = next(name for name in scales if name in numbers)
            rounded = maker[node.input[0]].input[0]
            yield from _float_product(node, rounded, scale, scaled.output[0], numbers)
        elif node.name not in gone:
            yield node


def _float_product(
    node: Any, factor: str, scale: str, output: str, numbers: dict[str, Any]
) -> Iterator[Any]:
    """The nodes that multiply `factor` by the expanded weight of an integer product.

    Raises ValueError for a weight whose zero is not 0.
    """
    from onnx import TensorProto, helper, numpy_helper

    weight, zero = node.input[1], node.input[3]
    if np.any(numpy_helper.to_array(numbers[zero])):
        raise ValueError(f"the weight {weight} has another zero than 0")
    cast, whole = f"{weight}_float", f"{weight}_expanded"
    yield helper.make_node("Cast", [weight], [cast], name=cast, to=TensorProto.FLOAT)
    yield helper.make_node("Mul", [cast, scale], [whole], name=whole)
    yield helper.make_node("MatMul", [factor, whole], [output], name=f"{output}_product")


def _wide_sums(graph: Any) -> Iterator[Any]:
    """The nodes of a graph with those of `SUMS` in float64, between two casts."""
    from onnx import TensorProto, helper, numpy_helper

    numbers = {initializer.name: initializer for initializer in graph.initializer}
    cast: set[str] = set()
    for node in list(graph.node):
        if node.op_type not in SUMS:
            yield node
            continue
        for place, name in enumerate(node.input):
            if place and node.op_type.startswith("Reduce"):
                continue  # the axes
            wide = f"{name}_wide"
            node.input[place] = wide
            if wide in cast:
                continue
            cast.add(wide)
            if name in numbers:
                array = numpy_helper.to_array(numbers[name]).astype(np.float64)
                graph.initializer.append(numpy_helper.from_array(array, wide))
            else:
                yield helper.make_node("Cast", [name], [wide], name=wide, to=TensorProto.DOUBLE)
        output = node.output[0]
        node.output[0] = f"{output}_sum"
        yield node
        yield helper.make_node(
            "Cast", [f"{output}_sum"], [output], name=f"{output}_cast", to=TensorProto.FLOAT
        )


def _written_out(graph: Any) -> Iterator[Any]:
    """The nodes of a graph with its layer norms as means, differences and products."""
    from onnx import numpy_helper

    for node in list(graph.node):
        if node.op_type != "LayerNormalization":
            yield node
            continue
        (epsilon,) = (number.f for number in node.attribute if number.name == "epsilon")
        small = f"{node.output[0]}_epsilon"
        graph.initializer.append(numpy_helper.from_array(np.array(epsilon, np.float64), small))
        yield from _norm(node, small)


def _norm(node: Any, epsilon: str) -> Iterator[Any]:
    """The nodes that compute a layer norm over the last axis."""
    from onnx import helper

    output = node.output[0]
    given = dict(zip(("value", "factor", "shift"), node.input, strict=True))
    names = given | {"epsilon": epsilon, "norm": output}
    for step, operator, read in _NORM:
        name = names.setdefault(step, f"{output}_{step}")
        options = {"axes": [-1], "keepdims": 1} if operator == "ReduceMean" else {}
        inputs = [names[one] for one in read]
        yield helper.make_node(operator, inputs, [name], name=name, **options)


if __name__ == "__main__":
    main()
