"""Containers whose children run in parallel, and layers beyond the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.nn.basic_layers import BatchNorm, Embedding, HybridSequential, Sequential
from hybridlint.runtime.gluon.nn.sizes import expand
from hybridlint.runtime.gluon.plain_block import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.gluon.param_dict import ParameterDict


class Concurrent(Sequential):
    """Runs blocks on the same input and concatenates their outputs along `axis`."""

    def __init__(self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def forward(self, x: Any) -> Any:
        """Return the concatenated outputs."""
        from hybridlint.runtime.ndarray import concat

        return concat(*[block(x) for block in self], dim=self.axis)


class HybridConcurrent(HybridSequential):
    """Runs hybrid blocks on the same input and concatenates their outputs along `axis`."""

    def __init__(self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the concatenated outputs."""
        return F.concat(*[block(x) for block in self], dim=self.axis)


class Identity(HybridBlock):
    """Returns its input."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x`."""
        return x


class SparseEmbedding(Block):
    """Lookup of rows of a learned matrix, like Embedding; the trainer has the matrix, and the layer rows of it."""

    def __init__(
        self, input_dim: int, output_dim: int, dtype: Any = "float32", weight_initializer: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"input_dim": input_dim, "output_dim": output_dim, "dtype": dtype, "sparse_grad": True}
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            grad_stype="row_sparse",
            stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        """Return the rows."""
        from hybridlint.runtime import ndarray

        weight = self.weight
        # Unlike MXNet, a layer that nobody trains looks its rows up itself.
        rows = weight._check_and_get(weight._data, x.context) if weight._trainer is None else weight.row_sparse_data(x)
        return ndarray.Embedding(x, rows, name="fwd", **self._kwargs)

    __repr__ = Embedding.__repr__


class SyncBatchNorm(BatchNorm):
    """BatchNorm with statistics shared between devices. With the single device here it equals BatchNorm."""

    def __init__(
        self,
        in_channels: int = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1,
            momentum,
            epsilon,
            center,
            scale,
            use_global_stats,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )
        self._devices_ = num_devices or 1

    def __repr__(self) -> str:
        shown = {key: value for key, value in self._kwargs.items() if key != "axis"}
        shape = self.gamma.shape
        assert shape is not None
        return self._show_(**shown, ndev=self._devices_, key=repr(self.prefix), in_channels=shape[0] or None)


class _PixelShuffle(HybridBlock):
    """Rearranges channels into space, by a factor for each spatial dimension."""

    _rank_: int

    def __init__(self, factor: int | Sequence[int]) -> None:
        super().__init__()
        self._factors = expand(factor, self._rank_, "factor")

    def __repr__(self) -> str:
        shown = self._factors[0] if self._rank_ == 1 else self._factors
        return f"{type(self).__name__}({shown})"


class PixelShuffle1D(_PixelShuffle):
    """(N, f*C, W) becomes (N, C, f*W)."""

    _rank_ = 1

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the widened array."""
        x = F.reshape(x, (0, -4, -1, self._factors[0], 0))
        return F.reshape(F.transpose(x, (0, 1, 3, 2)), (0, 0, -3))


class PixelShuffle2D(_PixelShuffle):
    """(N, f1*f2*C, H, W) becomes (N, C, f1*H, f2*W)."""

    _rank_ = 2

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the enlarged array."""
        high, wide = self._factors
        x = F.reshape(x, (0, -4, -1, high * wide, 0, 0))
        x = F.reshape(x, (0, 0, -4, high, wide, 0, 0))
        return F.reshape(F.transpose(x, (0, 1, 4, 2, 5, 3)), (0, 0, -3, -3))


class PixelShuffle3D(_PixelShuffle):
    """(N, f1*f2*f3*C, D, H, W) becomes (N, C, f1*D, f2*H, f3*W)."""

    _rank_ = 3

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the enlarged array."""
        deep, high, wide = self._factors
        x = F.reshape(x, (0, -4, -1, deep * high * wide, 0, 0, 0))
        x = F.swapaxes(x, 2, 3)
        x = F.reshape(x, (0, 0, 0, -4, deep, high * wide, 0, 0))
        x = F.reshape(x, (0, 0, -3, 0, 0, 0))
        x = F.swapaxes(x, 3, 4)
        x = F.reshape(x, (0, 0, 0, 0, -4, high, wide, 0))
        x = F.reshape(x, (0, 0, 0, -3, 0, 0))
        x = F.swapaxes(x, 4, 5)
        return F.reshape(x, (0, 0, 0, 0, -3))
