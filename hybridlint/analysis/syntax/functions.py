"""Calls of Python functions: binding arguments, interpreting the body, and returning its value."""

from __future__ import annotations

import ast
from typing import TypeGuard

from hybridlint.analysis import semantics
from hybridlint.analysis.dispatch import evaluate, execute, invoke
from hybridlint.analysis.flow.certain_statements import runs_always
from hybridlint.analysis.flow.guards import emit_different_returns
from hybridlint.analysis.flow.rows import has_rows
from hybridlint.analysis.flow.sized_choices import with_place
from hybridlint.analysis.model.events import ArgumentsEvent, CallSite
from hybridlint.analysis.model.lattice import eager_trace_pair, element, join, join_all
from hybridlint.analysis.model.settings import length_of
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CachedFunction,
    ClassRef,
    ContainerValue,
    External,
    Function,
    Namespace,
    OperatorRef,
    Partial,
    ScopeMaker,
    ScopeOf,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.project.argument_lengths import length_in_calls
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.analysis.run.activation import Activation, Position, Role
from hybridlint.analysis.run.flow import StatementFlow
from hybridlint.analysis.syntax.call_summaries import summarized_call
from hybridlint.analysis.syntax.containers import copy_containers
from hybridlint.analysis.syntax.decorating_scopes import around_body
from hybridlint.runtime.facts.records import replace
from hybridlint.text.literals import literal_value
from hybridlint.text.parameters import defaults_of
from hybridlint.text.syntax import each, walk

#: Decorators that cache results.
_REMEMBERING = frozenset({"functools.lru_cache", "functools.cache"})


def enter(act: Activation, function: Function, arguments: ArgumentsEvent | None, call: ast.AST) -> Value:
    """Interpret a call of a Python function and return what it returns."""
    act.run.seen.calls.add(call)
    if not act.run.may_enter(function.node):
        act.run.seen.missed.add(function.node)
        return Unknown()
    inner = _activation(act, function, call)
    bind(inner, function, arguments)
    names = inner.flow.names
    constants = {name: v for name, v in names.items() if isinstance(v, StaticValue) and v.certain}
    if constants and _calls_itself(act, function.node):
        # Recursive calls, which are not entered, have other arguments.
        names |= {name: replace(v, certain=False) for name, v in constants.items()}
    if _without_effect(inner):
        return _remembered(inner, function.node)
    result = summarized_call(act, inner, function, arguments, lambda: _inside(inner, function.node))
    if isinstance(result, Unknown) and not act.role.building and isinstance(function.node, ast.FunctionDef):
        result = semantics.library.declared_result(inner, function.node)
    act.flow.unsupported = inner.flow.unsupported
    _copy_attributes(inner, act)
    copy_containers(inner, act, function, arguments)
    return result


def _calls_itself(act: Activation, node: ast.FunctionDef | ast.Lambda) -> bool:
    """Return whether a function's body calls a function, or a method of self, of its own name."""
    recursive = act.run.project.recursive
    known = recursive.get(node)
    if known is None:
        called = [call.func for call in each(node, ast.Call)]
        known = recursive[node] = _name(node) in map(_called, called)
    return known


def _called(function: ast.expr) -> str | None:
    """Return the name of the called function of this file, or method of self; None for other calls."""
    match function:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
        case _:
            return None


def _remembered(inner: Activation, node: ast.AST) -> Value:
    """Return the result of a call, from the cache if an equal call was made before."""
    run = inner.run
    place = inner.owner, inner.mode, inner.flow.worlds
    known = run.reuse.memory.recall(node, inner.flow.names, place)
    if known is not None:
        return known
    names, limits, tokens = dict(inner.flow.names), run.budget.refused, run.tokens
    result = _inside(inner, node)
    # A call that hit a limit, or that made new objects, may have another result next time.
    if (run.budget.refused, run.tokens) == (limits, tokens) and not run.budget.exhausted:
        run.reuse.memory.keep(node, names, place, result)
    return result


def _without_effect(act: Activation) -> bool:
    """Return whether a call has no effect besides its result: it emits no events and has no self to change."""
    return act.run.reporting.quiet > 0 and act.role.building and act.this is None and act.parent is None


def _inside(inner: Activation, node: ast.AST) -> Value:
    inner.run.surroundings.stack.append(node)
    try:
        return run_body(inner)
    finally:
        inner.run.surroundings.stack.pop()


def decorate(act: Activation, node: ast.FunctionDef, function: Function) -> Value:
    """Return the value of a function after its decorators.

    A decorator that caches results requires hashable arguments. A class that decorates makes an object. Decorators
    without available source are assumed to return the function unchanged.
    """
    value: Value = function
    for decorator in reversed(node.decorator_list):
        with act.run.reporting.silently():
            found = evaluate(act, decorator.func if isinstance(decorator, ast.Call) else decorator)
            if isinstance(found, External) and found.name in _REMEMBERING:
                return CachedFunction(value) if isinstance(value, Function | Partial) else Unknown()
            if found == External("contextlib.contextmanager"):
                value = _as_scope(act, node) or value
            if isinstance(found, Function | ClassRef) and isinstance(decorator, ast.Call):
                found = evaluate(act, decorator)
            if isinstance(found, Function | ClassRef | SelfRef):
                made = _applied(act, found, decorator, value)
                value = made if isinstance(made, Function | Partial | SelfRef) else value
    return value


