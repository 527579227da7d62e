"""Containers and the layers of fully connected networks."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.arrays import operators
from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.nn.activations import Activation
from hybridlint.runtime.gluon.nn.normalization import (
    BatchNorm,
    BatchNormReLU,
    GroupNorm,
    InstanceNorm,
    LayerNorm,
    _BatchNorm,
)
from hybridlint.runtime.gluon.plain_block import Block, indent
from hybridlint.runtime.util import is_np_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "BatchNorm",
    "BatchNormReLU",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "HybridLambda",
    "HybridSequential",
    "InstanceNorm",
    "Lambda",
    "LayerNorm",
    "Sequential",
    "_BatchNorm",
]


class _Stack(Block):
    """Base of both containers: numbered children that can be indexed like a sequence."""

    _has_summary_row_ = False

    def add(self, *blocks: Block) -> None:
        """Append blocks."""
        for block in blocks:
            self.register_child(block)

    def __repr__(self) -> str:
        lines = [f"  ({key}): {indent(repr(block), 2)}" for key, block in self._children.items()]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"

    def __getitem__(self, key: Any) -> Any:
        layers = list(self._children.values())[key]
        if not isinstance(layers, list):
            return layers
        net = type(self)(prefix=self._prefix)
        net.add(*layers)
        return net

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._children.values())


class Sequential(_Stack):
    """Runs blocks one after the other."""

    def forward(self, x: Any) -> Any:
        """Return the output of the last block."""
        for block in self._children.values():
            x = block(x)
        return x

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Switch compiled execution of the children on or off. Warns if a HybridSequential would be better."""
        if self._children and all(isinstance(block, HybridBlock) for block in self._children.values()):
            warnings.warn(
                f"All children of this Sequential layer '{self.prefix}' are HybridBlocks. Consider using "
                "HybridSequential for the best performance.",
                stacklevel=2,
            )
        super().hybridize(active, **kwargs)


class HybridSequential(_Stack, HybridBlock):
    """Runs hybrid blocks one after the other."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the output of the last block."""
        for block in self._children.values():
            x = block(x)
        return x


class Dense(HybridBlock):
    """``activation(x . weight^T + bias)``; `flatten` merges all axes after the first.

    Input (batch, *), output (batch, units). `in_units` is inferred if it is 0.
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._flatten = flatten
        self._units = units
        self._in_units = in_units
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=(units, in_units), init=weight_initializer, dtype=dtype, allow_deferred_init=True
            )
            self.bias = (
                self.params.get("bias", shape=(units,), init=bias_initializer, dtype=dtype, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = None if activation is None else Activation(activation, prefix=activation + "_")

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return (batch, units); without `flatten`, the shape of `x` with its last size replaced by `units`."""
        out = operators(F).FullyConnected(
            x, weight, bias, no_bias=bias is None, num_hidden=self._units, flatten=self._flatten, name="fwd"
        )
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        shape = self.weight.shape
        assert shape is not None
        inner = (shape[1] or None) if len(shape) > 1 else None
        return f"{type(self).__name__}({inner} -> {shape[0]}, {self.act or 'linear'})"


class Dropout(HybridBlock):
    """In train mode, set elements to 0 with probability `rate` and scale up the rest. `axes` share one mask."""

    def __init__(self, rate: float, axes: Sequence[int] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rate = rate
        self._axes = axes

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x` with elements dropped in train mode, and unchanged in predict mode."""
        if self._rate > 0:
            return operators(F).Dropout(x, p=self._rate, axes=self._axes, name="fwd", cudnn_off=False)
        return F.np.copy(x) if is_np_array() else F.identity(x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Embedding(HybridBlock):
    """Lookup of rows of a learned matrix. The output has the input's shape plus an axis of size `output_dim`.

    `sparse_grad` is accepted; gradients are always dense in this runtime.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        sparse_grad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._input_dim_ = input_dim
        self._output_dim_ = output_dim
        self._kwargs = {"input_dim": input_dim, "output_dim": output_dim, "dtype": dtype, "sparse_grad": sparse_grad}
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            allow_deferred_init=True,
            grad_stype="row_sparse" if sparse_grad else "default",
        )

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        """Return the rows."""
        return operators(F).Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._input_dim_} -> {self._output_dim_}, {self._kwargs['dtype']})"


class Flatten(HybridBlock):
    """Merge all axes after the first."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return (batch, elements)."""
        return operators(F).Flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


class Lambda(Block):
    """Wraps a function of arrays, or one of ``mx.nd`` given by name. Raises AssertionError for an unknown name."""

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        self._func_impl: Callable[..., Any]
        if isinstance(function, str):
            from hybridlint.runtime import ndarray

            if not hasattr(ndarray, function):
                raise AssertionError(f"Function name {function} is not found in ndarray.")
            self._func_impl = getattr(ndarray, function)
        elif callable(function):
            self._func_impl = function
        else:
            raise ValueError(f"Unrecognized function in lambda: {function} of type {type(function)}")
        self._func_name_ = function if isinstance(function, str) else _name_of(function)

    def forward(self, *args: Any) -> Any:
        """Call the function."""
        return self._func_impl(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name_})"


class HybridLambda(HybridBlock):
    """Wraps a function ``(F, x, ...)``, or an operator given by name, as a hybrid block.

    Raises AssertionError for an unknown name.
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        self._func: Callable[..., Any]
        if isinstance(function, str):
            from hybridlint.runtime import ndarray, symbol

            if not hasattr(ndarray, function) or not hasattr(symbol, function):
                raise AssertionError(f"Function name {function} is not found in symbol/ndarray.")
            self._func_name = function
            self._func = lambda F, *args: getattr(F, function)(*args)
        elif callable(function):
            self._func_name = _name_of(function)
            self._func = function
        else:
            raise ValueError(f"Unrecognized function in lambda: {function} of type {type(function)}")

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        """Call the function."""
        return self._func(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)
