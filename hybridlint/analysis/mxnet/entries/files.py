"""Where the analysis of a file begins: its hybrid blocks, and the functions that HybridLambda gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hybridlint.analysis.dataflow.scopes import names_in_body
from hybridlint.analysis.model.events import (
    BlockDef,
    ChildDef,
    CodeContext,
    ParameterDef,
    PlainBlockDef,
    Return,
    SettingChangedOutside,
    SideEffect,
    SignatureEvent,
    TraceConstant,
    Unfinished,
    UnlistedParameter,
    UnusedResult,
)
from hybridlint.analysis.model.values import (
    ContainerValue,
    External,
    Function,
    Namespace,
    SelfRef,
    ShapeProvenance,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.blocks.declarations import declared_parameters, written_prefix
from hybridlint.analysis.mxnet.blocks.eager_by_choice import runs_itself, stays_eager
from hybridlint.analysis.mxnet.blocks.hook_results import serves_trace
from hybridlint.analysis.mxnet.blocks.hooks import run_hook, traced_hooks
from hybridlint.analysis.mxnet.blocks.named_outputs import builders, is_part, lost_by_functions
from hybridlint.analysis.mxnet.blocks.parameters import has_parameters
from hybridlint.analysis.mxnet.blocks.retracing import retrace_conditions
from hybridlint.analysis.mxnet.blocks.unlisted_parameters import unlisted_parameters
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.mxnet.entries.built_networks import hooks_of_builders
from hybridlint.analysis.mxnet.entries.compiled_blocks import compiled_calls
from hybridlint.analysis.mxnet.entries.eager_parents import around_children
from hybridlint.analysis.mxnet.entries.passed_functions import functions_at, maker_of
from hybridlint.analysis.mxnet.entries.traced_closures import LAMBDA, traced_closures
from hybridlint.analysis.mxnet.entries.unreached_code import unreached_activations
from hybridlint.analysis.mxnet.entries.wrappers import wrapper
from hybridlint.analysis.mxnet.inputs.body_uses import uses_in
from hybridlint.analysis.mxnet.inputs.signature import bind_arguments
from hybridlint.analysis.mxnet.operators.without_functions import stands_for_functions
from hybridlint.analysis.mxnet.setting_changes.changes_from_outside import (
    adjustments,
    eager_methods,
    own_methods,
    reached_methods,
)
from hybridlint.analysis.mxnet.setting_changes.dict_items import moved_items
from hybridlint.analysis.mxnet.setting_changes.hooked_settings import hooked_settings
from hybridlint.analysis.mxnet.setting_changes.outer_settings import outer_settings
from hybridlint.analysis.mxnet.setting_changes.schedules import scheduled_reads
from hybridlint.analysis.mxnet.setting_changes.set_by_forward import read_at_trace
from hybridlint.analysis.mxnet.setting_changes.settings_of_parts import settings_of_parts
from hybridlint.analysis.mxnet.setting_changes.training_loops import set_by_loops
from hybridlint.analysis.mxnet.unused.idle_children import idle_where, waits
from hybridlint.analysis.mxnet.unused.unused_results import unused_results
from hybridlint.analysis.project.chains import ends_in_options
from hybridlint.analysis.project.instances import Instance, creations
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.analysis.syntax.functions import run_body
from hybridlint.analysis.syntax.statements import returned_inputs
from hybridlint.runtime.facts.records import replace
from hybridlint.text.definitions import definition_at
from hybridlint.text.parameters import required_of
from hybridlint.text.syntax import each, is_own


def file_events(run: AnalysisRun, without: frozenset[str] = frozenset()) -> None:
    """Emit the events of all hybrid code in the analyzed file, except for definitions with the given names."""
    module = run.module
    tree = module.source.tree
    classes = [module.class_info(node) for node in module.survey.classes]
    run.blocks.eager = [(method, one) for one in classes for method in eager_methods(one) if one.block]
    # Users of a class mostly stand below it. They are read first, to learn the arguments that it is called with.
    for node in reversed(module.survey.classes):
        if without and definition_at(tree, node.lineno) in without:
            continue
        info = module.class_info(node)
        if (info.hybrid or ENTRY in info.methods) and not stays_eager(info):
            _class_events(run, info)
        elif info.block and "forward" in info.methods and not _abstract(info.methods["forward"]):
            frame = CodeContext(module.source, node.name, None, None, info.mode)
            run.events.append(PlainBlockDef(node, frame, info.methods["forward"]))
            around_children(run, info)
            if "__init__" in info.methods:
                _adjusted_events(run, info, instance_of(run, info), frame)
                _hook_events(run, info, instance_of(run, info), frame)
        elif info.block and stays_eager(info):
            around_children(run, info)
    _lambda_events(run)
    _built_events(run, without)
    for act in unreached_activations(run, without):
        run.begin()
        _run_entry(act)
    run.events += lost_by_functions(run, classes)
    run.events += compiled_calls(run, without)


def _class_events(run: AnalysisRun, info: ClassInfo) -> None:
    frame = CodeContext(run.module.source, info.node.name, None, None, info.mode)
    bases = tuple(b if isinstance(b, str) else b.node.name for b in info.bases)
    run.events.append(BlockDef(info.node, frame, info.methods, bases, info.mode))
    instance = instance_of(run, info)
    if instance.unfinished and "__init__" in info.methods:
        init = info.methods["__init__"]
        name = f"{info.node.name}.__init__"
        run.events.append(Unfinished(init, frame, name, init.lineno, instance.too_deep))
    if "__init__" in info.methods:
        _init_events(run, info, instance, frame)
        _parameter_events(run, info.methods["__init__"], frame)
    method = info.methods.get(ENTRY)
    _overridden_events(run, info, instance)
    if method is None:
        _inherited_events(run, info, instance)
    elif not _abstract(method) and _signature_event(run, info, method, instance, frame).for_functions is None:
        found = unlisted_parameters(info, instance, method)
        run.events += [UnlistedParameter(call, frame, name) for name, call in found]
        _forward_events(run, info, instance, method)
        unused = unused_results(run, info, instance)
        run.events += [UnusedResult(call, frame, info.node.name, text) for call, text in unused]
        _adjusted_events(run, info, instance, frame)
    if "__init__" in info.methods:
        _hook_events(run, info, instance, frame)


def _hook_events(run: AnalysisRun, info: ClassInfo, instance: Instance, frame: CodeContext) -> None:
    told: set[ast.AST] = set()
    begun = frozenset(run.trail.state_stored)
    for hook in traced_hooks(run, info, instance):
        if hook.node not in told:
            told.add(hook.node)
            if not info.hybrid or not serves_trace(run, hook, instance, begun):
                run.events.append(SideEffect(hook.node, frame, "hook", hook.target))
            run_hook(run, hook, instance)


def _built_events(run: AnalysisRun, without: frozenset[str]) -> None:
    """Tell the hooks on parts of networks that functions build, unless a block that calls such a function told them."""
    told = {event.node for event in run.events if isinstance(event, SideEffect) and event.kind == "hook"}
    for hook in hooks_of_builders(run, without):
        if hook.node not in told:
            told.add(hook.node)
            frame = CodeContext(run.module.source, None, None, None, run.module.mode)
            run.events.append(SideEffect(hook.node, frame, "hook", hook.target))
            run_hook(run, hook)


def _adjusted_events(run: AnalysisRun, info: ClassInfo, instance: Instance, frame: CodeContext) -> None:
    around = ((method, instance_of(run, other)) for method, other in run.blocks.eager if other is not info)
    methods = [*own_methods(info, reached_methods(info, ENTRY).values())]
    traced = [*methods, *(one for one in traced_closures(info) if one not in methods)]
    if not traced:
        return
    found = list(adjustments(info, instance, traced, around, hooked_settings(run, info)))
    found += [*scheduled_reads(info, instance, traced), *outer_settings(info, instance, traced)]
    known = {one.read for one in found}
    around_calls = (*settings_of_parts(info, instance, traced), *set_by_loops(info, instance, traced))
    found += {one.read: one for one in around_calls if one.read not in known}.values()
    found += moved_items(info.module, [*methods, *_held_functions(instance, methods)])
    for one in found:
        run.events.append(SettingChangedOutside(one.read, frame, one.name, one.place, one.by))


def _held_functions(instance: Instance, methods: Sequence[ast.FunctionDef]) -> Iterator[ast.FunctionDef | ast.Lambda]:
    """Yield the functions of the file that a block holds and its traced methods call: ``self.rate()``."""
    called = {call.func.attr for method in methods for call in each(method, ast.Call) if is_own(call.func)}
    for name in called & instance.attributes.keys():
        held = instance.attributes[name]
        if isinstance(held, Function) and isinstance(held.closure, Activation):
            yield held.node


def _init_events(run: AnalysisRun, info: ClassInfo, instance: Instance, frame: CodeContext) -> None:
    for child in instance.children:
        if not _inside(child.node, info.node):
            continue
        registered = None in instance.registered or creations(child.value) <= instance.registered
        if child.container is not None and (registered or has_parameters(run, child.value) is False):
            # A block without parameters need not be registered with a parent.
            continue
        what = info.node.name, child.attribute, child.value, child.container
        run.events.append(ChildDef(child.node, frame, *what, idle_where(run, instance, child)))


def _parameter_events(run: AnalysisRun, init: ast.FunctionDef, frame: CodeContext) -> None:
    if ".params" not in run.module.source.text:
        return
    prefix = written_prefix(init)
    for node, name in declared_parameters(init):
        run.events.append(ParameterDef(node, frame, name, prefix))


def _signature_event(
    run: AnalysisRun, info: ClassInfo, method: ast.FunctionDef, instance: Instance, frame: CodeContext
) -> SignatureEvent:
    read = names_in_body(method).reads
    # An unread `*args` or `**kwargs` exists to be ignored.
    names = [a.arg for a in [*method.args.posonlyargs, *method.args.args][2:]]
    instead = stands_for_functions(method, instance)
    unused = frozenset(n for n in names if n not in read) if instead is None else frozenset()
    required = frozenset(required_of(method.args)[2:])
    later = bool(unused) and any(waits(run, child.value) for child in instance.children)
    inner = later and is_part(run.module, info)
    event = SignatureEvent(method, frame, frozenset(instance.parameters), unused, required, instead, later, inner)
    run.events.append(event)
    return event


def _forward_events(
    run: AnalysisRun, info: ClassInfo, instance: Instance, method: ast.FunctionDef, owner: ClassInfo | None = None
) -> None:
    arguments = [*method.args.posonlyargs, *method.args.args]
    if len(arguments) < 2:
        return
    this = SelfRef(instance)
    owner = owner or info
    # What stays eager has its children compiled by themselves.
    role = Role(entry=True, inner=is_part(run.module, info))
    act = Activation(run, owner.module, method, owner=owner, this=this, mode=owner.mode, role=role)
    act.flow.names |= {arguments[0].arg: this, arguments[1].arg: Namespace("F")}
    bind_arguments(act, method, instance, run.trail.child_calls.get(id(info), []))
    run.begin()
    modes = retrace_conditions(info)
    run.surroundings.scopes += modes
    _run_entry(act)
    for node in read_at_trace(info):
        act.emit(TraceConstant, node, source_of_value=f"self.{node.attr}", used=True)
    if (around := wrapper(run, method, owner)) is not None:
        _run_entry(_wrapped(act, around, instance))
    del run.surroundings.scopes[len(run.surroundings.scopes) - len(modes) :]


def _wrapped(act: Activation, around: Function, instance: Instance) -> Activation:
    """Return the activation, ready to run, of the function that a decorator puts around a block's entry."""
    node = around.node
    assert isinstance(node, ast.FunctionDef)
    assert isinstance(around.closure, Activation)
    assert act.owner is not None
    this, role = SelfRef(instance), replace(act.role, building=False)
    inner = Activation(act.run, around.closure.module, node, act.owner, this, around.closure, act.mode, role)
    arguments = [*node.args.posonlyargs, *node.args.args]
    inner.flow.names |= dict(zip((a.arg for a in arguments[:2]), (this, Namespace("F")), strict=False))
    bind_arguments(inner, node, instance, act.run.trail.child_calls.get(id(instance.info), []))
    act.run.begin()
    return inner


