"""Step: in traced methods, functions of ``nd``, ``np`` and ``npx`` are called through F."""

from __future__ import annotations

from functools import reduce
from importlib import import_module

import libcst as cst

from hybridlint.analysis.model.values import Namespace, OperatorRef
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.hybridizing.candidates import FUNCTIONS
from hybridlint.hybridizing.steps.scope import ConversionScope
from hybridlint.runtime.facts.lookup import joins, of_numbers

_ROOTS = {"nd": FUNCTIONS, "np": f"{FUNCTIONS}.np", "npx": f"{FUNCTIONS}.npx"}


class Namespaces(ConversionScope):
    """Rewrites ``nd.softmax`` as ``F.softmax``; functions that Symbols lack stay unchanged."""

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        """Return ``F.name`` for an operator of a namespace in a traced method; other attributes are unchanged."""
        # The parts of a longer name are no operators by themselves.
        return self._through(original_node) or updated_node if self.traced else updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Return a call through F of an operator that was imported by name; other calls are unchanged."""
        if not self.traced or not isinstance(original_node.func, cst.Name):
            return updated_node
        function = self._through(original_node.func)
        return updated_node if function is None else updated_node.with_changes(func=function)

    def _through(self, node: cst.Attribute | cst.Name) -> cst.BaseExpression | None:
        match self.value(node):
            case OperatorRef(namespace=Namespace(root=root, path=path), name=name) if root in _ROOTS:
                if not _traces(root, path, name):
                    return None
                target = ".".join([_ROOTS[root], *path, name])
            case _:
                return None
        new = expression("{target}", target=target)
        return new.with_changes(lpar=node.lpar, rpar=node.rpar)


def _traces(root: str, path: tuple[str, ...], name: str) -> bool:
    """Whether Symbols have the function too, or a fix replaces it by one that they have."""
    own = path if root == "nd" else (root, *path)
    if not own and (of_numbers(name) or joins(name)):
        return True
    try:
        reduce(getattr, [*own, name], import_module("hybridlint.runtime.symbol"))
    except AttributeError:
        return False
    return True
