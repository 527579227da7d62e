"""Arrays without dimensions: operators and their gradients give what they give on an array of one element."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.runtime import autograd, gluon, np, npx, util
from hybridlint.runtime.base import MXNetError

NAMES = """
np.arccos np.arccosh np.arcsin np.arcsinh np.arctanh np.cbrt np.exp np.expm1 np.log np.reciprocal np.sqrt np.tanh np.sum
np.mean np.cumsum npx.gamma npx.erf npx.relu npx.sigmoid npx.softmax npx.log_softmax
""".split()  # noqa: SIM905


class Net(gluon.HybridBlock):
    """A block around one function of numpy mode."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.space, self.name_of_function = name.split(".")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return getattr(getattr(F, self.space), self.name_of_function)(x)


def _run(name: str, shape: tuple[int, ...], hybridized: bool) -> list[float]:
    net = Net(name)
    if hybridized:
        net.hybridize()
    x = np.full(shape, 1.5 if name == "np.arccosh" else 0.6)
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    assert x.grad.shape == shape
    return [y.item(), x.grad.item()]


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_number_is_as_an_array_of_one_element(name: str, hybridized: bool) -> None:
    with util.np_shape(), util.np_array():
        assert _run(name, (), hybridized) == pytest.approx(_run(name, (1,), hybridized), rel=1e-6)


def test_bounds_and_axes_of_a_number() -> None:
    with util.np_shape(), util.np_array():
        assert np.clip(np.array(2.0), 0, 1).item() == 1
        assert npx.softmax(np.array(2.0), axis=0).item() == 1
        with pytest.raises(MXNetError, match="axis 1"):
            npx.softmax(np.array(2.0), axis=1)
