"""Fixers of arrays that a block keeps in its attributes: they become constants among its parameters."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.blocks.first_parameters import initializes_itself, registering_message
from hybridlint.fixers.blocks.kept_arrays import argument_in_place, in_method, kept_array
from hybridlint.fixers.blocks.made_arrays import making, register_array
from hybridlint.fixers.blocks.registered_arguments import as_argument, is_reached
from hybridlint.fixers.evidence.fixed_values import MOVES
from hybridlint.fixers.toolkit.class_hierarchy import heirs_of, lineage_of
from hybridlint.fixers.toolkit.imports import imported_names, ndarray_module
from hybridlint.fixers.toolkit.names import class_around, classes_in, dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import each, is_own, walk


def constant_parameter(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Register the array of ``self.c`` with ``params.get_constant``, and read it as the argument ``c``.

    Return None unless `__init__` makes the array, nothing changes it, and nothing else in the file reads an attribute
    of that name.
    """
    frame = in_method(frame)
    owner, function = class_around(frame), frame.function
    if owner is None or not isinstance(function, ast.FunctionDef) or not is_reached(owner, function):
        return None
    match kept_array(frame, node):
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            pass
        case _:
            return None
    made = making(owner, name)
    uses = _uses(frame, owner, name)
    inside = {id(n) for n in walk(function)}
    others = [n for n in uses if id(n) not in inside and (made is None or id(n) not in made.own)]
    if made is None or others or name in {a.arg for a in each(function, ast.arg)} or not _only_reads(function, name):
        return None
    read = argument_in_place(frame, function, [n for n in uses if id(n) in inside], name)
    if read is None:
        return None
    message = f"Keep `self.{name}` as a constant among the parameters"
    fixes = register_array(frame, made, name, message=message)
    if initializes_itself(frame.source, owner):
        value = statements("self.{name}.initialize()", name=name)
        fixes.append(insert_statements(frame, value, Applicability.UNSAFE, message=message, after=made.complete))
    message = registering_message(frame.source, owner, message)
    parts = [*fixes, *as_argument(frame, owner, function, name), *read]
    return join_fixes(message, parts, kind=FixKind.PART)


def _uses(frame: CodeContext, owner: ast.ClassDef, name: str) -> list[ast.Attribute]:
    """Return the nodes of the file that may name an array which a block of this class keeps as an attribute."""
    modules = imported_names(frame.source)
    classes = classes_in(frame.source)
    related = {*lineage_of(owner, classes), *heirs_of(owner, classes)}
    foreign = {id(n) for one in classes if one not in related for n in walk(one) if is_own(n)}
    # `F.mean(x)` and `x.mean()` are no reads of `self.mean`: nobody calls an array.
    foreign |= {id(call.func) for call in each(frame.source.tree, ast.Call)}
    found = [n for n in each(frame.source.tree, ast.Attribute) if n.attr == name and id(n) not in foreign]
    # `np.eye` is no read of `self.eye`.
    return [n for n in found if (dotted_parts(n) or ("",))[0] not in modules]


def parameter_of_child(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``self.child.weight.data()`` as ``self.child.weight.var()`` at the trace: the child's own parameter.

    The eager run does not change, and neither do the parameters of the block.
    """
    module = ndarray_module(frame)
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute() as parameter, attr="data"), args=[], keywords=[]) if (
            len(dotted_parts(parameter) or ()) > 2 and (dotted_parts(parameter) or ("",))[0] == "self"
        ):
            pass
        case _:
            return None
    if module is None or frame.functions is None or frame.function is None or frame.mode != "legacy":
        return None
    name, imports = module
    reads = [n for n in walk(frame.function) if isinstance(n, ast.Call) and ast.dump(n) == ast.dump(node)]
    template = "{data} if {F} is {nd} else {x}.var()"
    data, x = frame.concrete(node), frame.concrete(parameter)
    new = expression(template, data=data, F=frame.functions, nd=name, x=x)
    message = f"Take the parameter `{ast.unparse(parameter)}` itself at the trace"
    fix = join_fixes(message, [rewrite(frame, read, new, Applicability.SAFE) for read in reads])
    return None if fix is None else replace(fix, imports=imports)


def _only_reads(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function only reads the attribute, and neither stores it nor changes a part of it."""
    called = {id(call.func) for call in each(function, ast.Call)}
    for node in walk(function):
        match node:
            case ast.Attribute(attr=found) if found == name and id(node) in called:
                continue
            case ast.Attribute(value=ast.Name(id="self"), attr=found, ctx=ast.Load()):
                continue
            case ast.Attribute(attr=found) if found == name:
                return False
            case ast.Subscript(value=ast.Attribute(attr=found), ctx=ast.Store() | ast.Del()) if found == name:
                return False
            case ast.Attribute(value=ast.Attribute(attr=found), attr=method) if found == name:
                if method != "T" and method not in MOVES and lookup.of_tensors(method) is None:
                    return False
            case ast.JoinedStr():
                return False
    return True
