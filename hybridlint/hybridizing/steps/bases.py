"""Step: base classes are replaced by their hybrid counterparts."""

from __future__ import annotations

import libcst as cst

from hybridlint.analysis.model.values import External
from hybridlint.hybridizing.candidates import hybrid_name
from hybridlint.hybridizing.steps.scope import ConversionScope
from hybridlint.text.edits import ImportEdit


class Bases(ConversionScope):
    """Replaces ``nn.Block`` by ``nn.HybridBlock`` in the chosen classes; `imports` are the imports that this needs."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.imports: set[ImportEdit] = set()

    def of_class(self, name: str, node: cst.ClassDef) -> cst.ClassDef:
        """Return a chosen class with hybrid base classes; other classes are unchanged."""
        if name not in self.plan.chosen:
            return node
        return node.with_changes(bases=[base.with_changes(value=self._hybrid(base.value)) for base in node.bases])

    def _hybrid(self, base: cst.BaseExpression) -> cst.BaseExpression:
        match self.value(base):
            case External(name=dotted) if dotted.startswith("mxnet.gluon."):
                module, _, old = dotted.rpartition(".")
                new = hybrid_name(dotted)
            case _:
                return base
        if new is None or new == old:
            return base
        if isinstance(base, cst.Attribute):
            return base.with_changes(attr=base.attr.with_changes(value=new))
        assert isinstance(base, cst.Name)
        self.imports.add(ImportEdit(module, new))
        return base.with_changes(value=new)
