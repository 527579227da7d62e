"""Operators whose kernels run subgraphs. Each traced loop or branch is an operator with its own gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.control_flow.subgraph import Subgraph, added, zeros_for
from hybridlint.runtime.imperative import Raw
from hybridlint.runtime.registry import Facts, Operator
from hybridlint.runtime.types import InferError, TensorType

#: What a kernel keeps of the generator's state, so that its gradient draws the same numbers again.
_STATE = TensorType((6,), "int64")


def save_generator(rng: np.random.Generator) -> Raw:
    """Return the state of a generator as an array."""
    state: Any = rng.bit_generator.state
    inner = state["state"]
    low = (1 << 64) - 1
    words = [inner["state"] >> 64, inner["state"] & low, inner["inc"] >> 64, inner["inc"] & low]
    return np.array([*words, state["has_uint32"], state["uinteger"]], dtype=np.uint64).view(np.int64)


def restored_generator(saved: Raw) -> np.random.Generator:
    """Return a generator in a saved state."""
    words = [int(w) for w in saved.view(np.uint64)]
    generator = np.random.default_rng(0)
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": words[0] << 64 | words[1], "inc": words[2] << 64 | words[3]},
        "has_uint32": words[4],
        "uinteger": words[5],
    }
    return generator


def make_operator(
    name: str,
    *,
    outputs: int,
    infer: Callable[..., tuple[TensorType, ...]],
    forward: Callable[[Sequence[Raw], bool, Any], list[Raw]],
    backward: Callable[[Sequence[Raw], Sequence[Raw], bool, Any], list[Raw | None]],
    complete: Callable[..., tuple[TensorType | None, ...]] | None = None,
) -> Operator:
    """Return an operator with `outputs` visible outputs.

    forward   ``(inputs, training, rng) -> outputs``
    backward  ``(inputs, heads, training, rng) -> one gradient or None for each input``; it gets a generator in the
              state that forward found, so that what it computes again is what was computed.
    """

    def kernel(xp: Any, /, *data: Any, training: bool, rng: Any) -> tuple[Any, ...]:
        saved = save_generator(rng)
        return (*forward(data, training, rng), saved)

    def infer_all(*ins: TensorType) -> tuple[TensorType, ...]:
        return (*infer(*ins), _STATE)

    def gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        heads = (g,) if outputs == 1 else tuple(g)
        found = F.call(_gradient_operator(name, outputs, len(ins), backward), (*heads, *ins, outs[outputs]), {})
        return (found,) if len(ins) == 1 else tuple(found)

    return _operator(
        name,
        kernel,
        infer_all,
        outputs=outputs + 1,
        visible=outputs,
        grad=gradient,
        complete=complete,
        reserved=frozenset({"training", "rng"}),
    )


def _gradient_operator(
    name: str,
    outputs: int,
    count: int,
    backward: Callable[[Sequence[Raw], Sequence[Raw], bool, Any], list[Raw | None]],
) -> Operator:
    def kernel(xp: Any, /, *data: Any, training: bool) -> Any:
        heads, ins, saved = data[:outputs], data[outputs:-1], data[-1]
        found = backward(ins, heads, training, restored_generator(saved))
        gradients = tuple(zeros_for(gradient, x) for gradient, x in zip(found, ins, strict=True))
        return gradients if count > 1 else gradients[0]

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        return ins[outputs:-1]

    return _operator(f"{name}_backward", kernel, infer, outputs=count, visible=count, reserved=frozenset({"training"}))


def _operator(
    name: str,
    kernel: Callable[..., Any],
    infer: Callable[..., Any],
    *,
    outputs: int,
    visible: int,
    reserved: frozenset[str],
    grad: Callable[..., Any] | None = None,
    complete: Callable[..., Any] | None = None,
) -> Operator:
    return Operator(
        name=name,
        kernel=kernel,
        infer=infer,
        grad=grad,
        doc="Run a subgraph.",
        inputs=("data",),
        optional_inputs=(),
        variadic=True,
        params={},
        reserved=reserved,
        samples=(),
        facts=Facts(),
        aliases=(),
        aux=(),
        outputs=lambda params: outputs,
        visible=lambda params: visible,
        active_inputs=lambda params: ("data",),
        complete=complete,
        update_aux=None,
        accepted={role: frozenset() for role in ("infer", "grad", "complete", "kernel", "update_aux")},
    )


def foreach_operator(body: Subgraph, data: int, states: int) -> Operator:
    """Return the operator of a loop over slices.

    Its inputs, and the body's, are `data` arrays, `states` states and whatever else the body uses; the body returns the
    outputs of a step, then the states.
    """
    outputs = body.outputs - states

    def sliced(ins: Sequence[TensorType]) -> list[TensorType]:
        found = []
        for k, t in enumerate(ins):
            if k < data and t.shape is not None:
                if not t.shape:
                    raise InferError("data", "a loop needs a dimension to go over")
                found.append(t.with_shape(t.shape[1:] or (1,)))
            else:
                found.append(t)
        return found

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        _, outs = body.infer(sliced(ins))
        length = next((t.shape[0] for t in ins[:data] if t.shape), None)
        stacked = [
            t.with_shape(None if length is None or t.shape is None else (length, *t.shape)) for t in outs[:outputs]
        ]
        return (*stacked, *outs[outputs:])

    def complete(*ins: TensorType) -> tuple[TensorType | None, ...]:
        refined, outs = body.infer(sliced(ins))
        found: list[TensorType | None] = [None] * data
        for before, after in zip(refined[data : data + states], outs[outputs:], strict=True):
            found.append(after if before.shape is None and after.shape is not None else before)
        return (*found, *refined[data + states :])

    def forward(ins: Sequence[Raw], training: bool, rng: Any) -> list[Raw]:
        rows: list[tuple[Raw, ...]] = []
        carried = tuple(ins[data : data + states])
        for k in range(ins[0].shape[0]):
            step = [*(_row(x, k) for x in ins[:data]), *carried, *ins[data + states :]]
            results = body.run(step, training=training, rng=rng)
            rows.append(results[:outputs])
            carried = results[outputs:]
        return [*(np.stack(column) for column in zip(*rows, strict=True)), *carried]

    def backward(ins: Sequence[Raw], heads: Sequence[Raw], training: bool, rng: Any) -> list[Raw | None]:
        steps = _recorded_steps(ins, training, rng)
        gradients: list[Raw | None] = [np.zeros_like(x) if x.dtype.kind == "f" else None for x in ins[:data]]
        carried: list[Raw | None] = list(heads[outputs:])
        rest: list[Raw | None] = [None] * (len(ins) - data - states)
        for k in reversed(range(len(steps))):
            step, residuals, results = steps[k]
            state_heads = [zeros_for(g, r) for g, r in zip(carried, results[outputs:], strict=True)]
            found = body.pull(step, residuals, [*(h[k] for h in heads[:outputs]), *state_heads], training=training)
            for place, gradient in zip(gradients, found[:data], strict=True):
                if place is not None and gradient is not None:
                    place[k] = gradient.reshape(place.shape[1:])
            carried = found[data : data + states]
            rest = [added(total, more) for total, more in zip(rest, found[data + states :], strict=True)]
        return [*gradients, *carried, *rest]

    def _recorded_steps(ins: Sequence[Raw], training: bool, rng: Any) -> list[Any]:
        steps = []
        carried = tuple(ins[data : data + states])
        for k in range(ins[0].shape[0]):
            step = [*(_row(x, k) for x in ins[:data]), *carried, *ins[data + states :]]
            results, residuals = body.run_recorded(step, training=training, rng=rng)
            steps.append((step, residuals, results))
            carried = results[outputs:]
        return steps

    return make_operator(
        "_foreach", outputs=body.outputs, infer=infer, complete=complete, forward=forward, backward=backward
    )


def while_operator(cond: Subgraph, func: Subgraph, variables: int, limit: int) -> Operator:
    """Return the operator of a loop with a condition.

    Its inputs, and those of both subgraphs, are the loop variables and whatever else they use; `func` returns the
    outputs of a step, then the variables. Rows after the last step are zeros.
    """
    outputs = func.outputs - variables

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        _, outs = func.infer(ins)
        stacked = [t.with_shape(None if t.shape is None else (limit, *t.shape)) for t in outs[:outputs]]
        return (*stacked, *outs[outputs:])

    def complete(*ins: TensorType) -> tuple[TensorType | None, ...]:
        refined, _ = func.infer(ins)
        return tuple(refined)

    def goes_on(carried: Sequence[Raw], rest: Sequence[Raw], training: bool, rng: Any) -> bool:
        (answer,) = cond.run([*carried, *rest], training=training, rng=rng)
        return _truth(answer)

    def forward(ins: Sequence[Raw], training: bool, rng: Any) -> list[Raw]:
        carried, rest = tuple(ins[:variables]), ins[variables:]
        rows: list[tuple[Raw, ...]] = []
        while len(rows) < limit and goes_on(carried, rest, training, rng):
            results = func.run([*carried, *rest], training=training, rng=rng)
            rows.append(results[:outputs])
            carried = results[outputs:]
        if not rows and outputs:
            raise ValueError("a traced while_loop without a single step has no outputs")
        return [*(_padded(column, limit) for column in zip(*rows, strict=True)), *(x.copy() for x in carried)]

    def backward(ins: Sequence[Raw], heads: Sequence[Raw], training: bool, rng: Any) -> list[Raw | None]:
        carried, rest_inputs = tuple(ins[:variables]), ins[variables:]
        steps: list[Any] = []
        while len(steps) < limit and goes_on(carried, rest_inputs, training, rng):
            step = [*carried, *rest_inputs]
            results, residuals = func.run_recorded(step, training=training, rng=rng)
            steps.append((step, residuals, results))
            carried = results[outputs:]
        gradients: list[Raw | None] = list(heads[outputs:])
        rest: list[Raw | None] = [None] * len(rest_inputs)
        for k in reversed(range(len(steps))):
            step, residuals, results = steps[k]
            variable_heads = [zeros_for(g, r) for g, r in zip(gradients, results[outputs:], strict=True)]
            found = func.pull(step, residuals, [*(h[k] for h in heads[:outputs]), *variable_heads], training=training)
            gradients = found[:variables]
            rest = [added(total, more) for total, more in zip(rest, found[variables:], strict=True)]
        return [*gradients, *rest]

    return make_operator(
        "_while_loop", outputs=func.outputs, infer=infer, complete=complete, forward=forward, backward=backward
    )


def cond_operator(then_branch: Subgraph, else_branch: Subgraph) -> Operator:
    """Return the operator of a branch. Its first input decides; the others are what the branches use."""

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        _, first = then_branch.infer(ins[1:])
        _, second = else_branch.infer(ins[1:])
        return tuple(a if a.shape is not None else b for a, b in zip(first, second, strict=True))

    def complete(*ins: TensorType) -> tuple[TensorType | None, ...]:
        first, _ = then_branch.infer(ins[1:])
        second, _ = else_branch.infer(ins[1:])
        return (None, *(a if a.known else b for a, b in zip(first, second, strict=True)))

    def chosen(ins: Sequence[Raw]) -> Subgraph:
        return then_branch if _truth(ins[0]) else else_branch

    def forward(ins: Sequence[Raw], training: bool, rng: Any) -> list[Raw]:
        return list(chosen(ins).run(ins[1:], training=training, rng=rng))

    def backward(ins: Sequence[Raw], heads: Sequence[Raw], training: bool, rng: Any) -> list[Raw | None]:
        branch = chosen(ins)
        _, residuals = branch.run_recorded(ins[1:], training=training, rng=rng)
        return [None, *branch.pull(ins[1:], residuals, heads, training=training)]

    return make_operator(
        "_cond", outputs=then_branch.outputs, infer=infer, complete=complete, forward=forward, backward=backward
    )


def _row(array: Raw, k: int) -> Raw:
    """Return a slice; of a vector one of shape (1,), for legacy arrays have no scalars."""
    row = np.asarray(array[k])
    return row if row.ndim else row.reshape(1)


def _truth(answer: Raw) -> bool:
    if answer.size != 1:
        raise ValueError(f"a condition is one number, not an array of shape {answer.shape}")
    return bool(answer.ravel()[0])


def _padded(column: Sequence[Raw], limit: int) -> Raw:
    stacked = np.zeros((limit, *column[0].shape), column[0].dtype)
    stacked[: len(column)] = column
    return stacked
