"""Step: arrays that ``__init__`` assigns to attributes become constant parameters."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from hybridlint.fixers.toolkit.templates import expression
from hybridlint.hybridizing.steps.scope import ConversionScope


class Constants(ConversionScope):
    """Rewrites ``self.table = nd.array(...)`` as ``self.table = self.params.get_constant("table", nd.array(...))``.

    An array that ``__init__`` changes further is a local variable until the end of ``__init__``.
    """

    def of_function(self, node: cst.FunctionDef) -> cst.FunctionDef:
        """Return an ``__init__`` that makes constant parameters of its arrays; other functions are unchanged."""
        if node.name.value != "__init__":
            return node
        for name in self.plan.constants.get(self.owner, ()):
            attribute = m.Attribute(value=m.Name(self.this), attr=m.Name(name))
            once = len(m.findall(node.body, attribute)) == 1
            changed = self._wrapped(node, name, attribute) if once else self._kept_back(node, name, attribute)
            assert isinstance(changed, cst.FunctionDef)
            node = changed
        return node

    def _wrapped(self, node: cst.FunctionDef, name: str, attribute: m.Attribute) -> cst.CSTNode:
        def wrap(assign: cst.CSTNode, _parts: object) -> cst.CSTNode:
            assert isinstance(assign, cst.Assign)
            return assign.with_changes(value=self._constant(name, assign.value))

        assigned = m.Assign(targets=[m.AssignTarget(target=attribute)])
        changed = m.replace(node, assigned, wrap)
        assert isinstance(changed, cst.CSTNode)
        return changed

    def _kept_back(self, node: cst.FunctionDef, name: str, attribute: m.Attribute) -> cst.CSTNode:
        """Return an ``__init__`` in which the array is a local variable, and becomes a parameter at the end."""
        taken = {n.value for n in m.findall(node, m.Name()) if isinstance(n, cst.Name)}
        variable = name if name not in taken - {name} or not _is_variable(node, name) else f"{name}_"
        changed = m.replace(node, attribute, cst.Name(variable))
        assert isinstance(changed, cst.FunctionDef)
        target = cst.AssignTarget(cst.Attribute(cst.Name(self.this), cst.Name(name)))
        stored = cst.SimpleStatementLine([cst.Assign([target], self._constant(name, cst.Name(variable)))])
        body = changed.body
        assert isinstance(body, cst.IndentedBlock)
        return changed.with_changes(body=body.with_changes(body=[*body.body, stored]))

    def _constant(self, name: str, value: cst.BaseExpression) -> cst.BaseExpression:
        key = cst.SimpleString(f'"{name}"')
        return expression("{self}.params.get_constant({key}, {value})", self=self.this, key=key, value=value)


def _is_variable(node: cst.FunctionDef, name: str) -> bool:
    """Whether a function has an argument or a local variable called `name`."""
    arguments = {parameter.name.value for parameter in [*node.params.params, *node.params.kwonly_params]}
    stored = m.findall(node.body, m.AssignTarget(target=m.Name(name)))
    return name in arguments or bool(stored)
