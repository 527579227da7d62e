"""Fixers of arrays made in `hybrid_forward` of literals and settings: they become constants among the parameters."""

from __future__ import annotations

import ast

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import CapturedArray, Tensor
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.blocks.first_parameters import initializes_itself, registering_message
from hybridlint.fixers.blocks.registered_arguments import as_argument, is_reached
from hybridlint.fixers.evidence.fixed_values import MOVES, FixedValues, related_to
from hybridlint.fixers.evidence.helper_uses import uses_of
from hybridlint.fixers.evidence.unconditional_code import always_runs
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.names import class_around, dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.signature_edits import add_attribute
from hybridlint.fixers.toolkit.statements import delete_statement, join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind, ImportEdit
from hybridlint.text.syntax import each, walk

#: Names of attributes that every block has.
_TAKEN = frozenset({"name", "params", "prefix"})


@record(frozen=True, slots=True)
class _Made:
    """An array that the function makes: the whole expression, and the call of ``nd.array`` or a helper in it."""

    whole: ast.Call
    call: ast.Call
    by_helper: bool = False

    @property
    def stem(self) -> str:
        """A name for the constant: that of the helper, if it has one."""
        path = dotted_parts(self.call.func) if self.by_helper else None
        return (path[-1].strip("_") if path is not None else "") or "constant"