def _applied(act: Activation, decorator: Function | ClassRef | SelfRef, place: ast.expr, function: Value) -> Value:
    """Return the result of applying a decorator to a function."""
    given = ArgumentsEvent((place,), (function,), {}, {})
    if isinstance(decorator, Function):
        return enter(act, decorator, given, place)
    # Where it is no call, its place represents one.
    return invoke(act, place, decorator, given)  # type: ignore[arg-type]


def _as_scope(act: Activation, node: ast.FunctionDef) -> Value | None:
    """Return the scope around a function's ``yield``: ``with pause(): yield``. None for other functions.

    The scope may have a name, as in ``scope = pause()``, and may be entered on one path of several.
    """
    made = {
        target.id: part.value
        for part in node.body
        if isinstance(part, ast.Assign)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    for part in each(node, ast.With):
        for item in part.items if any(each(part, ast.Yield)) else ():
            entered = item.context_expr
            entered = made.get(entered.id, entered) if isinstance(entered, ast.Name) else entered
            scope = evaluate(act, entered) if isinstance(entered, ast.Call) else None
            if isinstance(scope, ScopeOf):
                return ScopeMaker(node.name, replace(scope, sure=scope.sure and runs_always(node, part)))
    return None


def make(act: Activation, node: ast.FunctionDef | ast.Lambda) -> Function:
    """Return the function that a definition or lambda creates, with its defaults evaluated there."""
    named = {name: default for name, default in defaults_of(node.args).items() if _names(default)}
    return Function(node, act, defaults={name: evaluate(act, default) for name, default in named.items()})


def _names(default: ast.expr) -> bool:
    """Return whether the expression of a parameter's default contains names."""
    return not isinstance(default, ast.Constant) and any(isinstance(part, ast.Name) for part in walk(default))


def run_body(act: Activation) -> Value:
    """Interpret a function's body with its parameters bound; return its result."""
    node = act.node
    if isinstance(node, ast.Lambda):
        return evaluate(act, node.body)
    assert node is not None
    worlds = act.flow.worlds
    execute(act, around_body(act, node) if node.decorator_list else node.body)
    if act.flow.alive and not act.run.budget.exhausted:
        act.ends.returns.append((node, StaticValue(None), act.flow.worlds))
    unsupported = act.flow.unsupported and len(act.ends.returns) <= 1
    act.flow = StatementFlow(act.flow.names, worlds, unsupported, act.flow.seeded, act.flow.narrowed)
    return _joined_returns(act)


def bind(act: Activation, function: Function, arguments: ArgumentsEvent | None) -> None:
    """Bind a function's parameters to arguments; if these are None, to values that the defaults suggest.

    So it is with what a constructor may hand on by keyword to the one above it, ``super().__init__(**kwargs)``.
    """
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    values: list[Value] = list(function.bound)
    keywords: dict[str, Value] = {}
    rest: Value | None = None
    if arguments is not None:
        for node, value in zip(arguments.nodes, arguments.values, strict=True):
            if isinstance(node, ast.Starred):
                rest = element(value) if isinstance(value, ContainerValue) else Unknown()
            elif rest is None:
                values.append(value)
        keywords = dict(arguments.keywords)
    names = act.flow.names
    all_of_them = None if arguments is not None and arguments.more and act.role.building else arguments
    for index, parameter in enumerate(positional):
        if index < len(values):
            names[parameter.arg] = values[index]
        elif rest is not None:
            names[parameter.arg] = rest
        else:
            given = keywords.pop(parameter.arg, None)
            names[parameter.arg] = given if given is not None else _default(act, function, index, all_of_them)
    for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        given = keywords.pop(parameter.arg, None)
        computed = function.defaults.get(parameter.arg) if given is None else given
        names[parameter.arg] = computed if computed is not None else _of_default(act, default, all_of_them)
    if spec.vararg is not None:
        names[spec.vararg.arg] = _vararg(values[len(positional) :], rest, arguments)
    if spec.kwarg is not None:
        each = join_all(list(keywords.values()))
        names[spec.kwarg.arg] = ContainerValue("dict", None, each)


def _vararg(extra: list[Value], rest: Value | None, arguments: ArgumentsEvent | None) -> ContainerValue:
    if arguments is None:
        return ContainerValue("tuple", None, Unknown())
    if rest is not None:
        return ContainerValue("tuple", None, join_all([*extra, rest]))
    return ContainerValue("tuple", tuple(extra))


def _default(act: Activation, function: Function, index: int, arguments: ArgumentsEvent | None) -> Value:
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    computed = function.defaults.get(positional[index].arg)
    if computed is not None:
        return computed
    at = index - (len(positional) - len(spec.defaults))
    if at < 0 and arguments is None and act.owner is not None:
        length = length_in_calls(act.owner, positional[index].arg, index)
        return Unknown() if length is None else StaticValue(STATIC_UNKNOWN, length=length)
    return _of_default(act, spec.defaults[at] if at >= 0 else None, arguments)


def _of_default(act: Activation, default: ast.expr | None, arguments: ArgumentsEvent | None) -> Value:
    """Return the value of a parameter for which no argument is passed.

    If `arguments` is None, the arguments themselves are unknown: return a value that covers whatever may be passed.
    """
    if default is None:
        return Unknown()
    if isinstance(default, ast.Attribute | ast.Name):
        found = act.module.expression(default)
        if arguments is None:
            # The caller may pass another layer, which is then used like this one.
            return found if _is_block_class(act, found) else Unknown()
        return found if isinstance(found, Namespace | OperatorRef | Function | External) else Unknown()
    try:
        known = literal_value(default)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return Unknown()
    if arguments is None:
        return _suggested(known)
    return StaticValue(known, certain=True)


def _suggested(default: object) -> Value:
    """Return a value for a constructor's parameter with an unknown argument, given its default.

    A boolean default means True or False; a default of None means an unknown value; any other an unknown setting, of
    as many sizes as a tuple has.
    """
    if default is None:
        return Unknown()
    among = (False, True) if isinstance(default, bool) else None
    return StaticValue(STATIC_UNKNOWN, among=among, length=length_of(default))


def _is_block_class(act: Activation, value: Value) -> bool:
    if isinstance(value, ClassRef):
        return value.info.block
    named = isinstance(value, External) and value.name.rpartition(".")[2][:1].isupper()
    return named and isinstance(value, External) and act.run.project.dialect.is_block(value.name)


def _activation(act: Activation, function: Function, call: ast.AST) -> Activation:
    closure = function.closure
    this = next((v for v in function.bound if isinstance(v, SelfRef)), None)
    inner = Activation(
        act.run,
        act.module,
        function.node,
        this=this,
        mode=act.mode,
        role=Role(act.role.building, body=act.run.surroundings.bodies.get(function.node)),
        place=Position(called_from(act, call), act.place.statement),
    )
    match closure:
        case Activation():
            inner.parent, inner.module, inner.owner, inner.this = closure, closure.module, closure.owner, closure.this
        case ClassInfo():
            inner.module, inner.owner = closure.module, closure
        case ProjectFile():
            inner.module = closure
    act.run.trail.modules.add(inner.module)
    inner.flow = StatementFlow({}, act.flow.worlds, act.flow.unsupported, unusual=act.flow.unusual)
    if this is not None and act.this == this:
        inner.flow.names |= {k: v for k, v in act.flow.names.items() if k.startswith("self.")}
        inner.flow.narrowed |= act.flow.narrowed
    return inner


def called_from(act: Activation, call: ast.AST) -> tuple[CallSite, ...]:
    """Return the calls that lead to the function which an expression calls, outermost first."""
    inner = (CallSite(call, act.module.source, _name(act.node)),) if _is_call(call) else ()
    return (*act.place.calls, *inner)


def _name(node: ast.FunctionDef | ast.Lambda | None) -> str:
    return node.name if isinstance(node, ast.FunctionDef) else "a lambda" if node is not None else "the module"


def _is_call(node: ast.AST) -> TypeGuard[ast.Call | ast.Attribute]:
    """Return whether a node calls a function: as a call, or where it reads a property."""
    return isinstance(node, ast.Call) or (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))


def _copy_attributes(inner: Activation, outer: Activation) -> None:
    """Copy attributes that a method stored on self to the caller's self, if it is the same."""
    if inner.this is None or inner.this != outer.this:
        return
    outer.flow.names |= {k: v for k, v in inner.flow.names.items() if k.startswith("self.")}


def _joined_returns(act: Activation) -> Value:
    yielded = next((value for node, value, _ in act.ends.returns if isinstance(node, ast.Yield | ast.YieldFrom)), None)
    if yielded is not None:
        return yielded
    values = [value for _, value, _ in act.ends.returns]
    eager = [v for _, v, worlds in act.ends.returns if "eager" in worlds]
    traced = [v for _, v, worlds in act.ends.returns if "traced" in worlds]
    if eager == traced or not eager or not traced:
        return join_all(values)
    a, b = join_all(eager), join_all(traced)
    if a == b or (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return join(a, b)
    emit_different_returns(act, act.ends.parted, a, b)
    made = eager_trace_pair(a, b)
    if has_rows(made) and act.ends.parted:
        return with_place(act, made, act.ends.parted[-1])
    read = next(node for node, _, worlds in act.ends.returns if "eager" in worlds)
    return with_place(act, made, read)
