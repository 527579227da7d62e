"""Functions inside the methods of a block that it hands to hybrid children: they run at the trace of these."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import ClassRef, External
from hybridlint.analysis.mxnet.entries.passed_functions import functions_at
from hybridlint.text.syntax import each, is_dotted, walk

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo

#: The layer that makes a block of a function.
LAMBDA = "HybridLambda"


def traced_closures(info: ClassInfo) -> list[ast.FunctionDef | ast.Lambda]:
    """Return the functions that the methods of a class hand to the hybrid blocks which they build."""
    module, found = info.module, list[ast.FunctionDef | ast.Lambda]()
    for method in info.methods.values():
        building = [call for call in each(method, ast.Call) if _builds_hybrid(info, call)]
        inside = {id(node) for node in walk(method)} if building else set()
        for call in building:
            for given in (*call.args, *(keyword.value for keyword in call.keywords)):
                functions = (*functions_at(module, call, given), *_own_method(info, given))
                found += [one for one in functions if one not in found and (id(one) in inside or _is_own(info, one))]
    return found


def _builds_hybrid(info: ClassInfo, call: ast.Call) -> bool:
    if not is_dotted(call.func):
        return False
    match info.module.expression(call.func):
        case ClassRef(info=made):
            return made.hybrid
        case External(name=name):
            return name.endswith(f".{LAMBDA}")
        case _:
            return False


def _own_method(info: ClassInfo, given: ast.expr) -> Iterator[ast.FunctionDef]:
    """Yield the method of the class that an expression names, ``self.scale``."""
    match given:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in info.methods:
            yield info.methods[name]
        case _:
            return


def _is_own(info: ClassInfo, function: ast.FunctionDef | ast.Lambda) -> bool:
    return isinstance(function, ast.FunctionDef) and info.methods.get(function.name) is function
