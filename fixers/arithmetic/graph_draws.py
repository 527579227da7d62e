"""The fixer of numbers that Python or numpy draws: the graph draws them, anew at each call."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, TraceConstant
from hybridlint.fixers.arithmetic.number_flows import numbers_as_tensors
from hybridlint.fixers.arithmetic.python_draws import PythonDraw, draw_of
from hybridlint.fixers.evidence.moving_statistics import may_update_statistics
from hybridlint.fixers.evidence.settings import with_settings
from hybridlint.fixers.toolkit.names import ARRAYS, dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix, FixKind

_MESSAGE = "Draw in the graph, by the seed of MXNet and, eagerly, on the current device"


def drawn_in_graph(event: TraceConstant) -> Fix | None:
    """Write ``x * random.uniform(a, b)`` as ``F.broadcast_mul(x, F.random.uniform(low=a, high=b, shape=(1,)))``.

    An array of such numbers, ``nd.array(np.random.normal(size=x.shape))``, is ``F.random.normal(shape=x.shape)``.
    Unsafe: the numbers follow the seed of MXNet.
    """
    frame, node = event.frame, event.node
    if frame.functions is None or frame.mode != "legacy" or not isinstance(node, ast.Call):
        return None
    draw = draw_of(frame, node)
    if draw is None:
        return None
    if draw.shape is None:
        return numbers_as_tensors(event) or _tested(frame, node, draw)
    inner = with_settings(frame, node)
    array = _array_around(frame, inner)
    if array is None:
        return None
    new = draw.written(frame)
    new = new if inner is node else concrete_with(frame, inner, {node: new})
    return rewrite(frame, array, new, Applicability.UNSAFE, message=_MESSAGE)


def _tested(frame: CodeContext, node: ast.Call, draw: PythonDraw) -> Fix | None:
    """Draw the number that an ``if`` compares with settings as a tensor: a graph then chooses between both results.

    It is a step: a tensor has no truth value in a graph either, but there the code of the ``if`` can be rewritten.
    None where a layer may keep moving statistics: the graph computes both results, and would update them in each call.
    """
    compared = with_settings(frame, node)
    if may_update_statistics(frame):
        return None
    if not isinstance(compared, ast.Compare) or not isinstance(parent_of(frame, compared), ast.If | ast.IfExp):
        return None
    new = rewrite(frame, node, draw.written(frame), Applicability.UNSAFE, message=_MESSAGE)
    return None if new is None else replace(new, kind=FixKind.STEP)


def _array_around(frame: CodeContext, node: ast.expr) -> ast.Call | None:
    """Return ``nd.array(...)`` around an array of numpy, in single precision; None without one."""
    match parent_of(frame, node):
        case ast.Call(func=function, args=[_], keywords=keywords) as call:
            path = dotted_parts(function) or ("",)
            made = path[-1] == "array" and (path[:-1] in ARRAYS or path[:-1] == (frame.functions,))
            return call if made and all(keyword.arg == "ctx" for keyword in keywords) else None
    return None
