"""Step: assignments such as ``F = nd`` and ``weight = weight`` are removed, because F and weight are arguments now."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from hybridlint.hybridizing.candidates import FUNCTIONS
from hybridlint.hybridizing.steps.blocks import without
from hybridlint.hybridizing.steps.scope import ConversionScope
from hybridlint.text.concrete import code


class AliasStep(ConversionScope):
    """Removes ``F = nd`` and, once ``self.weight.data()`` is an argument, ``weight = weight``."""

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.BaseSuite:
        """Return a statement block of a traced method without assignments to F and of names to themselves."""
        return without(updated_node, self._is_idle) if self.traced else updated_node

    def _is_idle(self, statement: cst.BaseStatement) -> bool:
        match statement:
            case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
                return self._is_same(target, value)
            case _:
                return False

    def _is_same(self, target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
        match target, value:
            case cst.Name(value=name), _ if name == FUNCTIONS:
                return True
            case cst.Name(value=name), cst.Name(value=other):
                return name == other
            case cst.Tuple(elements=names), cst.Tuple(elements=others):
                return _names(names) == _names(others)
            case _:
                return False


def _names(elements: Sequence[cst.BaseElement]) -> list[str]:
    return [code(element.value) for element in elements]
