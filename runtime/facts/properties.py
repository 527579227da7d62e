"""Operator properties derived by applying the shape rule to the samples.

Nothing is declared here: an operator has a property if its rule shows it for every sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from hybridlint.runtime.facts.dims import Dim, product
from hybridlint.runtime.facts.registry import Operator, Refusal, Sample, unknown_gradient
from hybridlint.runtime.facts.types import InferError, Shape, TensorType

#: Exceptions of a shape rule for unsuitable inputs.
_UNFIT = (InferError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError)
_FLOATS = ("float16", "float32", "float64")
#: Distinct sizes, so that each axis can be recognized in the output.
_SIZES: Shape = tuple(map(Dim.named, ("A", "B", "C", "D", "E")))
#: Shapes of a second input, of several ranks.
_FOLLOWED = tuple(_SIZES[:rank] for rank in (1, 2, 3, 4))


@cache
def keeps_shape(operator: Operator) -> bool:
    """Whether the first output has the shape of the first input."""
    return _holds(operator, lambda sample: _first(operator, _inputs(sample), sample).shape == sample.shapes[0])


@cache
def is_elementwise(operator: Operator) -> bool:
    """Whether inputs of one shape give an output of that shape; includes operators that broadcast or select."""
    return keeps_shape(operator) or _holds(operator, lambda sample: _maps_shape(operator, sample))


@cache
def keeps_dtype(operator: Operator) -> bool:
    """Whether the first output has the dtype of the first input, for every floating-point dtype."""
    return _holds(operator, lambda sample: all(_maps_dtype(operator, sample, dtype) for dtype in _FLOATS))


@cache
def dtype_of(operator: Operator, dtype: str) -> str | None:
    """Return the output dtype for inputs of a dtype, if the call specifies none; None if it varies."""
    found: set[str | None] = set()
    for sample in operator.samples:
        if sample.shapes and "dtype" not in sample.params:
            ins = tuple(known.with_dtype(dtype) for known in _inputs(sample))
            result = first_output(operator, ins, {**operator.defaults(), **sample.params})
            found.add(None if result is None else result.dtype)
    return found.pop() if len(found) == 1 else None


@cache
def own_dtype(operator: Operator) -> str | None:
    """Return the dtype an operator always returns, such as bool for comparisons or int64 for positions."""
    if "dtype" in operator.params:
        return None
    found = {dtype_of(operator, dtype) for dtype in ("float32", "float64", "int32")}
    return found.pop() if len(found) == 1 else None


@cache
def keeps_first_axis(operator: Operator) -> bool:
    """Whether the first axis of the output has the size of the first input's first axis, for any size."""
    return _holds(operator, lambda sample: _maps_first_axis(operator, sample))


@cache
def gives_parts(operator: Operator) -> bool:
    """Whether the operator gives several outputs, all of one type."""
    found = [_outputs(operator, sample) for sample in operator.samples]
    return any(len(outputs) > 1 for outputs in found) and all(len(set(outputs)) == 1 for outputs in found)


@cache
def keeps_axes_before(operator: Operator) -> bool:
    """Whether the operator has a parameter ``axis``, and keeps the first input's axes before it."""
    if "axis" not in operator.params:
        return False
    whole = TensorType(_SIZES[:3], "float32")
    results = [_given(operator, whole, {**operator.defaults(), "axis": axis}) for axis in (1, 2)]
    return all(
        result is not None and result.shape is not None and result.shape[:axis] == _SIZES[:axis]
        for axis, result in zip((1, 2), results, strict=True)
    )


@cache
def needs_positive(operator: Operator) -> bool:
    """Whether the operator has one array input and all of its samples are positive, as for a logarithm."""
    with_shapes = [sample for sample in operator.samples if sample.shapes]
    return (
        len(operator.inputs) == 1
        and not operator.variadic
        and keeps_shape(operator)
        and all(sample.low > 0 for sample in with_shapes)
    )


@cache
def reduces_to_number(operator: Operator) -> bool:
    """Whether the operator reduces its only required input to one element if no axis is given."""
    if len(operator.inputs) - len(operator.optional_inputs) != 1 or operator.variadic or "axis" not in operator.params:
        return False
    result = _given(operator, TensorType(_SIZES[:3], "float32"), operator.defaults())
    return result is not None and result.shape in {(), (1,)}


@cache
def broadcasts(operator: Operator) -> bool:
    """Whether the operator broadcasts its two inputs."""
    if len(operator.inputs) != 2 or operator.variadic:
        return False
    return _of_pair(operator, (2, 1), (1, 3)) == (2, 3)


@cache
def multiplies_matrices(operator: Operator) -> bool:
    """Whether the operator multiplies matrices. One of each size of 1 is what `broadcasts` asks about, too."""
    return broadcasts(operator) and _of_pair(operator, (2, 3), (1, 3)) != (2, 3)


def _of_pair(operator: Operator, left: Shape, right: Shape) -> Shape | None:
    ins = (TensorType(left, "float32"), TensorType(right, "float32"))
    result = first_output(operator, ins, operator.defaults())
    return None if result is None else result.shape


