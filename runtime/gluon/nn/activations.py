"""Element-wise activations as layers."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime import initializer
from hybridlint.runtime.gluon.arrays import operators
from hybridlint.runtime.gluon.hybrid_block import HybridBlock

_QUARTER = initializer.Constant(0.25)


class Activation(HybridBlock):
    """An activation chosen by name: ``relu``, ``sigmoid``, ``tanh``, ``softrelu`` or ``softsign``."""

    def __init__(self, activation: str, **kwargs: Any) -> None:
        self._act_type = activation
        super().__init__(**kwargs)

    def _alias(self) -> str:
        return self._act_type

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of each element of `x`."""
        return operators(F).Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"


class LeakyReLU(HybridBlock):
    """``x`` for positive x, else ``alpha * x``. Raises AssertionError for a negative alpha."""

    def __init__(self, alpha: float, **kwargs: Any) -> None:
        if alpha < 0:
            raise AssertionError("Slope coefficient for LeakyReLU must be no less than 0.")
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of each element of `x`."""
        return operators(F).LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(HybridBlock):
    """LeakyReLU with a learned slope, one in all or one for each of `in_channels` channels."""

    def __init__(self, alpha_initializer: Any = _QUARTER, in_channels: int = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer)

    def hybrid_forward(self, F: Any, x: Any, alpha: Any) -> Any:
        """Return the activation of each element of `x`."""
        return operators(F).LeakyReLU(x, gamma=alpha, act_type="prelu", name="fwd")


class ELU(HybridBlock):
    """``x`` for positive x, else ``alpha * (exp(x) - 1)``."""

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of each element of `x`."""
        return operators(F).LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """ELU scaled so that mean and variance are preserved."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of each element of `x`."""
        return operators(F).LeakyReLU(x, act_type="selu", name="fwd")


class GELU(HybridBlock):
    """``x * Phi(x)``, where Phi is the standard normal distribution function."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of each element of `x`."""
        return operators(F).LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(HybridBlock):
    """``x * sigmoid(beta * x)``."""

    def __init__(self, beta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._beta = beta

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of each element of `x`."""
        return x * operators(F).sigmoid(self._beta * x, name="fwd")
