"""Calls of operators: which one a name means, how many outputs it has, and the type of each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.dtypes import function_dtype
from hybridlint.analysis.events import Arguments
from hybridlint.analysis.lattice import either_flows, element
from hybridlint.analysis.lineages import reduced_lineage
from hybridlint.analysis.shapes import created_type
from hybridlint.analysis.values import (
    STATIC_UNKNOWN,
    External,
    Flows,
    ForeignTensor,
    Items,
    Lineage,
    Namespace,
    OperatorRef,
    Outputs,
    Static,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime import lookup
from hybridlint.runtime.registry import REQUIRED, Operator
from hybridlint.runtime.types import InferError, TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.state import Activation

#: Operators that may have several outputs -> how many, from their arguments.
_SPLITS = frozenset({"split", "SliceChannel", "split_v2", "array_split", "hsplit", "vsplit", "dsplit"})
_FIXED_OUTPUTS = {
    "MultiBoxTarget": 3,
    "multibox_target": 3,
    "bipartite_matching": 2,
    "box_encode": 2,
    "calibrate_entropy": 2,
    "hawkesll": 2,
    "quantize": 3,
    "quantize_v2": 3,
    "histogram": 2,
    "gelqf": 2,
    "slogdet": 2,
    "syevd": 2,
    "linalg_gelqf": 2,
    "linalg_slogdet": 2,
    "linalg_syevd": 2,
    "moments": 2,
    "svd": 3,
    "eig": 2,
    "eigh": 2,
    "rand_zipfian": 3,
    "choose_element_0index": 1,
}
#: Operators -> the position of an input that gets no gradient: a condition, or numbers of rows.
_WITHOUT_GRADIENT = {
    **{"where": 0, "Embedding": 0, "take": 1, "pick": 1, "gather_nd": 1, "SequenceMask": 1},
    **{"slice_like": 1, "reshape_like": 1, "broadcast_like": 1},
}
#: Operators whose outputs have one shape.
_ALIKE = frozenset({"moments"})
_WITH_MEAN = frozenset({"BatchNorm", "LayerNorm", "GroupNorm", "batch_norm", "layer_norm"})


def operator_ref(namespace: Namespace, name: str) -> OperatorRef:
    """Return a function of a namespace with the registered operator that it calls, if any."""
    path = (namespace.root, *namespace.path) if namespace.root in {"np", "npx"} else namespace.path
    return OperatorRef(namespace, name, lookup.function(path, name))


def output_count(name: str, arguments: Arguments, operator: Operator | None, *, method: bool = False) -> int | None:
    """Return the number of outputs that the call has for its user; None where the arguments do not tell."""
    base = name.rpartition(".")[2]
    if base in _SPLITS or "num_outputs" in arguments.keywords:
        return _split_count(base, arguments, method)
    if base in _WITH_MEAN:
        return _flag(arguments, "output_mean_var", 1, 3)
    if base in {"topk"}:
        kind = argument(arguments, "ret_typ", 2 - method)
        return 2 if kind == Static("both") else 1 if kind is None or _known(kind) else None
    if base in {"RNN", "rnn"}:
        states = 3 if arguments.keywords.get("mode") == Static("lstm") else 2
        return _flag(arguments, "state_outputs", 1, states)
    if base == "multinomial":
        return _flag(arguments, "get_prob", 1, 2)
    if base == "unique":
        named = {"return_index", "return_inverse", "return_counts"} & arguments.keywords.keys()
        return None if named or len(arguments.values) > 1 - method else 1
    if base == "box_nms" or base not in _FIXED_OUTPUTS:
        return _registered_count(arguments, operator)
    return _FIXED_OUTPUTS[base]


def argument(arguments: Arguments, name: str, position: int | None = None) -> Value | None:
    """Return an argument given by keyword or position; None where it is not given."""
    if name in arguments.keywords:
        return arguments.keywords[name]
    if position is not None and 0 <= position < len(arguments.values):
        return arguments.values[position]
    return None


def flows(operator: Operator | None, arguments: Arguments) -> Flows:
    """Return whether a gradient can pass from an operator's result to something that the block is given."""
    if operator is not None and not operator.differentiable:
        return False
    name = operator.name if operator is not None else ""
    passing = [v for i, v in enumerate(arguments.values) if i != _WITHOUT_GRADIENT.get(name)]
    found = list(tensors_in([*passing, *arguments.keywords.values()]))
    unknown: list[Flows] = ["perhaps" for v in passing if isinstance(v, Unknown)]
    return either_flows([*unknown, *(isinstance(v, ForeignTensor) or v.flows for v in found)])


