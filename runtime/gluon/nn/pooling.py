"""Pooling layers. In MXNet they are defined in ``nn.conv_layers``, which exports them here too."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon.arrays import operators
from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.nn.sizes import Sizes, expand

_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class _Pooling(HybridBlock):
    """Base of all pooling layers. Strides default to the pool size."""

    _rank_: int
    _pool_type_: str

    def __init__(
        self,
        pool_size: Sizes,
        strides: Sizes | None,
        padding: Sizes,
        ceil_mode: bool,
        layout: str,
        *,
        global_pool: bool = False,
        count_include_pad: bool | None = None,
        **kwargs: Any,
    ) -> None:
        rank = self._rank_
        if layout not in _LAYOUTS[rank]:
            raise AssertionError(f"Only {' and '.join(_LAYOUTS[rank])} layouts are valid for {rank}D Pooling")
        super().__init__(**kwargs)
        kernel = expand(pool_size, rank, "pool_size")
        self._kwargs: dict[str, Any] = {
            "kernel": kernel,
            "stride": kernel if strides is None else expand(strides, rank, "strides"),
            "pad": expand(padding, rank, "padding"),
            "global_pool": global_pool,
            "pool_type": self._pool_type_,
            "layout": layout,
            "pooling_convention": "full" if ceil_mode else "valid",
        }
        if count_include_pad is not None:
            self._kwargs["count_include_pad"] = count_include_pad

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the pooled array, in the layout of the input."""
        return operators(F).Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        kwargs = self._kwargs
        return (
            f"{type(self).__name__}(size={kwargs['kernel']}, stride={kwargs['stride']}, padding={kwargs['pad']}, "
            f"ceil_mode={kwargs['pooling_convention'] == 'full'}, global_pool={kwargs['global_pool']}, "
            f"pool_type={kwargs['pool_type']}, layout={kwargs['layout']})"
        )


class MaxPool1D(_Pooling):
    """The largest value of each window over one dimension."""

    _rank_, _pool_type_ = 1, "max"

    def __init__(
        self,
        pool_size: Sizes = 2,
        strides: Sizes | None = None,
        padding: Sizes = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, ceil_mode, layout, **kwargs)


class MaxPool2D(_Pooling):
    """The largest value of each window over two dimensions."""

    _rank_, _pool_type_ = 2, "max"

    def __init__(
        self,
        pool_size: Sizes = (2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        layout: str = "NCHW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, ceil_mode, layout, **kwargs)


class MaxPool3D(_Pooling):
    """The largest value of each window over three dimensions."""

    _rank_, _pool_type_ = 3, "max"

    def __init__(
        self,
        pool_size: Sizes = (2, 2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, ceil_mode, layout, **kwargs)


class AvgPool1D(_Pooling):
    """The average of each window over one dimension; `count_include_pad` counts padding as zeros."""

    _rank_, _pool_type_ = 1, "avg"

    def __init__(
        self,
        pool_size: Sizes = 2,
        strides: Sizes | None = None,
        padding: Sizes = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, ceil_mode, layout, count_include_pad=count_include_pad, **kwargs)


class AvgPool2D(_Pooling):
    """The average of each window over two dimensions; `count_include_pad` counts padding as zeros."""

    _rank_, _pool_type_ = 2, "avg"

    def __init__(
        self,
        pool_size: Sizes = (2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        layout: str = "NCHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, ceil_mode, layout, count_include_pad=count_include_pad, **kwargs)


class AvgPool3D(_Pooling):
    """The average of each window over three dimensions; `count_include_pad` counts padding as zeros."""

    _rank_, _pool_type_ = 3, "avg"

    def __init__(
        self,
        pool_size: Sizes = (2, 2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, ceil_mode, layout, count_include_pad=count_include_pad, **kwargs)


class _GlobalPooling(_Pooling):
    """Pooling over all axes except batch and channels."""

    def __init__(self, layout: str, **kwargs: Any) -> None:
        super().__init__(1, None, 0, True, layout, global_pool=True, **kwargs)


class GlobalMaxPool1D(_GlobalPooling):
    """The largest value over one dimension."""

    _rank_, _pool_type_ = 1, "max"

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalMaxPool2D(_GlobalPooling):
    """The largest value over two dimensions."""

    _rank_, _pool_type_ = 2, "max"

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalMaxPool3D(_GlobalPooling):
    """The largest value over three dimensions."""

    _rank_, _pool_type_ = 3, "max"

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool1D(_GlobalPooling):
    """The average over one dimension."""

    _rank_, _pool_type_ = 1, "avg"

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool2D(_GlobalPooling):
    """The average over two dimensions."""

    _rank_, _pool_type_ = 2, "avg"

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)


class GlobalAvgPool3D(_GlobalPooling):
    """The average over three dimensions."""

    _rank_, _pool_type_ = 3, "avg"

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__(layout, **kwargs)
