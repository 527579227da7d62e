"""Classes whose blocks stay eager by their own choice: by their own ``hybridize``, or by their own ``forward``."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.mxnet.classes import BASE_CLASSES, HYBRID_BLOCK
from hybridlint.text.syntax import each, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass

_METHOD = "hybridize"
#: The attribute that says whether a block runs compiled.
COMPILED = "_active"


def stays_eager(info: ProjectClass) -> bool:
    """Return whether ``hybridize()`` never compiles the blocks of a class themselves."""
    return refuses(info) or compiles_children_only(info)


def refuses(info: ProjectClass) -> bool:
    """Return whether a class overrides ``hybridize`` with a method that raises, so that its blocks stay eager."""
    found = info.method(_METHOD)
    if found is None:
        return False
    last = found[0].body[-1]
    # ``if active: raise ...`` still accepts ``hybridize(False)``.
    if isinstance(last, ast.If) and isinstance(last.test, ast.Name) and not last.orelse:
        last = last.body[-1]
    plain = not any(_is_super(node) for node in each(found[0], ast.Call))
    return isinstance(last, ast.Raise) and plain


def runs_itself(info: ProjectClass) -> bool:
    """Return whether a class overrides ``forward`` without calling the base class's, and so decides what is traced."""
    found = info.method("forward")
    if found is None:
        return False
    calls = each(found[0], ast.Call)
    return not any(_is_super(node) or (_name(node.func) == "forward" and _is_of_base(node)) for node in calls)


def compiles_children_only(info: ProjectClass) -> bool:
    """Return whether a class overrides ``hybridize`` with a method that leaves the block itself eager."""
    found = info.method(_METHOD)
    if found is None or refuses(info):
        return False
    method, owner = found
    above = owner.method_after(_METHOD, owner)
    inherits = above is not None and compiles_children_only(above[1])
    return leaves_eager(method, inherits=inherits)


@lru_cache(maxsize=64)
def leaves_eager(method: ast.FunctionDef, *, inherits: bool = False) -> bool:
    """Return whether a method ``hybridize`` never compiles the block itself, judging by its own text.

    `inherits` says whether the method of the nearest ancestor leaves the block eager too.
    """
    this = method.args.args[0].arg if method.args.args else ""
    return not any(_compiles(node, this, inherits=inherits) for node in walk(method))


def _compiles(node: ast.AST, this: str, *, inherits: bool) -> bool:
    """Return whether a node of a method ``hybridize`` may compile the block `this` itself."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Store()):
            # ``self._active = False`` is how some write it; any other value is not told apart.
            return name == this and attribute == COMPILED
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[above, *_]), attr=called)):
            # ``super(HybridBlock, self)`` passes by the method of HybridBlock, which compiles.
            return called == _METHOD and _name(above) != HYBRID_BLOCK and not inherits and not _turned_off(node)
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=called)):
            return called == _METHOD and not inherits and not _turned_off(node)
        case ast.Call(func=ast.Attribute(value=above, attr=called), args=[ast.Name(id=name), *_]) if name == this:
            return called == _METHOD and _name(above) in BASE_CLASSES - {"Block"}
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name == this:
            # A method of the block's own may compile it.
            return True
        case _:
            return False


def _turned_off(call: ast.Call) -> bool:
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "active")]
    return any(isinstance(value, ast.Constant) and value.value is False for value in given)


def _name(node: ast.expr) -> str:
    """Return the last name of a dotted name, "" for any other expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_of_base(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and _name(call.func.value) in BASE_CLASSES - {"Block"}


def _is_super(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "super"