def _inherited_events(run: AnalysisRun, info: ClassInfo, instance: Instance) -> None:
    """Analyze an inherited hybrid_forward for a subclass that overrides methods which it calls."""
    found = info.method(ENTRY)
    if found is None or _abstract(found[0]) or runs_itself(info):
        return
    method, owner = found
    # The classes of the file between this one and the owner of the method may all override methods.
    below = [one for one in info.lineage if one.module is run.module and one is not owner]
    own = {name for one in below for name in one.methods if not name.startswith("__")} - {"forward"}
    if own and own & _called(info):
        _forward_events(run, info, instance, method, owner)


def _called(info: ClassInfo) -> set[str]:
    """Return the attributes that the methods of a class and of its ancestors read."""
    methods = (method for one in info.lineage for name, method in one.methods.items() if name != "__init__")
    return {n.attr for method in methods for n in each(method, ast.Attribute)}


def _overridden_events(run: AnalysisRun, info: ClassInfo, instance: Instance) -> None:
    """Analyze the ``forward`` that a HybridBlock defines itself, if a traced block of the file has it as a child.

    As part of that block's graph, it gets Symbols.
    """
    method = info.methods.get("forward")
    if method is None or _abstract(method) or retrace_conditions(info) or not _in_graph(run.module, info, frozenset()):
        return
    this = SelfRef(instance)
    role = Role(entry=True, inner=True)
    act = Activation(run, info.module, method, owner=info, this=this, mode=info.mode, role=role)
    act.flow.names |= {method.args.args[0].arg: this} if method.args.args else {}
    bind_arguments(act, method, instance, run.trail.child_calls.get(id(info), []), first=1)
    run.begin()
    _run_entry(act)


