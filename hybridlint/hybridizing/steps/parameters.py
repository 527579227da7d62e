"""Step: traced methods read parameters and constants from their arguments."""

from __future__ import annotations

import libcst as cst

from hybridlint.hybridizing.steps.scope import ConversionScope


class ParameterStep(ConversionScope):
    """Rewrites ``self.weight.data()`` and constants as arguments; other methods read ``self.constant.data()``."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Return the argument in place of ``self.name.data()`` in a traced method; other calls are unchanged."""
        match original_node.func:
            case cst.Attribute(
                value=cst.Attribute(value=owner, attr=cst.Name(value=name)), attr=cst.Name(value="data")
            ):
                if self.traced and self.is_this(owner) and name in self._of(self.plan.parameters):
                    return cst.Name(name, lpar=original_node.lpar, rpar=original_node.rpar)
        return updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        """Return the argument in place of a constant in a traced method, ``.data()`` of it elsewhere."""
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