def origin_of(values: Sequence[Value]) -> str:
    """Return where a result comes from: it is a constant where all that it is made of is known without any input."""
    known = all(
        isinstance(v, Static | External) or (isinstance(v, Tensor) and v.origin == "constant") for v in _leaves(values)
    )
    return "constant" if known else "operator"


def _leaves(values: Sequence[Value]) -> Iterator[Value]:
    for value in values:
        if isinstance(value, Items) and value.items is not None:
            yield from _leaves(value.items)
        else:
            yield value


def tensors_in(values: Sequence[Value]) -> Iterator[Tensor | Outputs | ForeignTensor]:
    """Yield the tensors among values, inside containers too."""
    for value in values:
        if isinstance(value, Items):
            yield from tensors_in((element(value),) if value.items is None else value.items)
        elif isinstance(value, Tensor | Outputs | ForeignTensor):
            yield value


def result_of(
    act: Activation, name: str, operator: Operator | None, arguments: Arguments, receiver: Value | None = None
) -> tuple[Value, str | None]:
    """Return what an operator's call gives, and why Symbol's form of it is proved to fail (None: it is not)."""
    full = arguments
    if receiver is not None:
        full = replace(arguments, values=(receiver, *arguments.values), nodes=arguments.nodes)
    count = output_count(name, arguments, operator, method=receiver is not None)
    created = created_type(name, arguments) if receiver is None else None
    types, failure = ((created,), None) if created is not None else infer(operator, full)
    base = name.rpartition(".")[2]
    dtype = function_dtype(base, full) if act.mode == "np" else None
    if act.mode == "np" and types is not None:
        types = tuple(known.with_dtype(dtype) for known in types)
    passes = flows(operator, full)
    if act.mode == "np" and (count != 1 or base in _SPLITS):
        return _listed(act, base, types, count, flows=passes), failure
    if count != 1:
        known = tuple(types[:count]) if types is not None and count is not None and len(types) >= count else None
        unknown = (TensorType(),) * count if count else None
        alike = reduced_lineage(name, full) if name in _ALIKE else None
        return Outputs(known or unknown, act.mode, name, passes, alike), failure
    result = act.tensor(
        type=types[0] if types else TensorType(None, dtype),
        lineage=reduced_lineage(name, full) or Lineage(act.run.token()),
        origin=origin_of([*full.values, *full.keywords.values()]),
        flows=passes,
    )
    return result, failure


def _listed(
    act: Activation, name: str, types: Sequence[TensorType] | None, count: int | None, *, flows: Flows
) -> Value:
    """Return several outputs in numpy mode, where they are a list of arrays eagerly and one of Symbols at the trace."""
    if count is None:
        return Items("list", None, act.tensor(flows=flows)) if name in {*_SPLITS, "unique"} else Unknown()
    known = types[:count] if types is not None and len(types) >= count else (TensorType(),) * count
    return Items("list", tuple(act.tensor(type=part, flows=flows) for part in known))


def infer(operator: Operator | None, arguments: Arguments) -> tuple[tuple[TensorType, ...] | None, str | None]:
    """Return the output types of a call as far as they follow from its arguments, and why they cannot work together."""
    if operator is None:
        return None, None
    bound = _bind(operator, arguments)
    if bound is None:
        return None, None
    inputs, params = bound
    try:
        return operator.infer_types(operator.complete_types(inputs, params), params), None
    except InferError as error:
        return None, f"{error.argument}: {error.reason}"
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError):
        # Rules of shapes may assume what calls of the runtime have checked before.
        return None, None


