"""Fixers of arrays made in `hybrid_forward` of literals and settings: they become constants among the parameters."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import Block, ForeignTensor, Tensor
from hybridlint.fixers.blocks.attributes import is_never_initialized
from hybridlint.fixers.blocks.registered import as_argument, is_reached
from hybridlint.fixers.toolkit.heads import stored
from hybridlint.fixers.toolkit.imports import imported_names, ndarray_module
from hybridlint.fixers.toolkit.lineage import heirs_of, lineage_of
from hybridlint.fixers.toolkit.names import class_around, classes_in, dotted
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.statements import deleted, joined
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, Import
from hybridlint.text.syntax import each, walk

#: Names of attributes that every block has.
_TAKEN = frozenset({"name", "params", "prefix"})
#: Methods that move an array to a device, where a parameter is by itself.
_MOVES = frozenset({"as_in_context", "as_in_ctx", "copyto"})
#: What numbers and parts of arrays are written with.
_NUMBERS = (
    *(ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.Subscript, ast.Slice),
    *(ast.unaryop, ast.operator, ast.expr_context),
)


@record(frozen=True, slots=True)
class _Made:
    """An array that the function makes: the whole expression, and the call of ``nd.array`` at its bottom."""

    whole: ast.Call
    call: ast.Call


def new_constant(frame: Frame, node: ast.expr) -> Fix | None:
    """Write ``nd.array([0.5, 0.4]).reshape((1, 2, 1, 1))`` as a constant parameter, which `__init__` registers.

    It has the name that the statement binds, if the block has no such attribute yet: the statement goes then.
    """
    function, owner, made = frame.function, class_around(frame), _made(frame, node)
    if owner is None or not isinstance(function, ast.FunctionDef) or made is None or frame.mode != "legacy":
        return None
    if not is_reached(owner, function) or not _is_fixed(frame, owner, made.whole):
        return None
    value = _value(frame, made)
    if value is None:
        return None
    binding = _binding(frame, owner, made)
    name = _free(frame, owner, function, "constant") if binding is None else ast.unparse(binding.targets[0])
    message = f"Keep the array as a constant, `self.{name}`"
    fixes = [
        stored(
            frame,
            owner,
            name,
            "{self}.params.get_constant({key}, {value})",
            before=function,
            message=message,
            behind="{self}.{name}.initialize()" if is_never_initialized(owner) else "",
            key=cst.SimpleString(f'"{name}"'),
            value=value[0],
        ),
        *as_argument(frame, owner, function, name),
    ]
    if binding is not None:
        fixes.append(deleted(frame, binding, Applicability.UNSAFE, message=message))
    else:
        fixes.append(rewrite(frame, made.whole, cst.Name(name), Applicability.UNSAFE))
    fix = joined(message, fixes)
    return None if fix is None else replace(fix, imports=(*fix.imports, *value[1]))


def _made(frame: Frame, node: ast.expr) -> _Made | None:
    """Return the array that an expression makes; None for any other expression."""
    inner = node
    while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        path = dotted(inner.func) or ("",)
        if path[-1] == "array" and (path[-2:-1] == ("nd",) or path[:-1] == (frame.functions,)):
            assert isinstance(node, ast.Call)
            return _Made(node, inner) if len(inner.args) == 1 else None
        if lookup.of_tensors(inner.func.attr) is None and inner.func.attr not in _MOVES:
            return None
        inner = inner.func.value
    return None


def _value(frame: Frame, made: _Made) -> tuple[cst.BaseExpression, tuple[Import, ...]] | None:
    """Return the array as `__init__` makes it, on no device of its own, with the imports that this needs."""
    module, call = ndarray_module(frame), made.call
    kept = [k for k in call.keywords if k.arg != "ctx"]
    if module is None or any(k.arg != "dtype" for k in kept):
        return None
    plain = call is made.whole and not kept and isinstance(call.args[0], ast.List | ast.Tuple)
    if plain:
        return frame.concrete(call.args[0]), ()
    foreign = (dotted(call.func) or ("",))[0] == frame.functions
    function = expression("{nd}.array", nd=module[0]) if foreign else frame.concrete(call.func)
    new = expression("{f}({data})", f=function, data=frame.concrete(call.args[0]))
    if kept:
        dtype = frame.concrete(kept[0].value)
        new = expression("{f}({data}, dtype={dtype})", f=function, data=frame.concrete(call.args[0]), dtype=dtype)
    return _chained(frame, made.whole, call, new), module[1] if foreign else ()


def _chained(frame: Frame, node: ast.Call, call: ast.Call, new: cst.BaseExpression) -> cst.BaseExpression:
    """Return the methods on an array around a new expression for it, but for those that move it to a device."""
    if node is call:
        return new
    assert isinstance(node.func, ast.Attribute)
    inner = node.func.value
    assert isinstance(inner, ast.Call)
    below = _chained(frame, inner, call, new)
    return below if node.func.attr in _MOVES else concrete_with(frame, node, {inner: below})


def _is_fixed(frame: Frame, owner: ast.ClassDef, node: ast.AST) -> bool:
    """Whether an expression has the same value whenever it is computed once the block is built."""
    match node:
        case ast.Call(func=ast.Attribute()):
            return _is_fixed_call(frame, owner, node)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            held = frame.seen.value(node)
            return not isinstance(held, Tensor | ForeignTensor | Block) and _is_setting(frame, owner, name)
        case ast.Attribute(value=ast.Name(id=name)):
            return name in imported_names(frame.source)
        case ast.Name(id=name):
            return _is_constant(frame, name)
    parts = ast.iter_child_nodes(node)
    return isinstance(node, _NUMBERS) and all(_is_fixed(frame, owner, part) for part in parts)


def _is_fixed_call(frame: Frame, owner: ast.ClassDef, node: ast.Call) -> bool:
    """Whether a function of a module, or a method of what is fixed, is given what is fixed, and draws no numbers."""
    assert isinstance(node.func, ast.Attribute)
    path, name = dotted(node.func) or ("",), node.func.attr
    if any(lookup.draws(part) or part == "random" for part in (*path, name)):
        return False
    given = [] if name in _MOVES else [*node.args, *(k.value for k in node.keywords if k.arg != "ctx")]
    known = path[0] in imported_names(frame.source) | {frame.functions}
    return (known or _is_fixed(frame, owner, node.func.value)) and all(_is_fixed(frame, owner, p) for p in given)


def _is_setting(frame: Frame, owner: ast.ClassDef, name: str) -> bool:
    """Whether an attribute of the block is stored in `__init__` of its class alone, as far as the file shows."""
    init = next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    inside = set() if init is None else {id(n) for n in walk(init)}
    related = {id(n) for one in _related(frame, owner) for n in walk(one)}
    stores = [n for n in each(frame.source.tree, ast.Attribute) if n.attr == name and not isinstance(n.ctx, ast.Load)]
    own = [n for n in stores if dotted(n.value) != ("self",) or id(n) in related]
    return bool(own) and all(id(n) in inside for n in own)


def _related(frame: Frame, owner: ast.ClassDef) -> list[ast.ClassDef]:
    """Return the classes of the file that a class derives from, and those that derive from it, with itself."""
    classes = classes_in(frame.source)
    return [*lineage_of(owner, classes), *heirs_of(owner, classes)]


def _is_constant(frame: Frame, name: str) -> bool:
    """Whether a name is bound once in the file, by the module."""
    stores = [n for n in each(frame.source.tree, ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
    bound = (n for n in frame.source.tree.body if isinstance(n, ast.Assign) and n.targets == stores)
    given = any(n.arg == name for n in each(frame.source.tree, ast.arg))
    return len(stores) == 1 and not given and any(bound)


def _binding(frame: Frame, owner: ast.ClassDef, made: _Made) -> ast.Assign | None:
    """Return the statement that binds a name to the array, if the name can be that of an attribute and argument."""
    function = frame.function
    assert isinstance(function, ast.FunctionDef)
    for statement in function.body if len(function.body) > 1 else ():
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is made.whole:
                stores = [n for n in each(function, ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
                return statement if len(stores) == 1 and name not in _known(frame, owner, function) else None
    return None


def _known(frame: Frame, owner: ast.ClassDef, function: ast.FunctionDef) -> set[str]:
    """Return the names that attributes of the block have, as far as the file shows, and arguments of the function."""
    related = (n for one in _related(frame, owner) for n in walk(one))
    own = {n.attr for n in related if isinstance(n, ast.Attribute) and dotted(n.value) == ("self",)}
    return own | _TAKEN | {n.arg for n in each(function, ast.arg)}


def _free(frame: Frame, owner: ast.ClassDef, function: ast.FunctionDef, name: str) -> str:
    """Return a name that neither the function nor an attribute has, the given one if that is free."""
    used = {n.id for n in each(function, ast.Name)} | _known(frame, owner, function)
    return next(new for new in (name, *(f"{name}{k}" for k in range(1, len(used) + 2))) if new not in used)
