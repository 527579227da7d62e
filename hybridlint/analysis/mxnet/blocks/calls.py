"""Blocks: construction, calls, and methods."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import callee, invoke, member, method_of, see
from hybridlint.analysis.flow.persistent_state import note_read
from hybridlint.analysis.flow.rows import emit_whole_use
from hybridlint.analysis.model.arguments import argument, method_node, tensors_in
from hybridlint.analysis.model.events import ArgumentsEvent, BlockCall, SideEffect, UnboundCall
from hybridlint.analysis.model.lattice import join_all
from hybridlint.analysis.model.records import class_record, fields_given, is_dataclass, make_record
from hybridlint.analysis.model.tables import words
from hybridlint.analysis.model.values import (
    BlockRef,
    CapturedArray,
    ClassRef,
    ContainerValue,
    Function,
    Namespace,
    ParameterRef,
    ProjectClass,
    ScopeOf,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.blocks.children import flatten_blocks
from hybridlint.analysis.mxnet.blocks.eager_callers import as_arrays, as_tensors, note_call
from hybridlint.analysis.mxnet.blocks.hook_results import forget_kept
from hybridlint.analysis.mxnet.blocks.hooks import HOOKS, put_around, put_on
from hybridlint.analysis.mxnet.blocks.layers import layer_result
from hybridlint.analysis.mxnet.blocks.named_outputs import regroup_value
from hybridlint.analysis.mxnet.blocks.objects import GradientFunction
from hybridlint.analysis.mxnet.blocks.parameters import has_parameters
from hybridlint.analysis.mxnet.blocks.runtime_layers import gluon_base
from hybridlint.analysis.mxnet.classes import BASE_CLASSES, ENTRY
from hybridlint.analysis.mxnet.operators.kept_arrays import kept_for_layer
from hybridlint.analysis.mxnet.operators.without_functions import stands_for_functions
from hybridlint.analysis.project.instances import Instance, class_attributes, creations
from hybridlint.analysis.python.closures import apply
from hybridlint.analysis.run.flow import BOTH
from hybridlint.analysis.run.temporary_attribute import TemporaryAttribute
from hybridlint.analysis.syntax.binding import binding_problem
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.analysis.syntax.calls import arguments
from hybridlint.analysis.syntax.functions import enter
from hybridlint.analysis.syntax.repeated_calls import repeated_call
from hybridlint.analysis.syntax.scope_stacks import is_stack, stack_scope
from hybridlint.runtime.facts.records import replace
from hybridlint.text.syntax import branches, each

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: The base class of functions with their own backward, which only accept arrays.
_FUNCTION = "mxnet.autograd.Function"

#: Bases of classes whose objects hold what their own methods store, and containers.
_PLAIN_BASES = words(
    "object builtins.object builtins.list builtins.dict builtins.set collections.OrderedDict collections.deque "
    "contextlib.ContextDecorator contextlib.AbstractContextManager contextlib.ExitStack"
)


@callee(ClassRef)
def construct(act: Activation, node: ast.Call, made: ClassRef, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a class of the project."""
    info = made.info
    if not info.block:
        record = class_record(info)
        return _object(act, node, info, args) if record is None else make_record(record, args)
    arguments = {str(i): v for i, v in enumerate(args.values)} | dict(args.keywords)
    return BlockRef(info.node.name, info.hybrid, arguments, info.node, info, node, stray=not act.role.building)


def _object(act: Activation, node: ast.Call, info: ProjectClass, args: ArgumentsEvent) -> Value:
    """Build an object of a plain class whose ancestors' sources are all available."""
    if _FUNCTION in info.foreign_bases:
        results = _results(info)
        return GradientFunction(f"{_FUNCTION}({results})", _FUNCTION, results=results)
    if any(base not in _PLAIN_BASES for base in info.foreign_bases):
        return Unknown()
    this = SelfRef(Instance(info, class_attributes(info), local=not act.role.building))
    found = info.method("__init__")
    if found is not None:
        method, owner = found
        enter(act, Function(method, owner, (this,)), args, node)
    elif is_dataclass(info):
        this.instance.attributes |= fields_given(info, args)
        _set_up(act, node, this)
    return this


