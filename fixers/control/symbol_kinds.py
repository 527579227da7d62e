"""A guard that asks for arrays, made to ask for Symbols too: ``isinstance(x, (nd.NDArray, sym.Symbol))``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, GuardEvent
from hybridlint.fixers.toolkit.imports import symbol_module
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import replace as changed
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import walk

_ARRAY, _SYMBOL = "NDArray", "Symbol"


def also_of_symbols(event: GuardEvent) -> Fix | None:
    """Make the only test for an NDArray in a guard accept Symbols, so that the trace runs the eager branch.

    What that way calls of ``mx.nd`` is for other fixes: without them this one is not applied.
    """
    test = event.node.test if isinstance(event.node, ast.If | ast.IfExp) else event.node
    asked = [call for call in walk(test) if isinstance(call, ast.Call) and _asks_for_arrays(event.frame, call)]
    module = symbol_module(event.frame)
    if len(asked) != 1 or module is None:
        return None
    name, imports = module
    kind = asked[0].args[1]
    parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    template = ", ".join([*(f"{{kind{place}}}" for place in range(len(parts))), f"{name}.{_SYMBOL}"])
    kinds = {f"kind{place}": event.frame.concrete(part) for place, part in enumerate(parts)}
    new = expression(f"({template})", **kinds)
    fix = rewrite(event.frame, kind, new, Applicability.UNSAFE, message="Let Symbols pass too", imports=imports)
    return None if fix is None else changed(fix, kind=FixKind.STEP)


def _asks_for_arrays(frame: CodeContext, call: ast.Call) -> bool:
    """Return whether a call is ``isinstance(x, NDArray)`` in code without numpy mode, perhaps with other classes."""
    match call:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]) if frame.mode != "np":
            parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
            names = {path[-1] for path in map(dotted_parts, parts) if path is not None}
            return _ARRAY in names and _SYMBOL not in names
        case _:
            return False
