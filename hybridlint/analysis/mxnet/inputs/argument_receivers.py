"""The functions that get a function's arguments: methods of its block, module functions, child blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.analysis.model.values import BlockRef, Function, Unknown
from hybridlint.analysis.mxnet.blocks.children import any_child
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.project.instances import blocks_in
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import is_self, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass, ProjectModule, ProjectObject
    from hybridlint.analysis.run.run import AnalysisRun

#: Methods of a child that get what its call gets: how many arguments stand before the inputs.
_INPUTS_BEHIND = {ENTRY: 1, "forward": 0}


@record(frozen=True, slots=True)
class Callee:
    """A function that a call enters, and the number of arguments that are bound before those of the call."""

    run: AnalysisRun
    node: ast.FunctionDef
    bound: int
    module: ProjectModule
    instance: ProjectObject | None

    @property
    def resolve(self) -> Resolve:
        """A resolver of the functions that its own calls enter."""
        return resolver(self.run, self.node, self.module, self.instance)

    def holds_children(self, part: ast.expr) -> bool:
        """Return whether an expression of the function reads children of the block."""
        return self.instance is not None and holds_children(self.instance, part)

    def parameters(self, call: ast.Call) -> Iterator[tuple[str, str]]:
        """Yield the names that a call passes as they are, each with the parameter that gets it."""
        spec = self.node.args
        names = [argument.arg for argument in (*spec.posonlyargs, *spec.args)][self.bound :]
        for value, name in zip(call.args, names, strict=False):
            if isinstance(value, ast.Starred):
                break
            if isinstance(value, ast.Name):
                yield value.id, name
        known = {*names, *(argument.arg for argument in spec.kwonlyargs)}
        for keyword in call.keywords:
            if isinstance(keyword.value, ast.Name) and keyword.arg is not None and keyword.arg in known:
                yield keyword.value.id, keyword.arg


#: What a call enters, as far as the source shows it.
Resolve: TypeAlias = Callable[[ast.Call], Callee | None]


def resolver(run: AnalysisRun, function: ast.AST, module: ProjectModule, instance: ProjectObject | None) -> Resolve:
    """Return a function that takes a call inside `function`, and returns the code that it enters.

    That is a method of `instance`, a function of the module, or what a child block runs; None for others.
    """
    each_of: dict[str, str] = {}
    if instance is not None:
        each_of.update(_looped(function))

    def resolve(call: ast.Call) -> Callee | None:
        match call.func:
            case ast.Name(id=name) if instance is not None and name in each_of:
                return _entry(run, _one_of(run, instance, each_of[name]), None)
            case ast.Name():
                held = module.expression(call.func)
                if isinstance(held, Function) and isinstance(held.node, ast.FunctionDef) and held.closure is module:
                    return Callee(run, held.node, len(held.bound), module, None)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if instance is not None:
                own = _method(run, instance.info, name, instance, 1)
                return own or _entry(run, _only(instance, name), None)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr=method):
                return None if instance is None else _entry(run, _only(instance, name), method)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=name)) if instance is not None:
                return _entry(run, _one_of(run, instance, name), None)
        return None

    return resolve


def holds_children(instance: ProjectObject, part: ast.expr) -> bool:
    """Return whether an expression reads children of the block: ``self.layers._children.values()``."""
    attributes = {n.attr for n in walk(part) if isinstance(n, ast.Attribute) and is_self(n.value)}
    return "_children" in attributes or any(blocks_in(instance.attributes.get(name, Unknown())) for name in attributes)


def _looped(function: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that loops bind to the elements of an attribute of self, each with the attribute."""
    for node in walk(function):
        if isinstance(node, ast.For | ast.comprehension):
            yield from _bound(node.target, node.iter)


def _bound(target: ast.expr, source: ast.expr) -> Iterator[tuple[str, str]]:
    match target, source:
        case ast.Name(id=name), ast.Attribute(value=owner, attr=attribute) if is_self(owner):
            yield name, attribute
        case _, ast.Call(func=ast.Name(id="reversed"), args=[inner]):
            yield from _bound(target, inner)
        case ast.Tuple(elts=[_, each]), ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            yield from _bound(each, inner)
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=sources):
            for one, inner in zip(targets, sources, strict=False):
                yield from _bound(one, inner)
        case _:
            return


def _method(
    run: AnalysisRun, info: ProjectClass, name: str, instance: ProjectObject | None, bound: int
) -> Callee | None:
    found = info.method(name)
    if found is None or found[0].decorator_list:
        return None
    return Callee(run, found[0], bound, found[1].module, instance)


def _only(instance: ProjectObject, name: str) -> BlockRef | None:
    """Return the block that an attribute holds; None if it may hold several."""
    blocks = blocks_in(instance.attributes.get(name, Unknown()))
    return blocks[0] if len(blocks) == 1 else None


def _one_of(run: AnalysisRun, instance: ProjectObject, name: str) -> BlockRef | None:
    """Return a block that represents every block in an attribute: in a container of Gluon or of Python."""
    held = instance.attributes.get(name, Unknown())
    return any_child(run, held) if isinstance(held, BlockRef) else _only(instance, name)


def _entry(run: AnalysisRun, block: BlockRef | None, method: str | None) -> Callee | None:
    """Return the function that a call of a block, or of a method that takes its inputs, enters."""
    if block is None or block.info is None or (method is not None and method not in _INPUTS_BEHIND):
        return None
    info = block.info
    name = method or ("forward" if info.method("forward") is not None else ENTRY)
    bound = 1 + _INPUTS_BEHIND[name]
    return _method(run, info, name, instance_of(run, info), bound)
