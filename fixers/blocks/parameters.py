"""Fixers of parameters and initial states: arguments of hybrid_forward, and functions of F."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.blocks.registered_arguments import entry_of, handed_on, is_taken
from hybridlint.fixers.evidence.cross_file_uses import user_elsewhere
from hybridlint.fixers.toolkit.arguments import by_name, with_argument
from hybridlint.fixers.toolkit.names import choices, class_around
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each, walk


def read_from_parameter(event: AttributeRead) -> Fix | None:
    """Write ``weight.shape`` of an argument as ``self.weight.shape`` of the Parameter."""
    node = event.node
    if (
        not isinstance(node, ast.Attribute)
        or not isinstance(node.value, ast.Name)
        or event.name not in {"shape", "dtype"}
    ):
        return None
    function = event.frame.function
    if not isinstance(function, ast.FunctionDef) or function.name != ENTRY:
        return None
    self_name = function.args.args[0].arg
    new = expression("{block}.{parameter}.{name}", block=self_name, parameter=node.value.id, name=event.name)
    return rewrite(event.frame, node, new, Applicability.SAFE)


def argument_of_parameter(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``self.weight.data()`` as ``weight`` if `hybrid_forward` has that argument, which it hands to helpers."""
    function, name = frame.function, _parameter_read(node)
    if not isinstance(function, ast.FunctionDef) or name is None:
        return None
    if name not in {a.arg for a in function.args.args}:
        return _in_helper(frame, function, name)
    return (
        None if _rebinds(function, name) else rewrite(frame, node, expression("{name}", name=name), Applicability.SAFE)
    )


def _parameter_read(node: ast.AST) -> str | None:
    """Return the name of the parameter whose array an expression is: ``self.weight.data()``."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(), attr=name), attr="data"), args=given, keywords=[]
        ) if all(map(_is_context, given)):
            return name
        case _:
            return None


def _in_helper(frame: CodeContext, function: ast.FunctionDef, name: str) -> Fix | None:
    """Return the fix by which a helper method is given the argument of `hybrid_forward`, and reads that.

    It is safe unless another file knows the class, and may call or override the helper.
    """
    owner = class_around(frame)
    entry = None if owner is None else entry_of(owner)
    if owner is None or entry is None or name not in {a.arg for a in entry.args.args} or _rebinds(entry, name):
        return None
    if is_taken(function, name):
        return None
    reads = [one for one in each(function, ast.Call) if _parameter_read(one) == name]
    new = expression("{name}", name=name)
    written = [rewrite(frame, one, new, Applicability.UNSAFE) for one in reads]
    fix = join_fixes(f"Take `{name}` as an argument", [*handed_on(frame, owner, function, name), *written])
    alone = user_elsewhere(frame.source, [owner.name]) is None
    return None if fix is None else replace(fix, applicability=safe_if(alone))


def _is_context(node: ast.expr) -> bool:
    """Whether an expression is the device of an input, on which the block's arguments are too."""
    return isinstance(node, ast.Attribute) and node.attr in {"context", "ctx"} and isinstance(node.value, ast.Name)


def _rebinds(function: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in _nodes(function))


def _nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from walk(statement)


def states_by_functions(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``cell.begin_state(n)`` as ``cell.begin_state(n, func=F.zeros)``.

    `node` is the name of the states. None unless the function binds that name once, to a call of begin_state.
    """
    function = frame.function
    if not isinstance(node, ast.Name) or function is None or frame.functions is None or frame.mode != "legacy":
        return None
    stores = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == node.id and n.lineno < node.lineno]
    made = [n for n in walk(function) if isinstance(n, ast.Assign) and n.targets[0] in stores]
    parts = choices(made[0].value) if len(made) == 1 and len(made[0].targets) == 1 else []
    calls = [part for part in parts if isinstance(part, ast.Call) and _begins(part)]
    if len(calls) != 1:
        return None
    call = calls[0]
    if any(k.arg in {"func", "ctx", None} for k in call.keywords):
        return None
    new = with_argument(frame, call, by_name("func", expression("{F}.zeros", F=frame.functions)))
    return rewrite(frame, call, new, Applicability.SAFE, message=f"Make the states with {frame.functions}.zeros")


def _begins(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "begin_state"
