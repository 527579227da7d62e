"""What a function hands its arguments on to: methods of its block, functions of the module, child blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.analysis.model.values import Function, Unknown
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.project.instances import blocks_in
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass, ProjectModule, ProjectObject

#: Methods of a child that get what its call gets: how many arguments stand before the inputs.
_INPUTS_BEHIND = {ENTRY: 1, "forward": 0}


@record(frozen=True, slots=True)
class Callee:
    """A function that a call enters, and the number of arguments that are bound before those of the call."""

    node: ast.FunctionDef
    bound: int
    module: ProjectModule
    instance: ProjectObject | None

    @property
    def resolve(self) -> Resolve:
        """What finds the functions that its own calls enter."""
        return resolver(self.module, self.instance)

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


def resolver(module: ProjectModule, instance: ProjectObject | None) -> Resolve:
    """Return what finds the function that a call enters in a method of `instance`, or in a function of the module."""

    def resolve(call: ast.Call) -> Callee | None:
        match call.func:
            case ast.Name():
                held = module.expression(call.func)
                if isinstance(held, Function) and isinstance(held.node, ast.FunctionDef) and held.closure is module:
                    return Callee(held.node, len(held.bound), module, None)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if instance is not None:
                return _method(instance.info, name, instance, 1) or _child(instance, name, None)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr=method):
                return None if instance is None else _child(instance, name, method)
        return None

    return resolve


def _method(info: ProjectClass, name: str, instance: ProjectObject | None, bound: int) -> Callee | None:
    found = info.method(name)
    if found is None or found[0].decorator_list:
        return None
    return Callee(found[0], bound, found[1].module, instance)


def _child(instance: ProjectObject, name: str, method: str | None) -> Callee | None:
    """Return what a call of a child enters, or of one of the methods that take its inputs."""
    blocks = blocks_in(instance.attributes.get(name, Unknown()))
    if len(blocks) != 1 or blocks[0].info is None or (method is not None and method not in _INPUTS_BEHIND):
        return None
    info = blocks[0].info
    if method is not None:
        return _method(info, method, None, 1 + _INPUTS_BEHIND[method])
    own = "forward" if info.method("forward") is not None else ENTRY
    return _method(info, own, None, 2 if own == ENTRY else 1)
