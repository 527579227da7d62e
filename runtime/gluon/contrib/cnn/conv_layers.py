"""Deformable convolutions, whose sampling points are set by a second convolution."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.nn.activations import Activation
from hybridlint.runtime.gluon.nn.sizes import Sizes, expand

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.param_dict import ParameterDict


class _Deformable(HybridBlock):
    """Base of both layers. `per_point` is the number of values that the inner convolution gives per sampling point."""

    _per_point_: int
    _operator_: str

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes = (1, 1),
        strides: Sizes = (1, 1),
        padding: Sizes = (0, 0),
        dilation: Sizes = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        offset_weight_initializer: Any = "zeros",
        offset_bias_initializer: Any = "zeros",
        offset_use_bias: bool = True,
        op_name: str | None = None,
        adj: Any = None,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._channels = channels
        self._in_channels = in_channels
        kernel = expand(kernel_size, 2, "kernel_size")
        points = num_deformable_group * prod(kernel)
        shared = {
            "kernel": kernel,
            "stride": expand(strides, 2, "strides"),
            "dilate": expand(dilation, 2, "dilation"),
            "pad": expand(padding, 2, "padding"),
            "num_group": groups,
            "layout": layout,
        }
        self._moved_ = 2 * points
        self._kwargs_offset = {**shared, "num_filter": self._per_point_ * points, "no_bias": not offset_use_bias}
        self._kwargs_deformable_conv = {
            **shared,
            "num_filter": channels,
            "num_deformable_group": num_deformable_group,
            "no_bias": not use_bias,
        }
        inner = (self._kwargs_offset["num_filter"], in_channels // groups, *kernel)
        # As in MXNet, in_channels does not apply to the outer weight, which is always inferred.
        outer = (channels, 0, *kernel)
        with self.name_scope():
            self._add_parameters_("offset", inner, offset_weight_initializer, offset_bias_initializer, offset_use_bias)
            self._add_parameters_("deformable_conv", outer, weight_initializer, bias_initializer, use_bias)
            self.act = Activation(activation, prefix=activation + "_") if activation else None

    def _add_parameters_(self, name: str, shape: Any, weight_init: Any, bias_init: Any, use_bias: bool) -> None:
        weight = self.params.get(f"{name}_weight", shape=shape, init=weight_init, allow_deferred_init=True)
        setattr(self, f"{name}_weight", weight)
        bias = (
            self.params.get(f"{name}_bias", shape=shape[:1], init=bias_init, allow_deferred_init=True)
            if use_bias
            else None
        )
        setattr(self, f"{name}_bias", bias)

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        """Return (batch, channels, height, width)."""
        inner = (x, offset_weight) if offset_bias is None else (x, offset_weight, offset_bias)
        found = F.Convolution(*inner, cudnn_off=True, **self._kwargs_offset)
        biases = () if deformable_conv_bias is None else (deformable_conv_bias,)
        operator = getattr(F.contrib, self._operator_)
        out = operator(
            x, *self._places_(F, found), deformable_conv_weight, *biases, name="fwd", **self._kwargs_deformable_conv
        )
        return self.act(out) if self.act else out

    def _places_(self, F: Any, found: Any) -> tuple[Any, ...]:
        """Return the operator's arguments between data and weight."""
        return (found,)


class DeformableConvolution(_Deformable):
    """2D convolution whose sampling points are shifted by offsets from another convolution."""

    _per_point_ = 2
    _operator_ = "DeformableConvolution"

    def _alias(self) -> str:
        return "deformable_conv"

    def __repr__(self) -> str:
        kwargs = self._kwargs_deformable_conv
        parts = [f"None -> {self._channels}", f"kernel_size={kwargs['kernel']}", f"stride={kwargs['stride']}"]
        parts += [f"padding={kwargs['pad']}"] if kwargs["pad"] != (0, 0) else []
        parts += [f"dilation={kwargs['dilate']}"] if kwargs["dilate"] != (1, 1) else []
        parts += [f"groups={kwargs['num_group']}"] if kwargs["num_group"] != 1 else []
        parts += ["bias=False"] if kwargs["no_bias"] else []
        parts += [repr(self.act)] if self.act else []
        return f"{type(self).__name__}({', '.join(parts)})"


class ModulatedDeformableConvolution(_Deformable):
    """Deformable convolution that also weights each sampling point, by a learned factor from 0 to 2."""

    _per_point_ = 3
    _operator_ = "ModulatedDeformableConvolution"

    def _alias(self) -> str:
        return "modulated_deformable_conv"

    def _places_(self, F: Any, found: Any) -> tuple[Any, ...]:
        offsets = F.slice_axis(found, axis=1, begin=0, end=self._moved_)
        weights = F.sigmoid(F.slice_axis(found, axis=1, begin=self._moved_, end=None)) * 2
        return offsets, weights
