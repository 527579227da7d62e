"""Step: the signatures: ``forward`` becomes ``hybrid_forward`` with F and parameters, and helpers get theirs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.signature_edits import with_parameter
from hybridlint.hybridizing.candidates import FUNCTIONS
from hybridlint.hybridizing.steps.scope import ConversionScope
from hybridlint.hybridizing.steps.spelling import array_functions


class Heads(ConversionScope):
    """Adds the new arguments to the definitions of methods and functions."""

    def of_function(self, node: cst.FunctionDef) -> cst.FunctionDef:
        """Return a method or function with its new name and arguments, unchanged if the plan does not mention it."""
        owner, name = self.owner, node.name.value
        if owner in self.plan.chosen and name == "forward":
            head = with_parameter(node, FUNCTIONS, at=1).with_changes(name=node.name.with_changes(value=ENTRY))
            return _with_arguments(head, self.plan.parameters.get(owner, ()), self.plan.optional.get(owner, ()))
        helper = self.plan.helpers.get(owner, {}).get(name) if owner else self.plan.functions.get(name)
        if helper is None:
            return node
        if not helper.last:
            return _with_arguments(with_parameter(node, FUNCTIONS, at=1), helper.parameters)
        head = node
        for parameter in helper.parameters:
            head = _with_default(head, parameter, cst.Name("None"))
        return _with_default(head, FUNCTIONS, array_functions(self.plan.module))


def _with_arguments(head: cst.FunctionDef, names: Sequence[str], omitted: Collection[str] = ()) -> cst.FunctionDef:
    """Return a function with arguments added; keyword-only if it has default values or ``*inputs``.

    They are required, except those in `omitted`, whose default is None, and which come last.
    """
    names = sorted(names, key=lambda name: name in omitted)
    optional = any(parameter.default is not None for parameter in head.params.params)
    if not names:
        return head
    if not optional and not isinstance(head.params.star_arg, cst.Param):
        for name in names:
            head = with_parameter(head, name, default=cst.Name("None") if name in omitted else None)
        return head
    star = head.params.star_arg if isinstance(head.params.star_arg, cst.Param) else cst.ParamStar()
    rest = [*head.params.kwonly_params, *(_by_keyword(name, optional=name in omitted) for name in names)]
    changed = head.params.with_changes(star_arg=star, kwonly_params=rest)
    return head.with_changes(params=changed)


def _by_keyword(name: str, *, optional: bool) -> cst.Param:
    if not optional:
        return cst.Param(cst.Name(name))
    plain = cst.SimpleWhitespace("")
    return cst.Param(cst.Name(name), default=cst.Name("None"), equal=cst.AssignEqual(plain, plain))


def _with_default(head: cst.FunctionDef, name: str, default: cst.BaseExpression) -> cst.FunctionDef:
    plain = cst.SimpleWhitespace("")
    new = cst.Param(cst.Name(name), default=default, equal=cst.AssignEqual(plain, plain))
    if isinstance(head.params.star_arg, cst.Param):
        rest = [*head.params.kwonly_params, new]
        return head.with_changes(params=head.params.with_changes(kwonly_params=rest))
    longer = with_parameter(head, name)
    *others, last = longer.params.params
    last = last.with_changes(default=default, equal=cst.AssignEqual(plain, plain))
    return longer.with_changes(params=longer.params.with_changes(params=[*others, last]))
