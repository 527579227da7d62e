"""Obstacles: the reasons why a Block cannot be converted, in its definition or in code that `forward` runs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import Namespace
from hybridlint.hybridizing.candidates import FUNCTIONS, hybrid_name, is_gluon, name_of
from hybridlint.hybridizing.outcome import Reason
from hybridlint.hybridizing.reachable_methods import own_attributes, own_stores
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo, ProjectFile
    from hybridlint.hybridizing.reachable_methods import Reach

#: Methods of a Parameter that make its array.
_STARTING = frozenset({"_finish_deferred_init", "_init_impl", "initialize"})


def of_definition(name: str, info: ClassInfo) -> Reason | None:
    """Return the reason why a class cannot be converted by its definition alone; None without an obstacle."""
    if "<locals>" in name:
        function = name.partition(".")[0]
        text = f"the class is defined inside the function `{function}`: move it to the level of the module"
        return Reason(text, info.node.lineno)
    for node in info.node.bases:
        base = info.module.resolve_class(node, info.node)
        if isinstance(base, str) and is_gluon(base) and hybrid_name(base) is None:
            return Reason(f"its base {name_of(base)} has no hybrid counterpart", node.lineno)
    forward = info.methods.get("forward")
    return None if forward is None else _of_head(forward) or _of_body(info, forward)


def _of_head(forward: ast.FunctionDef) -> Reason | None:
    obstacle = next(_of_signature(forward.args), None)
    if forward.decorator_list:
        row = forward.decorator_list[0].lineno
        return Reason("`forward` is decorated: write what the decorator does into it", row)
    return None if obstacle is None else Reason(obstacle, forward.lineno)


def _of_signature(spec: ast.arguments) -> Iterator[str]:
    """Yield a sentence for each property of `forward`'s signature that `hybrid_forward` cannot have."""
    inputs = spec.args[1:]
    if not spec.args:
        yield "`forward` has no `self`"
    if spec.posonlyargs:
        yield "`forward` has positional-only arguments: remove the `/`"
    for named in spec.kwonlyargs:
        yield f"`{named.arg}` of `forward` is keyword-only, and a block is called with positional inputs alone"
    if spec.kwarg is not None:
        yield f"`forward` takes `**{spec.kwarg.arg}`, and a hybrid block gets its parameters there: name the arguments"
    if not inputs and spec.vararg is None:
        yield "`forward` takes no input, and a hybrid block is traced by its first one"
    if FUNCTIONS in {a.arg for a in [*inputs, *filter(None, [spec.vararg])]}:
        yield f"`forward` calls an input `{FUNCTIONS}`, which is the name of the operators' namespace"


def _of_body(info: ClassInfo, forward: ast.FunctionDef) -> Reason | None:
    for node in walk(forward):
        match node:
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                return Reason("`forward` is a generator: return a list", node.lineno)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == FUNCTIONS:
                if not _is_namespace(info.module, value):
                    return Reason(f"`forward` binds `{FUNCTIONS}`, the name for the operators: rename it", node.lineno)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                return Reason(f"`forward` changes `{names[0]}` outside of the block", node.lineno)
            case _:
                continue
    return None


def of_conversion(
    info: ClassInfo, reach: Reach, parameters: Collection[str], constants: Collection[str]
) -> Reason | None:
    """Return the reason why a class cannot be converted with what its `forward` reaches; None without an obstacle.

    Its parameters or constants cannot become arguments, or a method cannot get F.
    """
    hidden = next((name for name in parameters if name.startswith("__")), None)
    if hidden is not None:
        text = f"the parameter `{hidden}` has a name that no argument can have: write one underscore"
        return Reason(text, info.node.lineno)
    for owner, name in reach.methods:
        if owner not in info.lineage:
            continue
        method = owner.methods[name]
        reason = _of_names(method, parameters) or _of_stores(method, constants) or _of_sizes(method, parameters)
        if reason is not None:
            return reason
    return _of_setters(info, constants) or _of_helpers(info, reach)


def _of_names(method: ast.FunctionDef, parameters: Collection[str]) -> Reason | None:
    """Return a reason if an argument of a method has the name of a parameter, None otherwise."""
    for argument in [*method.args.args, *method.args.kwonlyargs]:
        if argument.arg in parameters:
            text = f"`{method.name}` has an input of the same name as the parameter `{argument.arg}`: rename the input"
            return Reason(text, argument.lineno)
    return None


def _of_setters(info: ClassInfo, constants: Collection[str]) -> Reason | None:
    """Return a reason if a method other than `__init__` gives a constant another array, None otherwise."""
    for name, method in info.methods.items():
        for node in own_stores(method) if name != "__init__" else ():
            if node.attr in constants:
                text = (
                    f"`{name}` changes `self.{node.attr}`, and a graph keeps what it was: make it an input of `forward`"
                )
                return Reason(text, node.lineno)
    return None


def _of_stores(method: ast.FunctionDef, constants: Collection[str]) -> Reason | None:
    for node in own_stores(method):
        if node.attr in constants:
            return Reason(f"`self.{node.attr}` changes from call to call, which no graph keeps: return it", node.lineno)
    return None


def _of_sizes(method: ast.FunctionDef, parameters: Collection[str]) -> Reason | None:
    """Return a reason if a method sets a parameter's size or values, which a hybrid block fixes earlier."""
    own = {id(node): node.attr for node in own_attributes(method) if node.attr in parameters}
    for node in walk(method):
        match node:
            case ast.Attribute(value=held, attr="shape", ctx=ast.Store()) if id(held) in own:
                what = f"sets the shape of `self.{own[id(held)]}`"
            case ast.Call(func=ast.Attribute(value=held, attr=name)) if name in _STARTING and id(held) in own:
                what = f"initializes `self.{own[id(held)]}`"
            case _:
                continue
        text = f"`{method.name}` {what}, and a hybrid block has its parameters before: give `__init__` the size"
        return Reason(text, node.lineno)
    return None


def _of_helpers(info: ClassInfo, reach: Reach) -> Reason | None:
    """Return the reason why a method cannot get the F that it needs: it is decorated, or passed on uncalled."""
    for owner, name in reach.methods:
        if owner not in info.lineage:
            continue
        method = owner.methods[name]
        if name in reach.helpers and method.decorator_list:
            text = f"`{name}` computes with operators and is decorated, so that it cannot get F: make it a method"
            return Reason(text, method.lineno)
        called = {id(n.func) for n in walk(method) if isinstance(n, ast.Call)}
        for node in own_attributes(method):
            if node.attr in reach.helpers and id(node) not in called:
                text = f"`{node.attr}` is passed on here, and it needs F: call it in a lambda"
                return Reason(text, node.lineno)
    return None


def _is_namespace(module: ProjectFile, node: ast.expr) -> bool:
    """Whether an expression is the namespace ``nd`` as a whole."""
    return isinstance(node, ast.Name | ast.Attribute) and module.expression(node) == Namespace("nd")
