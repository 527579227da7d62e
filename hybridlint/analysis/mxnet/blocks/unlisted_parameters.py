"""Parameters that a block hands to its traced method and that its ``collect_params`` does not list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hybridlint.analysis.project.instances import Instance
from hybridlint.analysis.project.program import ClassInfo
from hybridlint.text.parameters import names_of

#: Code that may put a parameter among those that are listed.
_LISTING = re.compile(r"\bparams\.update\b|\b_params\b|\bdef (?:collect_params|params)\b")


def unlisted_parameters(info: ClassInfo, instance: Instance, method: ast.FunctionDef) -> Iterator[tuple[str, ast.Call]]:
    """Yield the attributes of a class that hold parameters which it makes itself, with the calls that make them.

    A graph finds its parameters among those that ``collect_params`` lists, and an eager call among the attributes. In
    numpy mode nothing is yielded: such code is often written for MXNet 2, which lists attributes.
    """
    if info.mode != "legacy" or any(each.module.has_match(_LISTING) for each in info.lineage):
        return
    taken = {*names_of(method.args)}
    for name, parameter in instance.parameters.items():
        stored = instance.declarations.get(name)
        call = getattr(stored, "value", None)
        if parameter.apart and name in taken and isinstance(call, ast.Call) and call in ast.walk(info.node):
            yield name, call
