"""Step: local variables with the name of a parameter are renamed, because the parameter becomes an argument."""

from __future__ import annotations

import libcst as cst

from hybridlint.hybridizing.steps.scope import ConversionScope


class RenamedVariables(ConversionScope):
    """Rewrites ``bias = nd.sum(x)`` as ``bias_ = nd.sum(x)`` in a block with a parameter `bias`."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        #: The `id` of each node that names an attribute or keyword argument and so is no variable.
        self._others: set[int] = set()

    def visit_Attribute(self, node: cst.Attribute) -> None:
        """Exclude the name of an attribute from renaming."""
        self._others.add(id(node.attr))

    def visit_Arg(self, node: cst.Arg) -> None:
        """Exclude the name of a keyword argument from renaming."""
        self._others.add(id(node.keyword))

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        """Return a variable with its new name, if the plan renames it."""
        names = self.plan.renamed.get((self.owner, self.method), {})
        if original_node.value not in names or id(original_node) in self._others:
            return updated_node
        return updated_node.with_changes(value=names[original_node.value])