def _set_up(act: Activation, node: ast.Call, this: SelfRef) -> None:
    """Run what a dataclass does when its fields are set."""
    found = this.instance.info.method("__post_init__")
    if found is not None:
        enter(act, Function(*found, (this,)), ArgumentsEvent((), (), {}, {}), node)


def _results(info: ProjectClass) -> str:
    """Return the number of arrays that an ``autograd.Function`` returns: "" for a single array, "?" if unknown."""
    found = info.method("forward")
    if found is None:
        return "?"
    body = list(branches(found[0]))
    listed = {n.id for part in body for n in _bound_to_list(part)}
    counts = {_count(node.value, listed) for node in body if isinstance(node, ast.Return)}
    return counts.pop() if len(counts) == 1 else "?"


def _bound_to_list(node: ast.AST) -> list[ast.Name]:
    match node:
        case ast.Assign(targets=targets, value=ast.Tuple() | ast.List() | ast.ListComp()):
            return [target for target in targets if isinstance(target, ast.Name)]
        case _:
            return []


def _count(value: ast.expr | None, listed: set[str]) -> str:
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return "?" if any(isinstance(part, ast.Starred) for part in parts) else str(len(parts))
        case ast.Name(id=name) if name not in listed:
            return ""
        case ast.Name() | ast.ListComp() | ast.GeneratorExp() | ast.Call(func=ast.Name(id="tuple" | "list")):
            return "?"
        case _:
            return ""


@callee(BlockRef)
def call_block(act: Activation, node: ast.Call, block: BlockRef, args: ArgumentsEvent) -> Value:
    """Evaluate ``block(...)``."""
    if isinstance(node.func, ast.Attribute) and node is not block.creation:
        see(act, node.func, block)
    note_call(act, node, block, args)
    if block.definition is None and block.layer:
        for value in args.values:
            emit_whole_use(act, value)
    if act.run.blocks.around is not None and block.hybrid:
        return _traced(act, node, block, args)
    fitting = [one for one in block.known if _misfit(act, node, one, args) is None]
    if fitting or block.alternatives:
        result = join_all([_result(act, node, one, args) for one in fitting or block.known])
    else:
        result = Unknown()
        act.emit(UnboundCall, node, reason=_misfit(act, node, block, args))
    act.run.trail.meet(not block.certain)
    act.emit(BlockCall, node, block=block, arguments=args, result=result, stray=_is_stray(act, block, args))
    forget_kept(act)
    return result


def _traced(act: Activation, node: ast.Call, block: BlockRef, args: ArgumentsEvent) -> Value:
    """Return the result of a hybrid child for code that runs eagerly around it."""
    compiled = act.run.blocks.around or frozenset()
    regroup = regroup_value if all(one.creation in compiled for one in block.known) else _itself
    given = replace(args, values=tuple(regroup(as_tensors(value)) for value in args.values))
    with TemporaryAttribute(act.run.blocks, "around", None):
        return regroup(as_arrays(join_all([_result(act, node, one, given) for one in block.known])))


def _itself(value: Value) -> Value:
    return value


def _is_stray(act: Activation, block: BlockRef, args: ArgumentsEvent) -> bool:
    """Return whether a block called at the trace has parameters but is not registered with the outermost block."""
    if not block.stray or (act.this is not None and block.creation in act.this.instance.registered):
        return False
    traced = any(isinstance(value, Tensor) for value in tensors_in(args.values))
    return traced and has_parameters(act.run, block) is True


@method_of(BlockRef)
def _method(act: Activation, node: ast.Call, block: BlockRef, name: str) -> Value:
    """Evaluate a method call on a child block. If its class defines the method, that function is interpreted."""
    if block.info is None and (only := _only_with(block, name)) is not None:
        block = only
    if block.info is None:
        note_read(act, block, name)
        return block_method(act, node, block, name, arguments(act, node))
    own = member(act, block, name)
    if own == Unknown():
        return block_method(act, node, block, name, arguments(act, node))
    return invoke(act, node, own, arguments(act, node))


def _only_with(block: BlockRef, name: str) -> BlockRef | None:
    """Return the block of the class that defines a method, if all alternatives are that class or None."""
    known = [one for one in block.alternatives if one.layer]
    return known[0] if len(known) == 1 and known[0].info is not None and known[0].info.method(name) else None


