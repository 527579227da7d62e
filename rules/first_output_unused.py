"""Another output than the first of an operator, which is computed for the first.

`F.moments`, `F.np.linalg.eigh`, and `F.LayerNorm`, `F.GroupNorm` and `F.npx.layer_norm` with `output_mean_var=True`,
fill their other outputs on the way to the first. Where no part of a graph needs the first, memory that nothing has
written to is returned. Nothing is raised.

Measured:

    return F.moments(x, axes=(0, 1))[1]

    >>> x = [[1, 2, 3], [4, 5, 7]]
    >>> eager(x)
    [3.889]
    >>> hybridized(x) == eager(x)
    False

Bad:

    return F.LayerNorm(x, gamma, beta, output_mean_var=True)[1]  # HYB213

Good:

    return F.mean(x, axis=-1, keepdims=True)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.describe import snippet
from hybridlint.analysis.events import OpCall, Subscript
from hybridlint.analysis.values import Mode, Outputs, Static, Value
from hybridlint.fixers.names import parent_of
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB213", summary="output that is only written beside the first")

_WRITTEN_BESIDE = frozenset({"moments", "LayerNorm", "GroupNorm", "layer_norm", "eigh"})
_OUTPUTS = 3


@rule.on(Subscript)
def check(event: Subscript) -> Iterator[Finding]:
    """Report outputs taken from a call, whose first output nobody else can use."""
    if not isinstance(event.value, Outputs) or event.value.operator not in _WRITTEN_BESIDE:
        return
    if not isinstance(event.node, ast.Subscript) or not isinstance(event.node.value, ast.Call):
        return
    if _leaves_first(event.key_values[0], event.value.mode):
        yield _finding(event)


@rule.on(OpCall)
def check_unpacked(event: OpCall) -> Iterator[Finding]:
    """Report calls whose outputs are unpacked into names, the first of which nobody reads."""
    if event.name not in _WRITTEN_BESIDE or not isinstance(event.result, Outputs) or event.frame.function is None:
        return
    match parent_of(event.frame, event.node):
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=first), *_])]) if not _is_read(
            event.frame.function, first
        ):
            yield _finding(event)


def _finding(event: Subscript | OpCall) -> Finding:
    return rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} is computed on the way to the first output, which the graph does not "
        "need: it is never written once hybridized",
        help="Compute it by itself, as F.mean of the input, or let the graph use the first output too.",
    )


def _is_read(function: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(function))


def _leaves_first(key: Value, mode: Mode) -> bool:
    """Whether a key selects outputs without the first; legacy Symbols refuse to count from the end."""
    match key:
        case Static(value=bool()):
            return False
        case Static(value=int() as index):
            return index > 0 or (mode == "np" and index % _OUTPUTS > 0)
        case Static(value=slice() as cut):
            chosen = range(_OUTPUTS)[cut]
            return bool(chosen) and 0 not in chosen and (mode == "np" or chosen.step > 0)
        case _:
            return False
