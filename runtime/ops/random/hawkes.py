"""The log likelihood of a marked Hawkes process with exponential decay, whose events excite further events."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.infer import unify_dims, unify_shapes
from hybridlint.runtime.facts.registry import Facts, Refusal, op, sample
from hybridlint.runtime.facts.types import Shape, TensorType

#: N examples, K kinds of events, T events.
_SHAPES = {
    "lda": "NK",
    "alpha": "K",
    "beta": "K",
    "state": "NK",
    "lags": "NT",
    "marks": "NT",
    "valid_length": "N",
    "max_time": "N",
}


def _complete(*ins: TensorType) -> tuple[TensorType, ...]:
    """Complete the shapes of the inputs from the sizes N, K and T that they share. Raises InferError on conflict."""
    sizes: dict[str, Any] = {letter: Dim.fresh() for letter in "NKT"}
    for t, letters in zip(ins, _SHAPES.values(), strict=True):
        if t.shape is not None and len(t.shape) == len(letters):
            sizes.update({n: unify_dims(sizes[n], d) for n, d in zip(letters, t.shape, strict=True)})
    wanted: list[Shape] = [tuple(sizes[n] for n in letters) for letters in _SHAPES.values()]
    rows = zip(ins, wanted, _SHAPES, strict=True)
    return tuple(t.with_shape(unify_shapes(shape, t.shape, name)) for t, shape, name in rows)


def _infer(*ins: TensorType) -> tuple[TensorType, TensorType]:
    rates = _complete(*ins)[0]
    assert rates.shape is not None
    return rates.with_shape(rates.shape[:1]), rates


def _walk(
    xp: Any, lda: Any, alpha: Any, beta: Any, state: Any, lags: Any, marks: Any, valid_length: Any, max_time: Any
) -> tuple[Any, Any, tuple[Any, Any, Any, Any]]:
    """Return log likelihoods (N,), final states (N, K), and four derivatives (N, K).

    These are the derivatives of the log likelihood along the rates, alpha and beta, and that of the states along beta.
    """
    lda, alpha, beta, state = (array.astype("float64") for array in (lda, alpha, beta, state))
    rows, shape = xp.arange(len(lda)), lda.shape
    result, last, drift, time = xp.zeros(len(lda)), xp.zeros(shape), xp.zeros(shape), xp.zeros(len(lda))
    slopes = (xp.zeros(shape), xp.zeros(shape), xp.zeros(shape))

    def wait(at: Any, gap: Any) -> Any:
        """Subtract the expected number of events since each mark's last event, and decay the marks' states."""
        decay = xp.exp(-beta[at[1]] * gap)
        xp.subtract.at(result, at[0], lda[at] * gap + alpha[at[1]] * state[at] * (1 - decay))
        slopes[0][at] -= gap
        slopes[1][at] -= state[at] * (1 - decay)
        slopes[2][at] -= alpha[at[1]] * (drift[at] * (1 - decay) + state[at] * gap * decay)
        drift[at] = (drift[at] - state[at] * gap) * decay
        state[at] *= decay

    for step in range(lags.shape[1]):
        valid = step < valid_length
        at = (rows[valid], marks[valid, step].astype("int64"))
        time = time + lags[:, step] * valid
        wait(at, time[valid] - last[at])
        kind = at[1]
        intensity = lda[at] + alpha[kind] * beta[kind] * state[at]
        result[valid] += xp.log(intensity)
        slopes[0][at] += 1 / intensity
        slopes[1][at] += beta[kind] * state[at] / intensity
        slopes[2][at] += alpha[kind] * (state[at] + beta[kind] * drift[at]) / intensity
        state[at] += 1
        last[at] = time[valid]
    for kind in range(shape[1]):
        at = (rows, xp.full(len(rows), kind))
        wait(at, max_time - last[at])
    return result, state, (*slopes, drift)


_REFUSED = Refusal("hawkesll gives a gradient to rates, alpha and beta only")
_SAMPLES: Any = {"low": 0.6, "high": 1.4, "dtypes": (*("float32",) * 5, "int32", "float32", "float32")}


@op(
    name="_contrib_hawkesll",
    facts=Facts(output_names=("output", "out_state")),
    infer=_infer,
    complete=_complete,
    outputs=2,
    grad=lambda F, g, ins, outs: (*F._hl_hawkes_grad(*g, *ins), *[_REFUSED] * 5),
    samples=[sample((2, 3), (3,), (3,), (2, 3), (2, 4), (2, 4), (2,), (2,), **_SAMPLES)],
)
def hawkesll(
    xp: Any, lda: Any, alpha: Any, beta: Any, state: Any, lags: Any, marks: Any, valid_length: Any, max_time: Any, /
) -> tuple[Any, Any]:
    """Return the log likelihood (N,) of events with K marks in N examples, and each mark's final state (N, K).

    `lda` (N, K) are the background rates, `alpha` (K,) how much an event excites its own mark, `beta` (K,) the rates of
    decay, and `state` (N, K) the initial states. `lags` (N, T) are the times between events, `marks` (N, T) their
    marks, `valid_length` (N,) the numbers of events, and `max_time` (N,) the ends of the observation.
    """
    result, states, _ = _walk(xp, lda, alpha, beta, state, lags, marks, valid_length, max_time)
    return result.astype(lda.dtype), states.astype(lda.dtype)


@op(
    infer=lambda g, g_state, lda, alpha, beta, *others: (lda, alpha, beta),
    outputs=3,
    samples=[
        sample(
            (2,),
            (2, 3),
            (2, 3),
            (3,),
            (3,),
            (2, 3),
            (2, 4),
            (2, 4),
            (2,),
            (2,),
            low=0.6,
            high=1.4,
            dtypes=(*("float32",) * 7, "int32", "float32", "float32"),
        )
    ],
)
def _hl_hawkes_grad(
    xp: Any,
    g: Any,
    g_state: Any,
    lda: Any,
    alpha: Any,
    beta: Any,
    state: Any,
    lags: Any,
    marks: Any,
    valid_length: Any,
    max_time: Any,
    /,
) -> tuple[Any, Any, Any]:
    """Return the gradients with respect to hawkesll's rates (N, K), alpha (K,) and beta (K,).

    `g` and `g_state` are the gradients of the log likelihoods and of the final states; of the three, only beta affects
    the states. As in MXNet, the other inputs, the initial states among them, have no gradient.
    """
    _, _, (*slopes, drift) = _walk(xp, lda, alpha, beta, state, lags, marks, valid_length, max_time)
    heads = [slope * g[:, None] for slope in slopes]
    heads[2] = heads[2] + drift * g_state
    return heads[0].astype(lda.dtype), heads[1].sum(axis=0).astype(lda.dtype), heads[2].sum(axis=0).astype(lda.dtype)