def block_method(act: Activation, node: ast.Call, block: BlockRef, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a block's method that Gluon defines, or that no class is known to define."""
    if name in {"__call__", "forward"} and block.info is None:
        return call_block(act, node, block, args)
    if name == ENTRY and block.info is None and args.values[:1] == (Namespace("F"),):
        return _layer_by_hand(act, node, block, args)
    if name in HOOKS and act.role.building:
        return put_on(act, node, name, block, args)
    if name == "add" and act.role.building:
        added = flatten_blocks(args.values)
        if act.this is not None:
            for value in added:
                act.this.instance.register(value)
        if block.creation is not None:
            act.run.blocks.parts.put(block.creation, added, always=not _is_conditional(act, node))
        return StaticValue(None)
    if name in {"add", "register_child"} and not block.stray:
        act.emit(SideEffect, node, kind="append", target=act.module.source.code(method_node(node)))
        return StaticValue(None)
    if name in {"apply", "initialize"}:
        return _whole(act, node, name, args)
    if name == "begin_state":
        return _begin_state(act, node, args)
    if name == "collect_params":
        return ContainerValue("dict", None, ParameterRef())
    if name == "unroll":
        result = _unroll(act, args)
        act.emit(BlockCall, node, block=block, arguments=args, result=result, unrolled=True)
        return result
    if block.info is not None:
        return _own_method(act, node, block, name, args)
    return Unknown()


def _layer_by_hand(act: Activation, node: ast.Call, block: BlockRef, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a layer's own ``hybrid_forward`` with operators, inputs and parameters."""
    args = kept_for_layer(act, replace(args, nodes=args.nodes[1:], values=args.values[1:]))
    result = layer_result(act, block, replace(args, values=args.values[:1], nodes=args.nodes[:1]))
    act.emit(BlockCall, node, block=block, arguments=args, result=result)
    return result


def _is_conditional(act: Activation, node: ast.Call) -> bool:
    """Return whether an if statement of the function contains the call."""
    return act.node is not None and node in _conditional(act.node)


@lru_cache(maxsize=16)
def _conditional(function: ast.AST) -> frozenset[ast.AST]:
    """Return the nodes inside a function's if statements."""
    return frozenset(part for branch in each(function, ast.If) for part in branches(branch))


def self_method(act: Activation, node: ast.Call, this: SelfRef, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a method of self that no class of the project defines."""
    if name == "enter_context" and is_stack(this):
        return stack_scope(act, node, args)
    if name in {"apply", "initialize"}:
        return _whole(act, node, name, args)
    if name == "register_child":
        child = argument(args, "block", 0)
        act.run.reuse.changed |= not act.role.building
        this.instance.register(BlockRef("", None) if child is None or isinstance(child, Unknown) else child)
        return StaticValue(None)
    if name == "add" and act.role.building:
        this.instance.added += (added := flatten_blocks(args.values))
        for value in added:
            this.instance.register(value)
        return StaticValue(None)
    if name in HOOKS and act.role.building:
        return put_around(act, node, name, this, args)
    if name == "name_scope":
        return ScopeOf("name_scope")
    if name == "begin_state":
        return _begin_state(act, node, args)
    if isinstance(this.instance.attributes.get(name), Unknown):
        _unknown_child(act, node, args)
    return ContainerValue("dict", None, ParameterRef()) if name == "collect_params" else Unknown()


def _unknown_child(act: Activation, node: ast.Call, args: ArgumentsEvent) -> None:
    """Emit an event for a call of an unknown child with both arrays and tensors, which no graph allows."""
    given = list(tensors_in(args.values))
    if any(isinstance(value, Tensor) for value in given) and any(isinstance(value, CapturedArray) for value in given):
        act.emit(BlockCall, node, block=BlockRef("", None), arguments=args, result=Unknown())


def _whole(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate ``initialize`` or ``apply``, which act on a block and all its descendants."""
    if name == "initialize" and args.keywords.get("force_reinit") == StaticValue(True):
        act.emit(SideEffect, node, kind="set_data", target=act.module.source.code(node.func))
    if name == "apply" and args.values:
        apply(act, node, args.values[0], (BlockRef("", None),))
    return Unknown()


def _own_method(act: Activation, node: ast.Call, block: BlockRef, name: str, args: ArgumentsEvent) -> Value:
    assert block.info is not None
    found = block.info.method(name)
    if found is None:
        return Unknown()
    method, owner = found
    this = SelfRef(instance_of(act.run, block.info))
    with act.run.reporting.silently():
        return enter(act, Function(method, owner, (this,)), args, node)


def _result(act: Activation, node: ast.Call, block: BlockRef, args: ArgumentsEvent) -> Value:
    given = list(tensors_in(args.values))
    if given and all(isinstance(v, CapturedArray) for v in given):
        return CapturedArray()
    if block.info is None:
        with _hidden(act, block):
            return layer_result(act, block, args)
    act.run.trail.child_calls.setdefault(id(block.info), []).append(args.values)
    found = block.info.method(ENTRY)
    plain = block.info.method("forward")
    if found is None and plain is not None and not block.hybrid:
        with _hidden(act, block):
            return enter(act, Function(*plain, (SelfRef(instance_of(act.run, block.info)),)), args, node)
    if found is None:
        return layer_result(act, replace(block, layer=gluon_base(block.info)), args)
    method, owner = found
    instance = instance_of(act.run, block.info)
    forward = Function(method, owner, (SelfRef(instance), Namespace("F")))
    parameters: dict[str, Value] = {
        name: act.tensor(type=ref.type, origin="parameter", flows=ref.trained)
        for name, ref in instance.parameters.items()
    }
    full = ArgumentsEvent(args.nodes, args.values, args.keyword_nodes, parameters | dict(args.keywords))
    if stands_for_functions(method, instance) is not None:
        return Unknown()

    def go() -> Value:
        return enter(act, forward, full, node)

    run = act.run
    tried, before = run.reporting.tries, len(run.trail.mismatches)
    with run.reporting.silently(), run.reporting.in_child():
        result = repeated_call(act, node, forward, args, go)
    unequal = run.trail.mismatches[before:]
    if tried or not act.silent:
        del run.trail.mismatches[before:]
    if not act.silent and act.flow.worlds == BOTH:
        run.events += unequal
    return result


def _misfit(act: Activation, node: ast.Call, block: BlockRef, args: ArgumentsEvent) -> str | None:
    """Return why a call does not fit a block that only the project defines; None if it may fit."""
    info = block.info
    if info is None or any(base.rpartition(".")[2] not in BASE_CLASSES for base in info.foreign_bases):
        return None
    found = info.method(ENTRY)
    if found is None or any(info.method(name) is not None for name in ("forward", "__call__")):
        return None
    if args.keyword_nodes:
        return "is called as a block, which takes no keywords"
    instance = instance_of(act.run, info)
    if instance.computed:
        return None
    # Parameters are declared in more ways than are known: what the class stores may be one.
    behind = [argument.arg for argument in found[0].args.args[2 + len(args.values) :]]
    given = dict.fromkeys([*instance.parameters, *filter(info.stores, behind)], Unknown())
    return binding_problem(node, Function(*found, (SelfRef(instance), Namespace("F"))), replace(args, keywords=given))


def _hidden(act: Activation, block: BlockRef) -> AbstractContextManager[None]:
    """Suppress the events inside a plain Block that is a child, because the plain child itself is reported."""
    return act.run.reporting.silently() if not block.hybrid and _is_child(act, block) else nullcontext()


def _is_child(act: Activation, block: BlockRef) -> bool:
    children = act.this.instance.children if act.this is not None else ()
    return any(c.container is None and block.creation in creations(c.value) for c in children)


def _begin_state(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    func = argument(args, "func", 1)
    if func is None:
        return ContainerValue("list", None, CapturedArray())
    with act.run.reporting.silently():
        made = apply(act, node, func, ())
    known = isinstance(func, Unknown) or isinstance(made, CapturedArray)
    return ContainerValue("list", None, made if known else act.tensor())


def _unroll(act: Activation, args: ArgumentsEvent) -> Value:
    merge = args.keywords.get("merge_outputs")
    states = ContainerValue("list", None, act.tensor())
    match merge:
        case StaticValue(value=True):
            return ContainerValue("tuple", (act.tensor(), states))
        case StaticValue(value=False):
            return ContainerValue("tuple", (ContainerValue("list", None, act.tensor()), states))
        case _:
            return ContainerValue("tuple", (Unknown(), states))
