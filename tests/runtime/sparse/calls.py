"""Calls on arrays in sparse storage, and what is recorded of their results. Runs on MXNet's Python 3.8 too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

#: A line is an expression; ``let`` before it keeps the result under a name.
CALLS = (Path(__file__).parent / "calls.txt").read_text(encoding="utf-8").splitlines()


def names(mx: Any, np: Any) -> dict[str, Any]:
    """Return what the calls may use: a dense matrix `a` with a row of zeros, and the same stored sparsely."""
    a = mx.nd.array(np.array([[0, 1], [0, 0], [2, 3]], "float32"))
    known = {"mx": mx, "nd": mx.nd, "np": np, "a": a, "c": a.tostype("csr"), "r": a.tostype("row_sparse")}
    known["recorded"] = lambda function: recorded(mx, function)
    return known


def recorded(mx: Any, function: Any) -> Any:
    """Compute a result and its gradients, and return the result."""
    with mx.autograd.record():
        result = function()
    result.backward()
    return result


def answer(mx: Any, call: str, known: dict[str, Any]) -> Any:
    """Return what a call gives, as JSON can hold it."""
    try:
        if call.startswith("let "):
            name, _, expression = call[4:].partition(" = ")
            known[name] = result = eval(expression, known)
        else:
            result = eval(call, known)
        mx.nd.waitall()
        return described(mx, result)
    except Exception as error:
        return {"error": type(error).__name__}


def described(mx: Any, value: Any) -> Any:
    """Return an array as its storage, elements and places; anything else as text."""
    if isinstance(value, mx.nd.sparse.CSRNDArray):
        return {"csr": dense(value), "places": places(value)}
    if isinstance(value, mx.nd.sparse.RowSparseNDArray):
        return {"row_sparse": dense(value), "rows": value.indices.asnumpy().tolist()}
    if isinstance(value, mx.nd.NDArray):
        return {"default": dense(value)}
    return {"value": str(value)}


def dense(array: Any) -> Any:
    """Return dtype and elements."""
    return [array.dtype.__name__, array.asnumpy().tolist()]


def places(array: Any) -> list[list[int]]:
    """Return the sorted columns of each row: MXNet leaves their order open, and what lies beyond the last row."""
    starts, columns = array.indptr.asnumpy().tolist(), array.indices.asnumpy().tolist()
    return [sorted(columns[begin:end]) for begin, end in zip(starts, starts[1:])]  # noqa: B905, RUF007  (Python 3.8)


def fallbacks(printed: str) -> list[str]:
    """Return what was said of operators that have no kernel for a storage: operator, storage of inputs and results."""
    lines = printed.splitlines()
    found = [lines[k : k + 3] for k, line in enumerate(lines) if line.startswith("operator = ")]
    texts = {" ".join(part.partition(" = ")[2] for part in three) for three in found}
    # Gradients run operators of other names on MXNet, and add_n where several meet.
    return sorted(text for text in texts if not text.startswith(("_backward", "add_n [default, default, ]")))
