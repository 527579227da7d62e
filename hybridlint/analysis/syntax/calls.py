"""Calls: arguments, dispatch by the kind of callee, and results."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import callee, evaluate, expression, invoke
from hybridlint.analysis.flow.guards import tell_divided
from hybridlint.analysis.flow.iterators import STEPPING
from hybridlint.analysis.flow.outliving import outlives, tell_change
from hybridlint.analysis.model import records
from hybridlint.analysis.model.events import Arguments, Concretize, MethodCall, OpCall
from hybridlint.analysis.model.tables import OF_CONTAINERS
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    Block,
    BoundMethod,
    Concrete,
    Divergent,
    External,
    ForeignTensor,
    Function,
    Items,
    Namespace,
    NumpyArray,
    OperatorRef,
    Outputs,
    ParameterRef,
    RecordType,
    Static,
    Tensor,
    This,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet import blocks, methods
from hybridlint.analysis.mxnet.control_flow import CONTROL_FLOW, control_flow
from hybridlint.analysis.mxnet.modes import operator_asks
from hybridlint.analysis.mxnet.operators import argument, method_node, result_of, tensors_in
from hybridlint.analysis.python import builtin_calls, foreign
from hybridlint.analysis.python.functional import call_method, special_method
from hybridlint.analysis.syntax.attributes import look_up, member
from hybridlint.analysis.syntax.functions import enter
from hybridlint.analysis.syntax.iteration import iterate
from hybridlint.analysis.syntax.named_attributes import store_named
from hybridlint.analysis.syntax.subscripts import rebind
from hybridlint.runtime.facts import lookup, surface

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


@expression(ast.Call)
def call(act: Activation, node: ast.Call) -> Value:
    """Evaluate a call."""
    if isinstance(node.func, ast.Attribute):
        if _is_super(node.func.value):
            return _super_call(act, node, node.func.attr)
        read = frozenset(act.run.trail.state_read) if node.func.attr == "clear" else None
        receiver = evaluate(act, node.func.value)
        if read is not None and isinstance(receiver, Items):
            # Emptying a container reads none of its contents.
            act.run.trail.state_read &= read
        look_up(act, receiver, node.func.attr)
        return _method(act, node, receiver, node.func.attr)
    callee = evaluate(act, node.func)
    act.run.trail.modal += callee == Unknown()
    if isinstance(callee, External) and callee.name.startswith("builtins."):
        special = builtin_calls.unevaluated(act, node, callee.name.removeprefix("builtins."))
        if special is not None:
            return special
    args = arguments(act, node)
    with _as_written(act, node, args):
        return invoke(act, node, callee, args)


def _as_written(act: Activation, node: ast.Call, args: Arguments) -> AbstractContextManager[None]:
    """Mark events inside as synthetic if keyword arguments come from a dict: ``f(x, **{"out": z})``."""
    dicts = [keyword.value for keyword in node.keywords if keyword.arg is None]
    expanded = dicts and any(place in dicts for place in args.keyword_nodes.values())
    return act.run.reporting.rewriting() if expanded else nullcontext()


def arguments(act: Activation, node: ast.Call) -> Arguments:
    """Evaluate a call's arguments."""
    nodes: list[ast.expr] = []
    values: list[Value] = []
    for part in node.args:
        value = evaluate(act, part)
        if isinstance(part, ast.Starred) and isinstance(value, Items) and value.items is not None:
            nodes += [part.value] * len(value.items)
            values += value.items
        else:
            nodes.append(part)
            values.append(value)
    keyword_nodes = {k.arg: k.value for k in node.keywords if k.arg is not None}
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluate(act, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Items) and value.items is not None and value.keys is not None:
            spread = {key: item for key, item in zip(value.keys, value.items, strict=True) if isinstance(key, str)}
            keywords |= spread
            keyword_nodes |= dict.fromkeys(spread, keyword.value)
    return Arguments(tuple(nodes), tuple(values), keyword_nodes, keywords)


@callee(External)
def _external_call(act: Activation, node: ast.Call, function: External, args: Arguments) -> Value:
    if function.name.startswith("builtins.") and function.name.count(".") == 1:
        return builtin_calls.builtin(act, node, function.name.removeprefix("builtins."), args)
    return foreign.foreign_call(act, node, function.name, args)


@callee(Function)
def _function_call(act: Activation, node: ast.Call, function: Function, args: Arguments) -> Value:
    return enter(act, function, args, node)


