"""The base of key-value stores that users write."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from hybridlint.runtime import optimizer as optimizers


class KVStoreBase:
    """The base of stores that users write, which a Trainer sums gradients with; subclasses define the methods."""

    OPTIMIZER = "optimizer"
    #: Name in lower case -> class.
    kv_registry: ClassVar[dict[str, type[KVStoreBase]]] = {}

    @staticmethod
    def register(klass: type[KVStoreBase]) -> type[KVStoreBase]:
        """Make a store class available to `create`. Usable as a decorator; warns if the name is taken."""
        name = klass.__name__.lower()
        if name in KVStoreBase.kv_registry:
            warnings.warn(f"New kvstore {klass.__name__} is overriding the one before", stacklevel=2)
        KVStoreBase.kv_registry[name] = klass
        return klass

    def is_capable(self, capability: str) -> bool:
        """Return whether the store can do something, such as updating values by an optimizer."""
        raise NotImplementedError("is_capable")

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copy a value to all arrays."""
        raise NotImplementedError("broadcast")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Sum values into all arrays."""
        raise NotImplementedError("pushpull")

    def set_optimizer(self, optimizer: optimizers.Optimizer) -> None:
        """Set the optimizer that updates the values."""
        raise NotImplementedError("set_optimizer")

    @property
    def type(self) -> str:
        """Name of the kind of store."""
        raise NotImplementedError("type")

    @property
    def rank(self) -> int:
        """Number of this worker."""
        raise NotImplementedError("rank")

    @property
    def num_workers(self) -> int:
        """Number of workers."""
        raise NotImplementedError("num_workers")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states."""
        raise NotImplementedError("save_optimizer_states")

    def load_optimizer_states(self, fname: str) -> None:
        """Load the optimizer states written by `save_optimizer_states`."""
        raise NotImplementedError("load_optimizer_states")


@KVStoreBase.register
class TestStore(KVStoreBase):
    """A store without keys: it copies values to arrays, or their sum, and updates nothing."""

    __test__ = False

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Return whether an optimizer can update the values: never. Raises ValueError for other questions."""
        if capability.lower() != KVStoreBase.OPTIMIZER:
            raise ValueError(f"Unknown capability: {capability}")
        return False

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copy a value to an array, or to several."""
        for target in _listed(out):
            target[:] = value

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Sum values into arrays, or into themselves."""
        values = _listed(value)
        total = values[0].copy()
        for other in values[1:]:
            total += other.as_in_context(total.context)
        self.broadcast(key, total, value if out is None else out)

    @property
    def type(self) -> str:
        """Name of the kind of store."""
        return "teststore"

    @property
    def rank(self) -> int:
        """Number of this worker."""
        return 0

    @property
    def num_workers(self) -> int:
        """Number of workers."""
        return 1


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
