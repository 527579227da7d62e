"""Normalization layers. In MXNet they are defined in ``nn.basic_layers``, which exports them here too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.arrays import operators
from hybridlint.runtime.gluon.hybrid_block import HybridBlock

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.param import Parameter
    from hybridlint.runtime.gluon.param_dict import ParameterDict


class _Scaled(HybridBlock):
    """A layer with a learned scale `gamma` and shift `beta`."""

    gamma: Parameter
    beta: Parameter

    def _scale_and_shift_(
        self, size: int, *, scale: bool, center: bool, gamma: Any, beta: Any, fixed_is_constant: bool = False
    ) -> None:
        def param(name: str, trained: bool, init: Any) -> Parameter:
            return self.params.get(
                name,
                grad_req="write" if trained else "null",
                shape=(size,),
                init=init,
                allow_deferred_init=True,
                differentiable=trained or not fixed_is_constant,
            )

        self.gamma = param("gamma", scale, gamma)
        self.beta = param("beta", center, beta)

    def _show_(self, **shown: Any) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value}' for key, value in shown.items())})"


class _BatchNorm(_Scaled):
    """Base of BatchNorm and its variants: batch statistics in train mode, running statistics otherwise."""

    #: The operator's name, and whether the layer passes the axis to it and shows it.
    _operator_ = "BatchNorm"

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        self._axis_ = axis
        self._scale_and_shift_(
            in_channels,
            scale=scale,
            center=center,
            gamma=gamma_initializer,
            beta=beta_initializer,
            fixed_is_constant=True,
        )
        self.running_mean = self._statistic_("running_mean", in_channels, running_mean_initializer)
        self.running_var = self._statistic_("running_var", in_channels, running_variance_initializer)

    def _statistic_(self, name: str, size: int, init: Any) -> Parameter:
        return self.params.get(
            name, grad_req="null", shape=(size,), init=init, allow_deferred_init=True, differentiable=False
        )

    def cast(self, dtype: Any) -> None:
        """Change the dtype of the parameters. For half precision they stay float32."""
        from hybridlint.runtime.core.operator_params import dtype_name

        super().cast("float32" if dtype_name(dtype) == "float16" else dtype)

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any) -> Any:
        """Return `x` normalized, scaled and shifted."""
        operator = operators(F)
        for part in self._operator_.split("."):
            operator = getattr(operator, part)
        return operator(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        shape = self.gamma.shape
        assert shape is not None
        return self._show_(**self._kwargs, in_channels=shape[0] or None)


class BatchNorm(_BatchNorm):
    """Normalizes each channel (along `axis`) over the batch, then scales and shifts it."""


class BatchNormReLU(_BatchNorm):
    """BatchNorm followed by relu."""

    _operator_ = "contrib.BatchNormWithReLU"


class InstanceNorm(_Scaled):
    """Normalizes each channel of each example."""

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis_ = axis
        self._epsilon = epsilon
        self._scale_and_shift_(in_channels, scale=scale, center=center, gamma=gamma_initializer, beta=beta_initializer)

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
        """Return `x` normalized, scaled and shifted."""
        if self._axis_ == 1:
            return F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        moved = F.swapaxes(x, dim1=1, dim2=self._axis_)
        normal = F.InstanceNorm(moved, gamma, beta, name="fwd", eps=self._epsilon)
        return F.swapaxes(normal, dim1=1, dim2=self._axis_)

    def __repr__(self) -> str:
        shape = self.gamma.shape
        assert shape is not None
        return self._show_(**self._kwargs, in_channels=shape[0])


class LayerNorm(_Scaled):
    """Normalizes along one axis."""

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis = axis
        self._epsilon = epsilon
        self._scale_and_shift_(in_channels, scale=scale, center=center, gamma=gamma_initializer, beta=beta_initializer)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Return `data` normalized, scaled and shifted."""
        return operators(F).LayerNorm(data, gamma=gamma, beta=beta, axis=self._axis, eps=self._epsilon)

    def __repr__(self) -> str:
        shape = self.gamma.shape
        assert shape is not None
        return self._show_(**self._kwargs, in_channels=shape[0])


class GroupNorm(_Scaled):
    """Normalizes groups of channels of each example, then scales and shifts each group."""

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "num_groups": num_groups, "center": center, "scale": scale}
        self._num_groups = num_groups
        self._epsilon = epsilon
        self._scale_and_shift_(num_groups, scale=scale, center=center, gamma=gamma_initializer, beta=beta_initializer)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Return `data` normalized, scaled and shifted."""
        return F.GroupNorm(data, gamma=gamma, beta=beta, num_groups=self._num_groups, eps=self._epsilon)

    def __repr__(self) -> str:
        return self._show_(**self._kwargs)
