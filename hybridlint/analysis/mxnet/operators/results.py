"""Operator calls: the operator that a name means, the number of its outputs, and their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.model.arguments import argument, constant, origin_of, tensors_in
from hybridlint.analysis.model.dtypes import function_dtype
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.lattice import either_flows
from hybridlint.analysis.model.shape_provenance import UNSTATED, reduced_lineage
from hybridlint.analysis.model.shapes import of_rank
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ContainerValue,
    Flows,
    Namespace,
    OperatorRef,
    Outputs,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.model.written_shapes import created_type
from hybridlint.analysis.mxnet.shapes.fixed_ranks import is_of_several_axes, with_fixed_rank
from hybridlint.analysis.mxnet.shapes.least_ranks import note_rank
from hybridlint.analysis.mxnet.shapes.moved_axes import moved_lineage
from hybridlint.analysis.mxnet.shapes.products import product_lineage
from hybridlint.analysis.mxnet.shapes.setting_sizes import with_setting_sizes
from hybridlint.analysis.mxnet.shapes.tried_sizes import with_tried_sizes
from hybridlint.runtime.facts import lookup, properties, registry, surface
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import InferError, TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


#: The rank of the tensor on which operators are tried, and its sizes, which most numbers of parts divide.
_RANK = 4
_PARTED = 5040
#: The number of parts from which on they are probably single numbers, such as the four sides of boxes.
_AS_MANY = 4
#: The number of outputs of an operator above which they are not told apart.
_MOST_OUTPUTS = 1024


def operator_ref(namespace: Namespace, name: str) -> OperatorRef:
    """Return a namespace's function, with the registered operator that it calls, if any."""
    path = (namespace.root, *namespace.path) if namespace.root in {"np", "npx"} else namespace.path
    return OperatorRef(namespace, name, lookup.function(path, name))


def output_count(
    name: str, operator: Operator | None, arguments: ArgumentsEvent, params: Mapping[str, Any] | None
) -> int | None:
    """Return the number of outputs that a call returns to its user; None if the arguments do not determine it.

    `arguments` begin with the tensor for a method; `params` may hold `UNSTATED`.
    """
    if _splits(name, operator):
        return _pieces(argument(arguments, "indices_or_sections", 1))
    if operator is None:
        named = constant(arguments.keywords.get("num_outputs"))
        return named if isinstance(named, int) else surface.SEVERAL_OUTPUTS.get(name, 1)
    if params is None:
        return properties.fixed_outputs(operator)
    try:
        count = operator.visible(params)
    except (TypeError, ValueError, LookupError, AttributeError):
        return None
    return count if isinstance(count, int) else None


def _splits(name: str, operator: Operator | None) -> bool:
    """Return whether a function splits a tensor at indices or into sections, which Python can distinguish."""
    return name in surface.SPLITTING or (operator is not None and {"indices", "sections"} <= operator.params.keys())


def _pieces(value: Value | None) -> int | None:
    known = constant(value)
    if isinstance(known, tuple):
        return len(known) + 1
    return known if isinstance(known, int) and known > 0 else None


def flows(operator: Operator | None, arguments: ArgumentsEvent) -> Flows:
    """Return whether a gradient can pass from an operator's result to an input of the block."""
    if operator is not None and not operator.differentiable:
        return False
    blocked = frozenset() if operator is None else properties.without_gradient(operator)
    names = () if operator is None or operator.variadic else operator.inputs
    passing = [v for i, v in enumerate(arguments.values) if i >= len(names) or names[i] not in blocked]
    found = list(tensors_in([*passing, *(v for k, v in arguments.keywords.items() if k not in blocked)]))
    unknown: list[Flows] = ["perhaps" for v in passing if isinstance(v, Unknown)]
    return either_flows([*unknown, *(isinstance(v, CapturedArray) or v.flows for v in found)])


