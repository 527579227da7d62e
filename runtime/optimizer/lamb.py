"""LAMB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.optimizer.base import Optimizer, Step, norm, zeros_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class LAMB(Optimizer):
    """Adam's step, made as long as the layer's weights are; their norm may be kept between two bounds."""

    _others_: ClassVar[Mapping[str, Any]] = {**Optimizer._others_, "aggregate_num": 45}

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        self.bias_correction = bias_correction

    def create_state(self, index: Any, weight: NDArray) -> tuple[NDArray, ...]:
        """Return running means of the gradient and of its square."""
        return zeros_like(weight, 2)

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        usual = self._usual_(step)
        rate = usual.pop("lr")
        own = {
            "beta1": self.beta1,
            "beta2": self.beta2,
            "epsilon": self.epsilon,
            "t": step.count,
            "bias_correction": self.bias_correction,
        }
        first = registry.get("lamb_update_phase1")
        direction = invoke(first, [weight, grad, *state], normalize(first, {**own, **usual}))
        bounds = {"lower_bound": self.lower_bound, "upper_bound": self.upper_bound}
        given = {name: bound for name, bound in bounds.items() if bound is not None}
        one = weight.reshape(-1)[:1]
        norms = (one._filled(norm(array)) for array in (weight, direction))
        self._run_("lamb_update_phase2", weight, direction, *norms, lr=rate, **given)