def follows_second(operator: Operator, params: Mapping[str, Any]) -> bool:
    """Whether the result has the shape of the second of two inputs, whatever the shape of the first one is."""
    if len(operator.inputs) != 2 or operator.variadic:
        return False
    results = ((shape, first_output(operator, (TensorType(), TensorType(shape)), params)) for shape in _FOLLOWED)
    return all(result is not None and result.shape == shape for shape, result in results)


@cache
def takes_one_dtype(operator: Operator) -> bool:
    """Whether the result has the inputs' dtype, and all inputs need the same one, like factors of a product."""
    return keeps_dtype(operator) and _holds(operator, lambda sample: _refuses_two_dtypes(operator, sample))


@cache
def share_shape(operator: Operator, one: int, other: int) -> bool:
    """Whether two inputs of an operator surely have one shape, if they have equally many axes.

    The parts of a choice do, and the sides of an addition that does not broadcast.
    """
    matrices = [TensorType((2, 3), "float32")] * len(operator.inputs)
    unlike = [TensorType(shape, "float32") for shape in ((1, 3), (2, 1), (1, 1), (4, 3))]
    return _refuses(operator, matrices, one, other, unlike)


@cache
def share_dtype(operator: Operator, one: int, other: int) -> bool:
    """Whether two inputs of an operator surely have one dtype."""
    matrices = [TensorType((2, 3), "float32")] * len(operator.inputs)
    return _refuses(operator, matrices, one, other, [TensorType((2, 3), dtype) for dtype in ("float16", "int32")])


def _refuses(operator: Operator, ins: Sequence[TensorType], one: int, other: int, unlike: Sequence[TensorType]) -> bool:
    """Whether an operator takes inputs, and none of them with one of two replaced by what is unlike the other."""
    if operator.variadic or first_output(operator, tuple(ins), operator.defaults()) is None:
        return False
    replaced = ((*ins[:place], new, *ins[place + 1 :]) for new in unlike for place in (one, other))
    return all(first_output(operator, changed, operator.defaults()) is None for changed in replaced)


@cache
def joins(operator: Operator) -> bool:
    """Whether the operator concatenates any number of arrays and keeps all of their elements."""
    if not operator.variadic:
        return False
    result = first_output(operator, (TensorType((2, 3), "float32"),) * 2, operator.defaults())
    return result is not None and result.shape is not None and product(result.shape) == 12


@cache
def has_equal_outputs(operator: Operator) -> bool:
    """Whether all outputs have the same shape."""
    return _holds(operator, lambda sample: len({known.shape for known in _outputs(operator, sample)}) == 1)


@cache
def fixed_outputs(operator: Operator) -> int | None:
    """Return the number of visible outputs; None if it depends on the parameters."""
    try:
        return operator.visible(_Untold())
    except _AskedError:
        return None


class _AskedError(Exception):
    """A rule read a parameter whose value is unknown."""


class _Untold(Mapping[str, Any]):
    """A mapping of parameters that raises `_AskedError` when any of them is read."""

    def __getitem__(self, name: str) -> Any:
        raise _AskedError(name)

    def __iter__(self) -> Iterator[str]:
        raise _AskedError

    def __len__(self) -> int:
        raise _AskedError


@cache
def without_gradient(operator: Operator) -> frozenset[str]:
    """Return the inputs that never receive a gradient: conditions, positions, labels."""
    rule = operator.grad
    if rule is None or rule is unknown_gradient or operator.variadic:
        return frozenset()
    asked = [(sample, _unreached(operator, sample)) for sample in operator.samples]
    return frozenset(
        name
        for place, name in enumerate(operator.inputs)
        if any(name in found for _, found in asked)
        and all(name in found for sample, found in asked if place < len(sample.shapes))
    )


@cache
def passes_on(operator: Operator) -> bool:
    """Whether the gradients of all inputs are the incoming gradient as it is."""
    if operator.grad is None or operator.grad is unknown_gradient or not operator.samples:
        return False
    # Nothing can be computed with a bare object: a rule that returns it has left it as it is.
    head, other = object(), _StandIn()
    given = operator.samples[0]
    ins = (other,) * len(given.shapes)
    try:
        gradients = operator.gradients(other, head, ins, (other,) * 4, {**operator.defaults(), **given.params})
    except _UNFIT:
        return False
    return bool(gradients) and all(gradient is head for gradient in gradients)


@cache
def alters(operator: Operator) -> bool:
    """Whether the first output usually differs from the first input in its values or its gradient.

    Not for operators that only change the shape, dtype or order of the values.
    """
    if passes_on(operator) or not operator.inputs or operator.variadic:
        return False
    others = set(operator.inputs[1:]) - without_gradient(operator)
    return bool(others) or (keeps_shape(operator) and keeps_dtype(operator))


def first_output(operator: Operator, ins: tuple[TensorType, ...], params: Mapping[str, Any]) -> TensorType | None:
    """Return the first output's type, or None if the shape rule rejects the inputs."""
    try:
        return operator.infer_types(operator.complete_types(ins, params), params)[0]
    except _UNFIT:
        return None


