"""Step: containers such as Sequential are replaced by hybrid ones, in chosen classes and in network functions."""

from __future__ import annotations

import libcst as cst

from hybridlint.analysis.model.values import External
from hybridlint.hybridizing.candidates import hybrid_container
from hybridlint.hybridizing.steps.scope import ConversionScope
from hybridlint.text.edits import ImportEdit


class Containers(ConversionScope):
    """Replaces ``nn.Sequential()`` by ``nn.HybridSequential()``; `imports` are the imports that this needs."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.imports: set[ImportEdit] = set()

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Return the construction of a hybrid container."""
        inside = self.owner in self.plan.chosen or (not self.owner and self.method in self.plan.networks)
        new = self._hybrid(original_node.func) if inside else None
        if new is None:
            return updated_node
        if isinstance(updated_node.func, cst.Attribute):
            return updated_node.with_changes(func=updated_node.func.with_changes(attr=cst.Name(new)))
        return updated_node.with_changes(func=cst.Name(new))

    def _hybrid(self, function: cst.BaseExpression) -> str | None:
        match self.value(function):
            case External(name=dotted):
                new = hybrid_container(dotted)
            case _:
                return None
        if new is not None and isinstance(function, cst.Name):
            self.imports.add(ImportEdit(dotted.rpartition(".")[0], new))
        return new