def result_of(
    act: Activation, name: str, operator: Operator | None, arguments: ArgumentsEvent, receiver: Value | None = None
) -> tuple[Value, str | None]:
    """Return the result of an operator's call, and why its Symbol form is proved to fail, or None."""
    full = arguments
    if receiver is not None:
        full = replace(arguments, values=(receiver, *arguments.values), nodes=arguments.nodes)
    base = name.rpartition(".")[2]
    params = None if operator is None else bound_parameters(operator, full)
    note_rank(act, operator, params, full.values[0] if full.values else None)
    count = output_count(base, operator, full, params)
    if count is not None and count > _MOST_OUTPUTS:
        # Nothing is told of so many, and whether there can be so many.
        return Outputs(None, act.mode, name, flows(operator, full)), None
    created = created_type(name, arguments) if receiver is None else None
    types, failure = ((created,), None) if created is not None else infer(operator, full, params)
    maker = operator or registry.find(f"_{base}")
    if maker is not None and not maker.inputs and receiver is None and types:
        types = (with_setting_sizes(act, maker, arguments, types[0]), *types[1:])
    lineage = reduced_lineage(base, operator, _rooted(act, full), params)
    if operator is not None and types and types[0].shape is None and (lineage is None or lineage.axis is None):
        data = next(iter(full.values), None)
        made = product_lineage(act, operator, _inputs(operator, full), params, full.values)
        lineage = made or lineage or moved_lineage(operator, params, data)
    dtype = function_dtype(base, operator, full) if act.mode == "np" else None
    if act.mode == "np" and types is not None:
        types = tuple(known.with_dtype(dtype) for known in types)
    passes = flows(operator, full)
    if act.mode == "np" and (count != 1 or _splits(base, operator)):
        always = _splits(base, operator)
        return Unknown() if count is None and not always else _listed(act, types, count, flows=passes), failure
    if count != 1:
        known = tuple(types[:count]) if types is not None and count is not None and len(types) >= count else None
        unknown = (TensorType(),) * count if count else None
        equal = operator is not None and properties.has_equal_outputs(operator)
        shared = (
            (lineage or _still_added(act, operator, full, params) or _parted(act, count, params)) if equal else None
        )
        return Outputs(known or unknown, act.mode, name, passes, shared), failure
    result = act.tensor(
        type=types[0] if types else TensorType(None, dtype),
        lineage=lineage or _still_added(act, operator, full, params) or _rest(act, operator, full, params),
        origin=origin_of(_data(operator, full)),
        flows=passes,
    )
    return result, failure


def _data(operator: Operator | None, arguments: ArgumentsEvent) -> list[Value]:
    """Return the arguments of a call that may depend on an input: unknown settings of a known operator do not."""
    if operator is None or operator.variadic:
        return [*arguments.values, *arguments.keywords.values()]
    places = enumerate(arguments.values)
    given = [value for at, value in places if at < len(operator.inputs) or not _is_setting(value)]
    named = [v for name, v in arguments.keywords.items() if name not in operator.params or not _is_setting(v)]
    return [*given, *named]


def _is_setting(value: Value) -> bool:
    """Return whether a value is unknown or of unknown parts, none of which is read from a tensor."""
    parts = value.items if isinstance(value, ContainerValue) and value.items is not None else (value,)
    return all(isinstance(part, Unknown | StaticValue) for part in parts)


def _still_added(
    act: Activation, operator: Operator | None, arguments: ArgumentsEvent, params: Mapping[str, Any] | None
) -> ShapeProvenance | None:
    """Return the lineage of a split or joined tensor whose new axis still has the size 1; else None."""
    data = _flattened(arguments.values) or ()
    if operator is None or (not operator.variadic and any(isinstance(other, Tensor) for other in data[1:])):
        # The axis may be another one's: a product of matrices has that of the second.
        return None
    joined = data if operator.variadic else data[:1]
    known = [value.lineage for value in joined if isinstance(value, Tensor)]
    axes = {None if one is None or one.steps[-1:] != ("added",) else one.axis for one in known}
    axis = axes.pop() if len(axes) == 1 and len(known) == len(joined) else None
    if params is None or axis is None or not -_RANK <= axis < _RANK:
        return None
    given = [_PARTED] * _RANK
    given[axis] = 1
    tried = (TensorType(tuple(given)),) * len(joined)
    if any(params[name] is UNSTATED for name in operator.shaping):
        # An unknown count, as of ``repeat(self.heads, axis=0)``, leaves the axis alone if every count does.
        part = next(iter(with_tried_sizes(operator, tried, arguments, params) or ()), None)
    else:
        part = properties.first_output(operator, tried, params)
    if part is None or part.shape is None or part.rank != _RANK or part.shape[axis] != 1:
        return None
    return ShapeProvenance(act.run.token(), ("added",), axis=axis)


def _parted(act: Activation, count: int | None, params: Mapping[str, Any] | None) -> ShapeProvenance | None:
    """Return the lineage of a part of a tensor split into perhaps as many parts as the axis is long."""
    squeezed = params is not None and params.get("squeeze_axis") is True
    many = count is None or count >= _AS_MANY
    return ShapeProvenance(act.run.token(), ("divided",)) if many and not squeezed else None


def _rest(
    act: Activation, operator: Operator | None, arguments: ArgumentsEvent, params: Mapping[str, Any] | None
) -> ShapeProvenance:
    """Return the lineage of a result of unknown shape. A slice of the first axis is not a batch.

    A result of several tensors one of which has a new axis may have it too, as a part of a tensor may be one element.
    """
    known = [value.lineage for value in arguments.values if isinstance(value, Tensor)]
    if len(known) > 1 and any(one is not None and one.steps[-1:] == ("added",) for one in known):
        return ShapeProvenance(act.run.token(), ("divided",))
    if params is not None and "begin" in params and _is_first(params.get("axis")):
        return ShapeProvenance(act.run.token(), ("cut",))
    several = operator is not None and params is not None and is_of_several_axes(operator, params)
    return ShapeProvenance(act.run.token(), ("raised",) if several else ())