def _given(operator: Operator, data: TensorType, params: Mapping[str, Any]) -> TensorType | None:
    """Return the first output's type for a single input, or None if the rule rejects it."""
    rest = (TensorType(),) * (0 if operator.variadic else len(operator.inputs) - 1)
    return first_output(operator, (data, *rest), params)


def _unreached(operator: Operator, sample: Sample) -> frozenset[str]:
    """Return the inputs whose gradient is None in a sample; empty if the gradient rule needs real arrays."""
    stand_in = _StandIn()
    ins, outs = (stand_in,) * len(sample.shapes), (stand_in,) * 4
    try:
        gradients = operator.gradients(stand_in, stand_in, ins, outs, {**operator.defaults(), **sample.params})
    except _UNFIT:
        return frozenset()
    return frozenset(name for name, g in zip(operator.inputs, gradients, strict=False) if _gives_none(g))


def _gives_none(gradient: Any) -> bool:
    return gradient is None or isinstance(gradient, Refusal)


class _StandIn:
    """A stand-in for arrays and functions: every operation on it returns the stand-in itself."""

    def __getattr__(self, name: str) -> _StandIn:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self) -> Iterator[_StandIn]:
        return iter((self,) * 4)

    def _same(self, *_: object, **__: object) -> _StandIn:
        return self

    __call__ = __getitem__ = __neg__ = _same
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same
    __pow__ = __rpow__ = __mod__ = __rmod__ = __matmul__ = __lt__ = __le__ = __gt__ = __ge__ = _same


def _holds(operator: Operator, question: Callable[[Sample], bool]) -> bool:
    """Whether a question is answered with yes for every sample that has inputs, and there is such a sample."""
    asked = [sample for sample in operator.samples if sample.shapes]
    try:
        return bool(asked) and all(question(sample) for sample in asked)
    except _UNFIT:
        return False


def _maps_shape(operator: Operator, sample: Sample) -> bool:
    shape = _SIZES[: len(sample.shapes[0])]
    ins = tuple(TensorType(shape, known.dtype) for known in _inputs(sample))
    return len(shape) == len(sample.shapes[0]) and _first(operator, ins, sample).shape == shape


def _maps_dtype(operator: Operator, sample: Sample, dtype: str) -> bool:
    """Whether a first input of a dtype gives that dtype, if other inputs have it or their own."""
    data, *rest = _inputs(sample)
    floats = {data.dtype, "float32"}
    alike = (t.with_dtype(dtype) if t.dtype in floats else t for t in rest)
    own = (t.with_dtype(None) if t.dtype in floats else t for t in rest)
    return any(_gives_dtype(operator, (data.with_dtype(dtype), *others), sample, dtype) for others in (alike, own))


def _gives_dtype(operator: Operator, ins: tuple[TensorType, ...], sample: Sample, dtype: str) -> bool:
    try:
        return _first(operator, ins, sample).dtype == dtype
    except _UNFIT:
        return False


def _refuses_two_dtypes(operator: Operator, sample: Sample) -> bool:
    """Whether inputs of one dtype give an output of it, and none of the inputs may have another dtype."""
    ins = tuple(known.with_dtype("float16") for known in _inputs(sample))
    plain = len({known.dtype for known in _inputs(sample)}) == 1
    mixed = ((*ins[:at], one.with_dtype("float32"), *ins[at + 1 :]) for at, one in enumerate(ins))
    alike = plain and _gives_dtype(operator, ins, sample, "float16")
    return alike and not any(_gives_dtype(operator, each, sample, "float16") for each in mixed)


def _maps_first_axis(operator: Operator, sample: Sample) -> bool:
    data, *rest = _inputs(sample)
    if not data.shape:
        return False
    led = data.with_shape(_led(data.shape))
    alike = [t.with_shape(_led(t.shape)) if t.shape and t.shape[0] == data.shape[0] else t for t in rest]
    return any(_gives_first_axis(operator, (led, *others), sample) for others in (rest, alike))


def _led(shape: Shape) -> Shape:
    return (_SIZES[0], *shape[1:])


def _gives_first_axis(operator: Operator, ins: tuple[TensorType, ...], sample: Sample) -> bool:
    try:
        shape = _first(operator, ins, sample).shape
    except _UNFIT:
        return False
    return bool(shape) and shape is not None and shape[0] == _SIZES[0]


def _outputs(operator: Operator, sample: Sample) -> tuple[TensorType, ...]:
    params = {**operator.defaults(), **sample.params}
    return operator.infer_types(operator.complete_types(_inputs(sample), params), params)


def _first(operator: Operator, ins: tuple[TensorType, ...], sample: Sample) -> TensorType:
    params = {**operator.defaults(), **sample.params}
    return operator.infer_types(operator.complete_types(ins, params), params)[0]


def _inputs(sample: Sample) -> tuple[TensorType, ...]:
    return tuple(TensorType(shape, dtype) for shape, dtype in zip(sample.shapes, _dtypes(sample), strict=False))


def _dtypes(sample: Sample) -> Iterator[str]:
    yield from (dtype or "float32" for dtype in sample.dtypes)
    while True:
        yield "float32"
