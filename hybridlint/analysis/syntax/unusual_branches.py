"""Branches that only other settings than the usual ones lead to: ``if self.debug``, where debug is off by default."""

from __future__ import annotations

import ast

from hybridlint.analysis.flow.constant_tests import Values, possible_values, truths
from hybridlint.analysis.flow.default_settings import setting_values
from hybridlint.analysis.model.events import SettingTest
from hybridlint.analysis.project.program import ProjectFile
from hybridlint.analysis.run.activation import Activation
from hybridlint.text.parameters import defaults_of
from hybridlint.text.syntax import each, is_own

#: How many names a test is followed through.
_DEEPEST = 3


def mark_unusual(act: Activation, test: ast.expr, *, holds: bool) -> None:
    """Mark the flow behind a test that no usual setting passes; `holds` is the side of the test."""
    if act.silent or act.flow.unusual is not None or holds in truths(test, _Settings(act).value_of):
        return
    act.flow.unusual = SettingTest(test, act.module.source)


def is_taken(act: Activation, test: ast.expr, *, holds: bool) -> bool:
    """Return whether usual settings lead to a side of a test, from where the flow is."""
    usual = not act.silent and act.flow.unusual is None
    return usual and truths(test, _Settings(act).value_of) == {holds}


def leaves_argument_out(act: Activation, test: ast.expr, *, holds: bool) -> bool:
    """Return whether calls without an optional argument take a side of a test: ``x if mask is None else ...``."""
    return not act.silent and act.flow.unusual is None and _without_argument(act, test) is holds


def _without_argument(act: Activation, test: ast.expr) -> bool | None:
    """Return the truth of a test of an optional argument when the caller omits it; None for other tests."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            inside = _without_argument(act, inner)
            return None if inside is None else not inside
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(None)]):
            return isinstance(op, ast.Is) if _is_optional(act, name) else None
        case ast.Name(id=name):
            return False if _is_optional(act, name) else None
        case _:
            return None


def _is_optional(act: Activation, name: str) -> bool:
    """Return whether a name is an argument of the block's forward pass that is None by default, and no parameter."""
    if not act.role.entry or not isinstance(act.node, ast.FunctionDef) or act.this is None:
        return False
    default = defaults_of(act.node.args).get(name)
    given = isinstance(default, ast.Constant) and default.value is None
    return given and name not in act.this.instance.parameters


def may_be_empty(act: Activation, loop: ast.AST) -> bool:
    """Return whether a loop has no iterations with usual settings: over ``range(self.count)`` with a count of 0."""
    if act.silent or act.flow.unusual is not None or not isinstance(loop, ast.For):
        return False
    value_of = _Settings(act).value_of
    match loop.iter:
        case ast.Call(func=ast.Name(id="range"), args=[stop]):
            counts = possible_values(stop, value_of) or ()
            return any(isinstance(count, int) and count <= 0 for count in counts)
        case iterable:
            known = possible_values(iterable, value_of) or ()
            return any(isinstance(items, tuple | list) and not items for items in known)


class _Settings:
    """The default values of the parts of a test, judged by names and settings."""

    def __init__(self, act: Activation, depth: int = 0) -> None:
        self._act, self._depth = act, depth

    def value_of(self, node: ast.expr) -> Values:
        """Return the usual values of a setting of the block, a name or the arguments of the command."""
        if is_own(node):
            return None if self._act.owner is None else self._of_block(node.attr)
        match node:
            case ast.Name(id=name):
                return self._of_name(name)
            case ast.Attribute(value=ast.Name(id="sys"), attr="argv"):
                return ([],)
            case _:
                return None

    def _of_block(self, name: str) -> Values:
        this = self._act.this
        info = self._act.owner if this is None else this.instance.info
        return None if info is None else setting_values(info, name)

    def _of_name(self, name: str) -> Values:
        act, node = self._act, self._act.node
        if not isinstance(node, ast.FunctionDef) or self._depth >= _DEEPEST:
            return None
        stores = [one for one in each(node, ast.Name) if one.id == name and isinstance(one.ctx, ast.Store)]
        if len(stores) == 1:
            return self._followed(_assigned(node, stores[0]))
        if stores:
            return None
        if act.role.entry and name in defaults_of(node.args):
            default = defaults_of(node.args)[name]
            known = default.value if isinstance(default, ast.Constant) else None
            return (known,) if isinstance(known, bool) else None
        module = act.module
        given = module.definitions.get(name) if act.is_global(name) and module.sets_once(name) else None
        return self._followed(given) if isinstance(given, ast.expr) and isinstance(module, ProjectFile) else None

    def _followed(self, node: ast.expr | None) -> Values:
        return None if node is None else possible_values(node, _Settings(self._act, self._depth + 1).value_of)


def _assigned(function: ast.FunctionDef, store: ast.Name) -> ast.expr | None:
    """Return the value of the assignment that binds a name; None for other bindings."""
    return next((node.value for node in each(function, ast.Assign) if store in node.targets), None)
