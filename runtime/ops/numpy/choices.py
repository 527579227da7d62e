"""Random choices in numpy mode: of positions, of outcomes, of an order; and what vectors are drawn with."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import Refusal, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Floats, Ints, TensorType
from hybridlint.runtime.ops.random.distributions import NOT_IN_CUPY

_NUMBER = TensorType(())


@op(
    infer=lambda input1=_NUMBER, input2=_NUMBER, /, *, size: TensorType(size or (), "int64"),
    grad=zero_gradient,
    samples=[sample(a=5, size=(2, 3)), sample(a=5, size=(1,))],
    active_inputs=lambda *, a, weighted: ("input1", "input2")[: (a is None) + weighted],
    host="CuPy's generator has no choice",
)
def _npi_choice(
    xp: Any,
    input1: Any = None,
    input2: Any = None,
    /,
    *,
    a: int | None = None,
    size: Ints | None = None,
    ctx: str = "",
    replace: bool = True,
    weighted: bool = False,
    rng: Any,
) -> Any:
    """Draw indices below `a`, with or without replacement, uniformly or by weights."""
    weights = (input1 if a is not None else input2) if weighted else None
    count = a if a is not None else input1.shape[0]
    chances = None if weights is None else weights.astype("float64") / weights.astype("float64").sum()
    return xp.asarray(rng.choice(count, size or (), replace, chances)).astype("int64")


@op(
    infer=lambda a=_NUMBER, /, *, n, pvals, size: TensorType(
        None
        if pvals is None and a.shape is None
        else (*(size or ()), len(pvals) if pvals is not None else (a.shape or (0,))[-1]),
        "int64",
    ),
    grad=zero_gradient,
    active_inputs=lambda *, pvals: ("a",)[: pvals is None],
    samples=[sample(n=5, pvals=(0.5, 0.5)), sample(n=5, pvals=(0.5, 0.5), size=(3,))],
    host=NOT_IN_CUPY,
)
def _npi_multinomial(
    xp: Any, a: Any = None, /, *, n: int, pvals: Floats | None = None, size: Ints | None = None, rng: Any
) -> Any:
    """Draw the number of times that each outcome occurs in `n` trials."""
    given = a if pvals is None else xp.asarray(pvals, dtype="float64")
    if not len(given):
        return xp.zeros((*(size or ()), 0), "int64")
    if given.sum(axis=-1).max() > 1.0 + 1e-12:
        raise ValueError("sum(pvals[:-1]) > 1.0")
    # In double precision, chances that add up to 1 may be a little more.
    wide = given.astype("float64")
    chances = wide / xp.maximum(wide.sum(axis=-1, keepdims=True), 1.0)
    return xp.asarray(rng.multinomial(n, chances, size or ())).astype("int64")


@op(
    infer=lambda cov, /: TensorType(cov.shape, "float32" if cov.dtype == "float16" else cov.dtype),
    grad=lambda F, g, ins, outs: (Refusal("multivariate_normal gives its covariances no gradient"),),
    samples=[sample((1, 1), low=0.5)],
)
def _hl_covariance_factor(xp: Any, cov: Any, /) -> Any:
    """Cholesky factors of covariances, those of half precision in single."""
    return xp.linalg.cholesky(cov.astype("float32") if cov.dtype == "float16" else cov)


@op(
    infer=lambda data, /: data,
    grad=zero_gradient,
    samples=[sample((4, 2))],
    host="CuPy's generator draws no permutations",
)
def _npi_shuffle(xp: Any, data: Any, /, *, rng: Any) -> Any:
    """Shuffle along the first dimension."""
    return data[rng.permutation(data.shape[0])]
