"""Step: parameters and constants are read as arguments where the trace comes by."""

from __future__ import annotations

import libcst as cst

from hybridlint.hybridizing.steps.scope import Scope


class Parameters(Scope):
    """Writes ``self.weight.data()`` as ``weight``, and constants likewise; elsewhere those get ``.data()``."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Return the argument in place of the data of a parameter."""
        match original_node.func:
            case cst.Attribute(
                value=cst.Attribute(value=owner, attr=cst.Name(value=name)), attr=cst.Name(value="data")
            ):
                if self.traced and self.is_this(owner) and name in self._of(self.plan.parameters):
                    return cst.Name(name, lpar=original_node.lpar, rpar=original_node.rpar)
        return updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        """Return a constant as an argument at the trace, and its data elsewhere."""
        name = original_node.attr.value
        if not self.is_this(original_node.value) or name not in self._of(self.plan.constants):
            return updated_node
        if self.traced:
            return cst.Name(name, lpar=original_node.lpar, rpar=original_node.rpar)
        if self.method == "__init__":
            return updated_node
        return cst.Call(cst.Attribute(updated_node, cst.Name("data")))

    def _of(self, table: object) -> tuple[str, ...]:
        assert isinstance(table, dict)
        found: tuple[str, ...] = table.get(self.owner, ())
        return found