@callee(This)
def _object_call(act: Activation, node: ast.Call, this: This, args: Arguments) -> Value:
    found = None if this.instance.info.block else this.instance.info.method("__call__")
    return Unknown() if found is None else enter(act, Function(*found, (this,)), args, node)


@callee(RecordType)
def _record_call(act: Activation, node: ast.Call, kind: RecordType, args: Arguments) -> Value:
    return records.make_record(kind, args)


@callee(Unknown)
def _unknown_call(act: Activation, node: ast.Call, function: Unknown, args: Arguments) -> Value:
    """Forget the contents of dicts passed to an unknown function, which may fill them."""
    given = [*zip(args.nodes, args.values, strict=True)]
    given += [(place, args.keywords[name]) for name, place in args.keyword_nodes.items() if name in args.keywords]
    for place, value in given:
        if isinstance(value, Items) and value.kind == "dict":
            rebind(act, place, Items("dict", None, Unknown()))
    return Unknown()


def _method(act: Activation, node: ast.Call, receiver: Value, name: str) -> Value:
    match receiver:
        case Tensor() | Outputs():
            args = arguments(act, node)
            if name.startswith("__"):
                return special_method(act, node, receiver, name, args)
            for place, value in zip(args.nodes, args.values, strict=True):
                tell_divided(act, place, value)
            result, operator = methods.tensor_method(act, receiver, name, args)
            with _as_written(act, node, args):
                act.tell(
                    MethodCall, node, receiver=receiver, name=name, arguments=args, operator=operator, result=result
                )
            return result
        case ParameterRef():
            args = arguments(act, node)
            return methods.parameter_method(act, node, receiver, name, args)
        case ForeignTensor():
            return methods.foreign_method(act, node, receiver, name, arguments(act, node))
        case Items() if (held := records.field(receiver, name)) is not None:
            return invoke(act, node, held, arguments(act, node))
        case Items() | Static() if name.startswith("__") and name.endswith("__") and name not in STEPPING:
            return special_method(act, node, receiver, name, arguments(act, node))
        case Items():
            return methods.container_method(act, node, receiver, name, arguments(act, node))
        case Block() if (own := member(act, receiver, name)) == Unknown() or receiver.info is None:
            del own
            return blocks.block_method(act, node, receiver, name, arguments(act, node))
        case This():
            return _self_method(act, node, receiver, name)
        case Static():
            return methods.static_method(act, receiver, name, arguments(act, node), node)
        case NumpyArray():
            return methods.array_method(receiver, name, arguments(act, node))
        case Concrete():
            arguments(act, node)
            return receiver
        case Divergent(eager=External(name=kind)) if kind.startswith("type:"):
            return _class_method(act, node, name, arguments(act, node))
        case Divergent():
            args = arguments(act, node)
            if not isinstance(receiver.eager, Static) or not isinstance(receiver.traced, Static):
                return Unknown()
            sides = (receiver.eager, receiver.traced)
            return Divergent(*(methods.static_method(act, side, name, args, node) for side in sides))
        case Unknown() if name in OF_CONTAINERS and outlives(act, holder := method_node(node)):
            tell_change(act, node, holder)
            return invoke(act, node, receiver, arguments(act, node))
        case _:
            return invoke(act, node, member(act, receiver, name), arguments(act, node))


def _self_method(act: Activation, node: ast.Call, receiver: This, name: str) -> Value:
    found = member(act, receiver, name)
    act.run.trail.modal += found == Unknown()
    args = arguments(act, node)
    if isinstance(found, Unknown):
        _unknown_call(act, node, found, args)
    if isinstance(found, Unknown | ParameterRef):
        return blocks.self_method(act, node, receiver, name, args)
    return invoke(act, node, found, args)


def _is_unheard_of(ref: OperatorRef) -> bool:
    """Return whether a name is neither a registered operator nor any other function of MXNet."""
    if not ref.namespace.path:
        return ref.name[:1].isupper()
    return ref.namespace.path == ("contrib",) and surface.namespace_has(ref.namespace.path, ref.name, "eager") is None