def _is_first(axis: Any) -> bool:
    return type(axis) is int and axis == 0


def _rooted(act: Activation, arguments: ArgumentsEvent) -> ArgumentsEvent:
    """Return the arguments, with a new lineage for the first one if it is a tensor joined from several paths."""
    match arguments.values:
        case (Tensor(lineage=None) as data, *rest) if data.origin != "element":
            return replace(arguments, values=(replace(data, lineage=ShapeProvenance(act.run.token())), *rest))
        case _:
            return arguments


def _listed(act: Activation, types: Sequence[TensorType] | None, count: int | None, *, flows: Flows) -> Value:
    """Return several outputs in numpy mode: a list of arrays eagerly, a list of Symbols at the trace."""
    if count is None:
        return ContainerValue("list", None, act.tensor(flows=flows))
    known = types[:count] if types is not None and len(types) >= count else (TensorType(),) * count
    return ContainerValue("list", tuple(act.tensor(type=part, flows=flows) for part in known))


def infer(
    operator: Operator | None, arguments: ArgumentsEvent, params: Mapping[str, Any] | None
) -> tuple[tuple[TensorType, ...] | None, str | None]:
    """Return the output types that follow from a call's arguments, and why the arguments are incompatible, or None."""
    if operator is None or params is None:
        return None, None
    inputs = _inputs(operator, arguments)
    if inputs is None:
        return None, None
    unstated = {name for name in operator.shaping if params[name] is UNSTATED}
    if unstated:
        if unstated == {"axis"}:
            return with_fixed_rank(operator, (TensorType(),), inputs, params), None
        return with_tried_sizes(operator, inputs, arguments, params), None
    try:
        types = operator.complete_types(inputs, params)
        if len(types) == 1 and arguments.values and isinstance(params.get("axes"), tuple):
            types = (of_rank(arguments.values[0], types[0], len(params["axes"])),)
        found = with_fixed_rank(operator, operator.infer_types(types, params), types, params)
        return (found, None) if all(map(_has_sizes, found)) else (None, None)
    except InferError as error:
        return None, f"{error.argument}: {error.reason}"
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError):
        # Shape rules may rely on checks that the runtime makes before it calls them.
        return None, None


def _has_sizes(found: TensorType) -> bool:
    """Return whether all sizes of a result are sizes.

    Shape rules copy an argument's shape without checking its items.
    """
    return all(isinstance(size, int | Dim) for size in found.shape or ())


def _inputs(operator: Operator, arguments: ArgumentsEvent) -> tuple[TensorType, ...] | None:
    """Return the types of a call's inputs; None if their number is unknown."""
    if operator.variadic:
        flat = _flattened(arguments.values)
        return None if flat is None else tuple(_type(v) for v in flat)
    given = dict(zip(operator.inputs, arguments.values, strict=False))
    given |= {k: v for k, v in arguments.keywords.items() if k in operator.inputs}
    return tuple(_type(given.get(name)) for name in operator.inputs)


def _flattened(values: Sequence[Value]) -> list[Value] | None:
    flat: list[Value] = []
    for value in values:
        if not isinstance(value, ContainerValue):
            flat.append(value)
        elif value.items is None:
            return None
        else:
            flat += value.items
    return flat


def bound_parameters(operator: Operator, arguments: ArgumentsEvent) -> dict[str, Any] | None:
    """Return the parameters of a call, `UNSTATED` for unknown values; None if one is missing."""
    params = operator.defaults()
    rest = () if operator.variadic else arguments.values[len(operator.inputs) :]
    if rest or arguments.keywords:
        given: dict[str, Value] = dict(zip(operator.params, rest, strict=False))
        given |= {k: v for k, v in arguments.keywords.items() if k in operator.params}
        for name, value in given.items():
            known = constant(value)
            params[name] = UNSTATED if known is STATIC_UNKNOWN else _normal(operator.params[name].annotation, known)
    return params if len(params) == len(operator.params) else None


def _normal(annotation: str, value: Any) -> Any:
    if isinstance(value, list):
        value = tuple(value)
    if isinstance(value, int) and annotation.startswith(("Ints", "Bounds")):
        return (value,)
    if annotation.startswith("Dtype"):
        return {"float": "float32", "int": "int32"}.get(str(value), value)
    return value


def _type(value: Value | None) -> TensorType:
    if isinstance(value, Tensor) and value.mode == "np":
        # Numpy mode has rules of its own for which types mix.
        return value.type.with_dtype(None)
    return value.type if isinstance(value, Tensor | CapturedArray) else TensorType()
