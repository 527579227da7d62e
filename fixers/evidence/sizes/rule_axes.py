"""The axes that operators and layers give by their own shape rules, for inputs whose sizes have names."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes, dim_of, name_of, size_of, unknown_size
from hybridlint.fixers.evidence.sizes.constructor_sizes import Marked
from hybridlint.fixers.evidence.sizes.prime_marks import PrimeMarks
from hybridlint.runtime.facts import properties
from hybridlint.runtime.facts.abstract.layers import Layer
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import TensorType
from hybridlint.text.literals import literal_value

#: The leading axes that are distinguished in a tensor of unknown rank.
LEADING = 8


def output_axes(layer: Layer, made: Marked | None, text: str, data: TensorAxes) -> TensorAxes | None:
    """Return the axes of a layer's output; `text` names those of unknown size."""
    names_of = {f"axis {place}": size for place, size in enumerate(data.sizes)}
    shape = layer.type_of(TensorType(tuple(map(Dim.named, names_of)))).shape
    if shape is None:
        return None
    sizes = [size_of(dim, names_of) for dim in shape]
    if made is not None:
        sizes = [None if size is None else made.marks.size(size) for size in sizes]
    return TensorAxes(tuple(n or AxisSize((f"{text}[{k}]",)) for k, n in enumerate(sizes)), whole=True)


def of_one(
    operator: Operator,
    around: tuple[Sequence[TensorAxes | None], Sequence[TensorAxes | None]],
    given: Mapping[str, ast.expr],
    sizes: Mapping[str, AxisSize],
    data: TensorAxes,
) -> TensorAxes | None:
    """Return the axes of an operator's output for the input `data` between the inputs `around`."""
    return output_of(operator, [*around[0], data, *around[1]], given, sizes)


def output_of(
    operator: Operator, axes: Sequence[TensorAxes | None], given: Mapping[str, ast.expr], sizes: Mapping[str, AxisSize]
) -> TensorAxes | None:
    """Return the axes of an operator's first output.

    `given` are its parameters: literals, except for the names in `sizes`, whose numbers the code computes.
    """
    marks = PrimeMarks()
    inputs = [None if one is None else one.sizes for one in axes]
    lacking = operator.variadic and None in inputs
    if lacking or any(name not in operator.params for name in given) or all(sizes is None for sizes in inputs):
        return None
    try:
        marked = {name: marks.mark(size) for name, size in sizes.items()}
        read = {name: marked.get(name) or literal_value(value) for name, value in given.items()}
    except ValueError:
        return None
    one = {n: (v,) for n, v in read.items() if isinstance(v, int) and operator.params[n].annotation == "Ints"}
    params = {**operator.defaults(), **read, **one}
    types = tuple(TensorType(None if sizes is None else tuple(map(dim_of, sizes)), "float32") for sizes in inputs)
    rest = (TensorType(),) * (len(operator.inputs) - len(types))
    found = properties.first_output(operator, (*types, *rest), params)
    if found is None or found.shape is None:
        return None
    names_of = {name_of(size): size for sizes in inputs for size in sizes or ()}
    sizes_found = [size_of(dim, names_of) for dim in found.shape]
    known = (unknown_size() if size is None else marks.size(size) for size in sizes_found)
    return TensorAxes(tuple(known), whole=True)


def rank_before(layer: Layer, rank: int | None) -> int | None:
    """Return the number of axes that a layer's input has where its output has `rank`, if only one number fits."""
    if rank is None:
        return None
    shapes = [tuple(Dim.named(f"axis {place}") for place in range(count)) for count in range(1, LEADING + 1)]
    fitting = [len(shape) for shape in shapes if layer.type_of(TensorType(shape)).rank == rank]
    return fitting[0] if len(fitting) == 1 else None
