"""Branches that only other settings than the usual ones lead to: ``if self.debug``, where debug is off by default."""

from __future__ import annotations

import ast

from hybridlint.analysis.flow.constant_tests import Values, possible_values, truths
from hybridlint.analysis.flow.default_settings import setting_values
from hybridlint.analysis.model.events import SettingTest
from hybridlint.analysis.project.program import Module
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


class _Settings:
    """What the parts of a test are by default, as far as names and settings tell."""

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
        return self._followed(given) if isinstance(given, ast.expr) and isinstance(module, Module) else None

    def _followed(self, node: ast.expr | None) -> Values:
        return None if node is None else possible_values(node, _Settings(self._act, self._depth + 1).value_of)


def _assigned(function: ast.FunctionDef, store: ast.Name) -> ast.expr | None:
    """Return the value of the assignment that binds a name; None for other bindings."""
    return next((node.value for node in each(function, ast.Assign) if store in node.targets), None)
