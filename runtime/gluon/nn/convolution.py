"""Convolutions over one to three dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from hybridlint.runtime import symbol
from hybridlint.runtime.gluon.arrays import operators
from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.nn.activations import Activation
from hybridlint.runtime.gluon.nn.sizes import Sizes, expand
from hybridlint.runtime.util import is_np_array


class _Conv(HybridBlock):
    """Base of all convolutions. The kernel determines the number of spatial dimensions.

    `op_name` is ``Convolution`` or ``Deconvolution``; `adj` is the output padding of the latter. Projects subclass it
    for their own layers, so the signature and attributes are MXNet's.
    """

    def __init__(
        self,
        channels: int,
        kernel_size: tuple[int, ...],
        strides: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
        layout: str,
        in_channels: int = 0,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        op_name: str = "Convolution",
        adj: Sizes | None = None,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        rank = len(kernel_size)
        self._channels = channels
        self._in_channels = in_channels
        self._op_name = op_name
        self._kwargs: dict[str, Any] = {
            "kernel": kernel_size,
            "stride": expand(strides, rank, "strides"),
            "dilate": expand(dilation, rank, "dilation"),
            "pad": expand(padding, rank, "padding"),
            "num_filter": channels,
            "num_group": groups,
            "no_bias": not use_bias,
            "layout": layout,
        }
        if adj is not None:
            self._kwargs["adj"] = expand(adj, rank, "output_padding")
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=self._weight_shape_(), init=weight_initializer, allow_deferred_init=True
            )
            self.bias = (
                self.params.get("bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = None if activation is None else Activation(activation, prefix=activation + "_")

    def _alias(self) -> str:
        return "conv"

    def _weight_shape_(self) -> tuple[int, ...]:
        """Return (filters, inputs per group, *kernel), with the inputs last in channels-last layouts."""
        groups, kernel = self._kwargs["num_group"], self._kwargs["kernel"]
        outer, inner = self._channels, self._in_channels // groups
        if self._op_name == "Deconvolution":
            outer, inner = self._in_channels, self._channels // groups
        return (outer, inner, *kernel) if self._kwargs["layout"][1] == "C" else (outer, *kernel, inner)

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return the convolved array, in the layout of the input."""
        tensors = (x, weight) if bias is None else (x, weight, bias)
        out = getattr(operators(F), self._op_name)(*tensors, name="fwd", **self._kwargs)
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        shape, kwargs = self.weight.shape, self._kwargs
        assert shape is not None
        parts = [
            f"{shape[1] or None} -> {max(shape[0], 0)}",
            f"kernel_size={kwargs['kernel']}",
            f"stride={kwargs['stride']}",
        ]
        parts += [f"padding={kwargs['pad']}"] if any(kwargs["pad"]) else []
        parts += [f"dilation={kwargs['dilate']}"] if any(step != 1 for step in kwargs["dilate"]) else []
        parts += [f"groups={kwargs['num_group']}"] if kwargs["num_group"] != 1 else []
        parts += ["bias=False"] if self.bias is None else []
        parts += [repr(self.act)] if self.act else []
        return f"{type(self).__name__}({', '.join(parts)})"


def _infer_weight_shape(op_name: str, data_shape: Sequence[int], kwargs: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """Return the shapes of data, weight and, if present, bias; unknown sizes are 0.

    Projects call it in their own layers, so the name is MXNet's.
    """
    operators_ = symbol.npx if is_np_array() else symbol
    data = symbol.var("data", shape=tuple(data_shape))
    return list(getattr(operators_, op_name)(data, **kwargs).infer_shape_partial()[0])


def checked_layout(layout: str | None, layouts: tuple[str, ...]) -> str:
    """Return `layout`, or the first of `layouts` for None. Raises AssertionError for any other."""
    if layout is None:
        return layouts[0]
    if layout not in layouts:
        raise AssertionError(f"Only supports {' and '.join(map(repr, layouts))} layout for now")
    return layout


class _Convolution(_Conv):
    """A convolution with a fixed rank and its possible layouts, the default first."""

    _layouts_: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        layout: str | None = None,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        layout = checked_layout(layout, self._layouts_)
        super().__init__(
            channels,
            expand(kernel_size, len(layout) - 2, "kernel_size"),
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            **kwargs,
        )


class Conv1D(_Convolution):
    """Convolution over one dimension: input (batch, channels, width)."""

    _layouts_ = ("NCW",)


class Conv2D(_Convolution):
    """Convolution over two dimensions: input (batch, channels, height, width), or channels last with ``NHWC``."""

    _layouts_ = ("NCHW", "NHWC")


class Conv3D(_Convolution):
    """Convolution over three dimensions: input (batch, channels, depth, height, width), or ``NDHWC``."""

    _layouts_ = ("NCDHW", "NDHWC")