def _in_graph(module: ProjectFile, info: ClassInfo, below: frozenset[int]) -> bool:
    """Return whether a class of the file that creates blocks of this class is traced, alone or inside a parent.

    A parent whose own `forward` decides what runs is never traced by itself: it hands its children NDArrays.
    """
    below |= {id(info)}
    parents = [parent for parent in builders(module, info) if parent.hybrid and id(parent) not in below]
    return any(not runs_itself(parent) or _in_graph(module, parent, below) for parent in parents)


def _run_entry(act: Activation) -> None:
    outer = act.run.surroundings.copy()
    act.run.surroundings.stack.append(act.node)  # type: ignore[arg-type]
    try:
        result = run_body(act)
    except RecursionError:
        # What was found before is right. Of what follows nothing is known.
        act.run.surroundings = outer
        _emit_unfinished(act, act.place.statement or act.node)
        return
    act.run.surroundings.stack.pop()
    if act.run.budget.exhausted:
        _emit_unfinished(act, act.run.budget.cut or act.node)
    last = act.ends.returns[-1] if act.ends.returns else None
    if isinstance(act.node, ast.FunctionDef) and last is not None and last[0] is act.node and not act.role.inner:
        report = act.suspect if act.ends.excepted or ends_in_options(act.node) else act.emit
        report(Return, act.node, value=StaticValue(None), inputs=())
    elif isinstance(act.node, ast.Lambda):
        act.emit(Return, act.node.body, value=result, inputs=returned_inputs(result))
    for node, value, _ in act.ends.returns:
        if isinstance(value, ContainerValue) and value.kind == "generator" and not isinstance(node, ast.Return):
            act.emit(Return, node, value=value, inputs=())


