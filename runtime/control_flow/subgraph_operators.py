"""Operators whose kernels run subgraphs: one for each traced loop or branch, with its own gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.control_flow.subgraph import zeros_for
from hybridlint.runtime.core.imperative import Raw
from hybridlint.runtime.facts.registry import Facts, Operator
from hybridlint.runtime.facts.types import TensorType

#: The saved generator state, which lets the gradient repeat the same draws.
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
    facts: Facts | None = None,
) -> Operator:
    """Return an operator with `outputs` visible outputs.

    forward   ``(inputs, training, rng) -> outputs``
    backward  ``(inputs, heads, training, rng) -> one gradient or None per input``; its generator has the state
              that forward started from, so that it recomputes the same values.
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

    return operator_with_subgraph(
        name,
        kernel,
        infer_all,
        outputs=outputs + 1,
        visible=outputs,
        grad=gradient,
        complete=complete,
        facts=facts,
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

    return operator_with_subgraph(
        f"{name}_backward", kernel, infer, outputs=count, visible=count, reserved=frozenset({"training"})
    )


def operator_with_subgraph(
    name: str,
    kernel: Callable[..., Any],
    infer: Callable[..., Any],
    *,
    outputs: int,
    visible: int,
    reserved: frozenset[str],
    grad: Callable[..., Any] | None = None,
    complete: Callable[..., Any] | None = None,
    facts: Facts | None = None,
    inputs: tuple[str, ...] = (),
    aux: tuple[str, ...] = (),
) -> Operator:
    """Return an operator of these inputs, or of any number, of which `visible` of `outputs` results are seen."""
    return Operator(
        name=name,
        kernel=kernel,
        infer=infer,
        grad=grad,
        doc="Run a subgraph.",
        inputs=inputs or ("data",),
        optional_inputs=(),
        variadic=not inputs,
        params={},
        reserved=reserved,
        samples=(),
        facts=facts or Facts(),
        aliases=(),
        aux=aux,
        outputs=lambda params: outputs,
        visible=lambda params: visible,
        active_inputs=lambda params: inputs or ("data",),
        complete=complete,
        update_aux=None,
        host="what a graph inside a graph computes is compiled for main memory",
        accepted={role: frozenset() for role in ("infer", "grad", "complete", "kernel", "update_aux")},
    )


def is_true(answer: Raw) -> bool:
    """Return whether a condition is true. Raises ValueError if it has more than one element."""
    if answer.size != 1:
        raise ValueError(f"a condition is one number, not an array of shape {answer.shape}")
    return bool(answer.ravel()[0])
