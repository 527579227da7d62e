"""Loops and branches of ``mx.nd.contrib``: plain Python over recorded operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.control_flow.nesting import flatten, regroup
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.ndarray.ndarray import NDArray


def foreach(body: Callable[[Any, Any], tuple[Any, Any]], data: Any, init_states: Any) -> tuple[Any, Any]:
    """Run ``body(data slice, states) -> (outputs, states)`` over the first dimension; stack the outputs.

    `data` and `init_states` are arrays or nested lists. Raises AssertionError for anything else.
    """
    flat, form = flatten(data, NDArray, "foreach input")
    flatten(init_states, NDArray, "foreach states")
    states = init_states
    rows: list[list[NDArray]] = []
    out_form: Any = None
    for k in range(len(flat[0])):
        outputs, states = body(regroup([array[k] for array in flat], form), states)
        row, out_form = flatten(outputs, NDArray, "foreach output")
        rows.append(row)
    return regroup([_stack(list(column)) for column in zip(*rows, strict=True)], out_form), states


def while_loop(
    cond: Callable[..., Any], func: Callable[..., Any], loop_vars: Any, max_iterations: int | None = None
) -> tuple[Any, Any]:
    """Run ``func(*loop_vars) -> (outputs, loop_vars)`` while ``cond(*loop_vars)`` is true; stack the outputs.

    Rows after the last step are zeros (in MXNet, uninitialized memory). Without a step the outputs are []. Raises
    ValueError without `max_iterations`, without loop variables, and if their number changes.
    """
    if max_iterations is None:
        raise ValueError("max_iterations should be specified")
    max_iterations = int(max_iterations)
    flat, form = flatten(loop_vars, NDArray, "while_loop loop_vars")
    if not flat:
        raise ValueError("loop_vars should contain at least one element")
    variables = loop_vars
    rows: list[list[NDArray]] = []
    out_form: Any = []
    while len(rows) < max_iterations and _is_true(cond(*_listed(variables))):
        outputs, variables = func(*_listed(variables))
        outputs, variables = [] if outputs is None else outputs, [] if variables is None else variables
        row, out_form = flatten(outputs, NDArray, "while_loop output")
        after, _ = flatten(variables, NDArray, "while_loop loop_vars")
        if len(after) != len(flat):
            raise ValueError("The length of loop_vars should be consistent during the loop")
        if rows and len(row) != len(rows[0]):
            raise ValueError("The length of outputs should be consistent during the loop")
        rows.append(row)
        variables = regroup(after, form)
    if not rows:
        return [], variables
    stacked = [_padded(list(column), max_iterations) for column in zip(*rows, strict=True)]
    return regroup(stacked, out_form), variables


def cond(pred: NDArray, then_func: Callable[[], Any], else_func: Callable[[], Any]) -> Any:
    """Return the result of one of two functions, depending on `pred`. Raises ValueError if it is not a scalar."""
    return then_func() if _is_true(pred) else else_func()


def _is_true(value: Any) -> bool:
    return bool(value.asscalar()) if isinstance(value, NDArray) else bool(value)


def _listed(variables: Any) -> Any:
    return variables if isinstance(variables, (list, tuple)) else [variables]


def _stack(column: list[NDArray]) -> NDArray:
    op = registry.get("stack")
    return invoke(op, column, normalize(op, {"axis": 0}))  # type: ignore[no-any-return]


def _padded(column: list[NDArray], length: int) -> NDArray:
    missing = length - len(column)
    filler = column[0]._filled(0)
    return _stack(column + [filler] * missing)
