"""Step: variables that have the name of a parameter, which becomes an argument, get another one."""

from __future__ import annotations

import libcst as cst

from hybridlint.hybridizing.steps.scope import Scope


class Variables(Scope):
    """Writes ``bias = nd.sum(x)`` as ``bias_ = nd.sum(x)`` in a block with a parameter `bias`."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        #: Names of attributes and of keyword arguments, which are no variables.
        self._others: set[int] = set()

    def visit_Attribute(self, node: cst.Attribute) -> None:
        """Leave the names of attributes alone."""
        self._others.add(id(node.attr))

    def visit_Arg(self, node: cst.Arg) -> None:
        """Leave the names of keyword arguments alone."""
        self._others.add(id(node.keyword))

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        """Return a variable under its new name."""
        names = self.plan.renamed.get((self.owner, self.method), {})
        if original_node.value not in names or id(original_node) in self._others:
            return updated_node
        return updated_node.with_changes(value=names[original_node.value])
