"""Stand-ins for Gluon's Block and HybridBlock whose parameters are shapes, used by the layers' source."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from hybridlint.runtime.facts.abstract.tensors import Operators, TypedTensor, replace_zeros
from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import TensorType


@record(frozen=True)
class Parameter:
    """A parameter with its declared shape. A size of 0 means that the size is inferred later."""

    shape: tuple[DimLike, ...] | None
    _data = None
    #: Nobody trains it.
    _trainer = None

    def _check_and_get(self, data: None, context: None) -> TypedTensor:
        return self.tensor()

    def tensor(self) -> TypedTensor:
        """Return the parameter as a tensor. Its dtype is not fixed, because a layer can be cast."""
        shape = self.shape
        return TypedTensor(TensorType(None if shape is None else replace_zeros(shape)))


class ParameterDict:
    """Creates the parameters of a block."""

    def get(self, name: str, shape: Any = None, **settings: Any) -> Parameter:
        """Return a parameter with the given shape."""
        return Parameter((shape,) if isinstance(shape, int) else None if shape is None else tuple(shape))


class Block:
    """A layer that keeps its children and parameters as attributes and computes in `forward`."""

    _children: dict[str, Block]
    _reg_params: dict[str, Parameter]

    def __init__(self, prefix: Any = None, params: Any = None) -> None:
        self._prefix = ""
        self._scope = nullcontext()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Create a block that can register children before its `__init__` has run."""
        made = super().__new__(cls)
        made.__dict__.update(_children={}, _reg_params={})
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Block):
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            self._reg_params[name] = value
        super().__setattr__(name, value)

    def __call__(self, *args: Any) -> Any:
        """Run `forward`."""
        return self.forward(*args)

    def forward(self, *args: Any) -> Any:
        """Compute the outputs. Subclasses override this."""
        raise NotImplementedError

    def _alias(self) -> str:
        return ""

    @property
    def prefix(self) -> str:
        """Prefix of parameter names: always empty."""
        return ""

    name = prefix

    @property
    def params(self) -> ParameterDict:
        """The object that creates parameters."""
        return ParameterDict()

    def name_scope(self) -> AbstractContextManager[None]:
        """Return a scope that does nothing."""
        return nullcontext()

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Make `block` a child, by default called by its number."""
        self._children[name or str(len(self._children))] = block

    def all_parameters(self) -> list[Parameter]:
        """Return the parameters of the block and of all its descendants."""
        below = [parameter for child in self._children.values() for parameter in child.all_parameters()]
        return [*self._reg_params.values(), *below]


class HybridBlock(Block):
    """A layer that computes in `hybrid_forward`."""

    def forward(self, *args: Any) -> Any:
        """Run `hybrid_forward` on the inputs and the parameters."""
        tensors = {name: parameter.tensor() for name, parameter in self._reg_params.items()}
        return self.hybrid_forward(Operators(), *args, **tensors)

    def hybrid_forward(self, F: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs. Subclasses override this."""
        raise NotImplementedError
