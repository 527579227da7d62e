"""Step: calls of helpers, and of ``forward`` of self or a base class, pass F and the parameters."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.hybridizing.candidates import FUNCTIONS
from hybridlint.hybridizing.plan import Helper
from hybridlint.hybridizing.steps.scope import ConversionScope, functions_argument, is_super, named_argument
from hybridlint.hybridizing.steps.spelling import array_functions


class Calls(ConversionScope):
    """Adds F and parameters to calls: in traced methods the method's own, elsewhere ``nd`` and ``.data()``."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Return a call with the arguments that the called method or function gets in the conversion."""
        match original_node.func:
            case cst.Attribute(value=owner, attr=cst.Name(value=name)) if self.is_this(owner) or is_super(owner):
                return self._method(updated_node, name, of_base=is_super(owner))
            case cst.Name(value=name) if name in self.plan.functions and self.traced:
                return _with(updated_node, [named_argument(FUNCTIONS, cst.Name(FUNCTIONS))])
            case _:
                return updated_node

    def _method(self, call: cst.Call, name: str, *, of_base: bool) -> cst.Call:
        if name == "forward" and self.traced:
            return self._forward(call, of_base=of_base)
        helper = self.plan.helpers.get(self.owner, {}).get(name)
        if helper is None or (helper.last and not self.traced):
            return call
        return self._helper(call, helper)

    def _forward(self, call: cst.Call, *, of_base: bool) -> cst.Call:
        assert isinstance(call.func, cst.Attribute)
        parameters = self.plan.inherited.get(self.owner, ()) if of_base else self.plan.parameters.get(self.owner, ())
        renamed = call.with_changes(func=call.func.with_changes(attr=cst.Name(ENTRY)))
        return _with(_first(renamed), self._passed(parameters))

    def _helper(self, call: cst.Call, helper: Helper) -> cst.Call:
        if helper.last:
            return _with(call, [*self._passed(helper.parameters), named_argument(FUNCTIONS, cst.Name(FUNCTIONS))])
        functions = cst.Name(FUNCTIONS) if self.traced else array_functions(self.plan.module)
        return _with(_first(call, functions), self._passed(helper.parameters))

    def _passed(self, parameters: Iterable[str]) -> list[cst.Arg]:
        return [named_argument(name, cst.Name(name) if self.traced else self._data(name)) for name in parameters]

    def _data(self, name: str) -> cst.BaseExpression:
        data = cst.Call(cst.Attribute(cst.Attribute(cst.Name(self.this), cst.Name(name)), cst.Name("data")))
        if name not in self.plan.optional.get(self.owner, ()):
            return data
        text = cst.SimpleString(f'"{name}"')
        template = "None if getattr({this}, {text}, None) is None else {data}"
        return expression(template, this=self.this, text=text, data=data)


def _first(call: cst.Call, functions: cst.BaseExpression | None = None) -> cst.Call:
    """Return a call with the namespace as its first argument."""
    first = functions_argument() if functions is None else cst.Arg(functions)
    return call.with_changes(args=[first, *call.args])


def _with(call: cst.Call, arguments: Iterable[cst.Arg]) -> cst.Call:
    """Return a call with keyword arguments added, in front of any ``**kwargs``."""
    plain = [argument for argument in call.args if argument.star != "**"]
    rest = [argument for argument in call.args if argument.star == "**"]
    added = list(arguments)
    if not added:
        return call
    if plain and not rest:
        # The old last argument may have a comma and the line's end behind it, which the new last one gets.
        last = plain[-1]
        added[-1] = added[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
        between = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        plain[-1] = last.with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*plain, *added, *rest])