def _bind(operator: Operator, arguments: Arguments) -> tuple[tuple[TensorType, ...], Mapping[str, Any]] | None:
    if operator.variadic:
        flat = _flattened(arguments.values)
        if flat is None:
            return None
        inputs: tuple[TensorType, ...] | None = tuple(_type(v) for v in flat)
        rest: tuple[Value, ...] = ()
    else:
        count = len(operator.inputs)
        given = dict(zip(operator.inputs, arguments.values[:count], strict=False))
        given |= {k: v for k, v in arguments.keywords.items() if k in operator.inputs}
        rest = arguments.values[count:]
        inputs = tuple(_type(given.get(name)) for name in operator.inputs)
    params = _parameters(operator, rest, arguments)
    return None if params is None else (inputs or (), params)


def _flattened(values: Sequence[Value]) -> list[Value] | None:
    flat: list[Value] = []
    for value in values:
        if not isinstance(value, Items):
            flat.append(value)
        elif value.items is None:
            return None
        else:
            flat += value.items
    return flat


def _parameters(operator: Operator, rest: tuple[Value, ...], arguments: Arguments) -> dict[str, Any] | None:
    given: dict[str, Value] = dict(zip(operator.params, rest, strict=False))
    given |= {k: v for k, v in arguments.keywords.items() if k in operator.params}
    params = operator.defaults()
    for name, value in given.items():
        known = constant(value)
        if known is STATIC_UNKNOWN:
            return None
        params[name] = _normal(operator.params[name].annotation, known)
    missing = any(p.default is REQUIRED and name not in params for name, p in operator.params.items())
    return None if missing else params


def constant(value: Value | None) -> Any:
    """Return the Python constant that a value is known to be, `STATIC_UNKNOWN` where it is not."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, External):
        base = value.name.rpartition(".")[2]
        return base if value.name.startswith(("numpy.", "builtins.")) else STATIC_UNKNOWN
    if isinstance(value, Items) and value.kind in {"list", "tuple"} and value.items is not None:
        parts = [constant(item) for item in value.items]
        return STATIC_UNKNOWN if any(p is STATIC_UNKNOWN for p in parts) else tuple(parts)
    return STATIC_UNKNOWN


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
        # What mixes with what is another matter in numpy mode.
        return value.type.with_dtype(None)
    return value.type if isinstance(value, Tensor | ForeignTensor) else TensorType()


def _known(value: Value) -> bool:
    return isinstance(value, Static) and value.value is not STATIC_UNKNOWN


def _flag(arguments: Arguments, name: str, without: int, with_it: int) -> int | None:
    value = arguments.keywords.get(name)
    if value is None:
        return without
    if isinstance(value, Static) and value.value is not STATIC_UNKNOWN:
        return with_it if value.value else without
    return None


def _split_count(name: str, arguments: Arguments, method: bool) -> int | None:
    first = 1 - method
    if (name in {"split", "SliceChannel"} or name not in _SPLITS) and "indices_or_sections" not in arguments.keywords:
        value = argument(arguments, "num_outputs", first)
    else:
        value = argument(arguments, "indices_or_sections", first)
    known = constant(value)
    if isinstance(known, tuple):
        return len(known) + 1
    return known if isinstance(known, int) and known > 0 else None


def _registered_count(arguments: Arguments, operator: Operator | None) -> int | None:
    if operator is None:
        return 1
    bound = _bind(operator, arguments)
    try:
        return operator.visible(bound[1] if bound is not None else operator.defaults())
    except (TypeError, ValueError, LookupError, AttributeError):
        return 1


def method_node(node: ast.Call) -> ast.expr:
    """Return the receiver of a method call."""
    assert isinstance(node.func, ast.Attribute)
    return node.func.value