def _emit_unfinished(act: Activation, first: ast.stmt | ast.Lambda | None) -> None:
    """Emit an event, as a limit left a function unanalyzed from a statement on: there, no findings prove nothing."""
    node = act.node
    if node is None or first is None or act.module is not act.run.module:
        return
    name = getattr(node, "name", "a lambda")
    owner = f"{act.owner.node.name}." if act.owner is not None else ""
    deep = not act.run.budget.exhausted
    act.run.events.append(Unfinished(node, act.frame(), f"{owner}{name}", first.lineno, deep))


def _lambda_events(run: AnalysisRun) -> None:
    """Analyze the functions passed to HybridLambda anywhere in the file."""
    if LAMBDA not in run.module.source.text:
        return
    entered: set[ast.AST] = set()
    for node in run.module.survey.calls:
        if not node.args:
            continue
        made = run.module.expression(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else None
        if not isinstance(made, External) or not made.name.endswith(f".{LAMBDA}"):
            continue
        for function in functions_at(run.module, node, node.args[0]):
            if function not in entered:
                entered.add(function)
                _function_events(run, function)
                frame = CodeContext(run.module.source, None, None, None, run.module.mode)
                for one in moved_items(run.module, (function,)):
                    run.events.append(SettingChangedOutside(one.read, frame, one.name, one.place, one.by))


def _function_events(run: AnalysisRun, node: ast.FunctionDef | ast.Lambda) -> None:
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not arguments:
        return
    act = Activation(run, run.module, node, parent=_maker(run, node), mode=run.module.mode, role=Role(entry=True))
    names: dict[str, Value] = {arguments[0].arg: Namespace("F")}
    for argument in arguments[1:]:
        names[argument.arg] = act.tensor(origin="argument", lineage=ShapeProvenance(run.token()))
    if node.args.vararg is not None:
        names[node.args.vararg.arg] = ContainerValue("tuple", None, act.tensor(origin="argument"))
    if isinstance(node, ast.FunctionDef):
        uses = uses_in(node)
        names |= {a.arg: ContainerValue("list") for a in arguments[1:] if uses.is_list(a.arg)}
    act.flow.names |= names
    run.begin()
    _run_entry(act)


def _maker(run: AnalysisRun, node: ast.FunctionDef | ast.Lambda) -> Activation | None:
    """Return the call of the function that makes and returns another function; None for functions made elsewhere."""
    found = maker_of(run.module, node)
    if found is None:
        return None
    act = Activation(run, run.module, found, mode=run.module.mode, role=Role(building=True))
    spec = found.args
    act.flow.names |= {a.arg: Unknown() for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    with run.reporting.silently():
        run_body(act)
    return act


def _abstract(method: ast.FunctionDef) -> bool:
    """Return whether a method only declares that subclasses must define it."""
    body = [n for n in method.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    return not body or all(isinstance(n, ast.Pass | ast.Raise) for n in body)


def _inside(node: ast.AST, owner: ast.ClassDef) -> bool:
    row: int = getattr(node, "lineno", 0)
    return owner.lineno <= row <= (owner.end_lineno or row)
