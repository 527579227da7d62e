"""Fixers of parameters that a block makes: they are made so that ``collect_params`` lists them."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import UnlistedParameter
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each

_METHODS = {"Parameter": "get", "Constant": "get_constant"}


def listed_parameter(event: UnlistedParameter) -> Fix | None:
    """Write ``self.w = gluon.Parameter("w", shape=s)`` as ``self.w = self.params.get("w", shape=s)``.

    None if settings are passed by position, which ``get`` takes by name alone. It is unsafe: the parameter's full name
    begins with the block's, and a Trainer trains it from now on.
    """
    frame, call = event.frame, event.node
    if not isinstance(call, ast.Call):
        return None
    path = dotted_parts(call.func)
    method = None if path is None else _METHODS.get(path[-1])
    owner = next((n.targets[0] for n in each(frame.source.tree, ast.Assign) if n.value is call), None)
    if method is None or not isinstance(owner, ast.Attribute) or not isinstance(owner.value, ast.Name):
        return None
    by_position = 2 if method == "get_constant" else 1
    named = len(call.args) + sum(keyword.arg == "name" for keyword in call.keywords)
    if not named or len(call.args) > by_position or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if method == "get_constant" and any(keyword.arg not in {"name", "value"} for keyword in call.keywords):
        return None
    new = expression("{block}.params.{method}", block=frame.concrete(owner.value), method=method)
    return rewrite(frame, call.func, new, Applicability.UNSAFE)