def new_constant(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``nd.array([0.5, 0.4]).reshape((1, 2, 1, 1))`` as a constant parameter, which `__init__` registers.

    It has the name that the statement binds, if the block has no such attribute yet: the statement goes then.
    """
    function, owner = frame.function, class_around(frame)
    if owner is None or not isinstance(function, ast.FunctionDef) or frame.mode != "legacy":
        return None
    fixed = FixedValues(frame, owner)
    made = _made(fixed, node)
    if made is None or not is_reached(owner, function) or not fixed.hold(made.whole):
        return None
    value = _value(fixed, made)
    if value is None:
        return None
    binding = _binding(frame, owner, made)
    name = _free(frame, owner, function, made.stem) if binding is None else ast.unparse(binding.targets[0])
    message = f"Keep the array as a constant, `self.{name}`"
    fixes = [
        add_attribute(
            frame,
            owner,
            name,
            "{self}.params.get_constant({key}, {value})",
            before=function,
            message=message,
            behind="{self}.{name}.initialize()" if initializes_itself(frame.source, owner) else "",
            key=cst.SimpleString(f'"{name}"'),
            value=value[0],
        ),
        *as_argument(frame, owner, function, name),
    ]
    if binding is not None:
        fixes.append(delete_statement(frame, binding, Applicability.UNSAFE, message=message))
    else:
        fixes.append(rewrite(frame, made.whole, cst.Name(name), Applicability.UNSAFE))
    fixes += [
        delete_statement(frame, one, Applicability.UNSAFE, message=message) for one in _spent(fixed, function, made)
    ]
    fix = join_fixes(registering_message(frame.source, owner, message), fixes, kind=FixKind.PART)
    return None if fix is None else replace(fix, imports=(*fix.imports, *value[1]))


def constant_of_helper(frame: CodeContext) -> Fix | None:
    """Make what the function of an event computes a constant, which `__init__` lets the function compute.

    The function is a helper without inputs, such as one that fills a mask item by item, and one call needs it.
    """
    helper = frame.function
    uses = uses_of(frame, helper) if isinstance(helper, ast.FunctionDef) and helper.name != ENTRY else []
    if len(uses) != 1:
        return None
    use = uses[0]
    return new_constant(replace(use.frame, statement=use.frame.flow.statement_at(use.call)), use.call)


def _made(fixed: FixedValues, node: ast.expr) -> _Made | None:
    """Return the array that an expression makes; None for any other expression."""
    inner, frame = node, fixed.frame
    while isinstance(inner, ast.Call):
        assert isinstance(node, ast.Call)
        if fixed.by_helper(inner):
            array = isinstance(frame.seen.value(inner), CapturedArray | Tensor)
            certain = isinstance(frame.function, ast.FunctionDef) and always_runs(frame.function, node)
            return _Made(node, inner, by_helper=True) if array and certain else None
        if not isinstance(inner.func, ast.Attribute):
            return None
        path = dotted_parts(inner.func) or ("",)
        if path[-1] == "array" and (path[-2:-1] == ("nd",) or path[:-1] == (frame.functions,)):
            return _Made(node, inner) if len(inner.args) == 1 else None
        if lookup.of_tensors(inner.func.attr) is None and inner.func.attr not in MOVES:
            return None
        inner = inner.func.value
    return None


def _value(fixed: FixedValues, made: _Made) -> tuple[cst.BaseExpression, tuple[ImportEdit, ...]] | None:
    """Return the array as `__init__` makes it, on no device of its own, with the imports that this needs."""
    frame = fixed.frame
    module, call = ndarray_module(frame), made.call
    if made.by_helper:
        functions = None if module is None else expression("{nd}", nd=module[0])
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        needed = any(isinstance(part, ast.Name) and part.id == frame.functions for part in given)
        if functions is None:
            return None
        new = concrete_with(frame, call, {part: fixed.written(part, functions) for part in given})
        return _chained(fixed, made.whole, call, new), module[1] if module is not None and needed else ()
    kept = [k for k in call.keywords if k.arg != "ctx"]
    if module is None or any(k.arg != "dtype" for k in kept):
        return None
    plain = call is made.whole and not kept and isinstance(call.args[0], ast.List | ast.Tuple)
    data = fixed.written(call.args[0])
    if plain:
        return data, ()
    foreign = (dotted_parts(call.func) or ("",))[0] == frame.functions
    function = expression("{nd}.array", nd=module[0]) if foreign else frame.concrete(call.func)
    new = expression("{f}({data})", f=function, data=data)
    if kept:
        new = expression("{f}({data}, dtype={dtype})", f=function, data=data, dtype=frame.concrete(kept[0].value))
    return _chained(fixed, made.whole, call, new), module[1] if foreign else ()


def _chained(fixed: FixedValues, node: ast.Call, call: ast.Call, new: cst.BaseExpression) -> cst.BaseExpression:
    """Return the array methods around a new expression for the array, without moves to a device.

    Their arguments are written without the local names of the function.
    """
    if node is call:
        return new
    assert isinstance(node.func, ast.Attribute)
    inner = node.func.value
    assert isinstance(inner, ast.Call)
    below = _chained(fixed, inner, call, new)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    local = {part: fixed.written(part) for part in given if node.func.attr not in MOVES and any(fixed.bindings(part))}
    return below if node.func.attr in MOVES else concrete_with(fixed.frame, node, {inner: below, **local})


def _spent(fixed: FixedValues, function: ast.FunctionDef, made: _Made) -> list[ast.Assign]:
    """Return the statements whose names nothing reads once the array is a constant."""
    inside = {id(node) for node in walk(made.whole)}
    spent: list[ast.Assign] = []
    for statement in dict.fromkeys(fixed.bindings(made.whole)):
        name = ast.unparse(statement.targets[0])
        if all(id(read) in inside for read in flow_of(function).reads_of(name)):
            spent.append(statement)
            inside |= {id(node) for node in walk(statement.value)}
    return spent


def _binding(frame: CodeContext, owner: ast.ClassDef, made: _Made) -> ast.Assign | None:
    """Return the statement that binds the array to a name that can also name an attribute and an argument."""
    function = frame.function
    assert isinstance(function, ast.FunctionDef)
    for statement in function.body if len(function.body) > 1 else ():
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is made.whole:
                alone = len(frame.flow.bindings_of(name)) == 1
                return statement if alone and name not in _known(frame, owner, function) else None
    return None


def _known(frame: CodeContext, owner: ast.ClassDef, function: ast.FunctionDef) -> set[str]:
    """Return the names of the block's attributes in the file, and of the function's arguments."""
    related = (n for one in related_to(frame, owner) for n in walk(one))
    own = {n.attr for n in related if isinstance(n, ast.Attribute) and dotted_parts(n.value) == ("self",)}
    return own | _TAKEN | {n.arg for n in each(function, ast.arg)}


def _free(frame: CodeContext, owner: ast.ClassDef, function: ast.FunctionDef, name: str) -> str:
    """Return a name that is free in the function and the attributes, if possible the given one."""
    used = {n.id for n in each(function, ast.Name)} | _known(frame, owner, function)
    numbered = (f"constant{k}" for k in range(1, len(used) + 2))
    return next(new for new in (name, "constant", *numbered) if new not in used)