@callee(OperatorRef)
def _operator_call(act: Activation, node: ast.Call, ref: OperatorRef, args: Arguments) -> Value:
    if ref.namespace.path == ("contrib",) and ref.name in CONTROL_FLOW:
        result = control_flow(act, node, ref.name, args)
        act.tell(OpCall, node, namespace=ref.namespace, name=ref.name, arguments=args, operator=None, result=result)
        return result
    if ref.namespace == Namespace("F", ("np",)) and lookup.joins(ref.name) and args.values:
        # These iterate over it in Python.
        iterate(act, args.values[0], node, "iteration")
    act.run.trail.modal += operator_asks(ref.operator, args)
    if ref.namespace == Namespace("F") and ref.name == "full":
        _tell_number(act, node, argument(args, "val", 1))
    if not ref.namespace.path and lookup.of_numbers(ref.name) is not None and _numbers_only(args):
        return Static(STATIC_UNKNOWN)
    if ref.operator is None and _is_unheard_of(ref):
        # A custom operator, one of a custom build, or one on integers: its number of outputs is unknown.
        return Unknown()
    result, failure = result_of(act, ref.name, ref.operator, args)
    if lookup.of_numbers(ref.name) is not None and not ref.namespace.path and isinstance(result, Tensor):
        result = _beside_number(args, result)
    if surface.is_stacked(ref.namespace.path, ref.name):
        result = Divergent(Items("tuple", None, result), result)
    failure = failure or methods.strict_function_failure(ref, args)
    if ref.namespace.root == "npx" and surface.is_no_operator(ref.name):
        result = Unknown()
    elif ref.namespace.root in {"nd", "np", "npx"}:
        result = _eager_result(ref.namespace, args, result)
    elif _draws_numbers(ref) and isinstance(result, Tensor) and _draws_one(args):
        result = act.tensor(type=result.type, random_scalar=True, origin=result.origin)
    act.tell(
        OpCall,
        node,
        namespace=ref.namespace,
        name=ref.name,
        arguments=args,
        operator=ref.operator,
        result=result,
        failure=failure,
    )
    return result


def _beside_number(args: Arguments, result: Tensor) -> Tensor:
    """Return the result of a two-operand function, with the tensor's shape if the other operand is a number."""
    match args.values:
        case (Tensor() as data, Static() | Concrete()) | (Static() | Concrete(), Tensor() as data) if not data.optional:
            return replace(result, type=result.type.with_shape(data.type.shape), lineage=data.lineage)
        case _:
            return result


def _numbers_only(args: Arguments) -> bool:
    return len(args.values) == 2 and not args.keywords and all(isinstance(value, Static) for value in args.values)


def _tell_number(act: Activation, node: ast.Call, value: Value | None) -> None:
    """Emit an event for an argument that the Symbol form of a function converts to a number."""
    if isinstance(value, Tensor) and not value.optional:
        act.tell(Concretize, node, how="float", value=value)


def _eager_result(namespace: Namespace, args: Arguments, result: Value) -> Value:
    if any(isinstance(v, Tensor | Outputs) for v in tensors_in([*args.values, *args.keywords.values()])):
        return result
    if isinstance(result, Tensor):
        # A draw that is read into Python is frozen just like an array that the block keeps.
        return ForeignTensor(result.type, kept=namespace.path == ("random",))
    return Items("list", None, ForeignTensor())


def _draws_numbers(ref: OperatorRef) -> bool:
    """Return whether a function draws as many random numbers as its shape has elements."""
    if ref.operator is not None:
        return ref.operator.random and not ref.operator.inputs
    return ref.namespace.path[-1:] == ("random",) and lookup.draws(ref.name)


def _draws_one(args: Arguments) -> bool:
    values = [*args.values, *args.keywords.values()]
    if argument(args, "shape", 2) is not None or argument(args, "size", 2) is not None:
        return False
    return all(isinstance(v, Static) for v in values)


def _class_method(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value:
    """Evaluate ``type(x).name(y, ...)`` as ``y.name(...)``."""
    if not args.values or not isinstance(args.values[0], Tensor):
        return Unknown()
    rest = Arguments(args.nodes[1:], args.values[1:], args.keyword_nodes, args.keywords)
    return call_method(act, node, BoundMethod(args.values[0], name), rest)


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _super_call(act: Activation, node: ast.Call, name: str) -> Value:
    args = arguments(act, node)
    if act.this is None or act.owner is None:
        return Unknown()
    found = act.this.instance.info.method_after(name, act.owner)
    if name == "__setattr__" and found is None and len(args.values) == 2:
        return store_named(act, node, act.this, args.values[1])
    if found is None:
        return Unknown()
    method, owner = found
    return enter(act, Function(method, owner, (act.this,)), args, node)
