"""The base of optimizers: rates of each parameter, counts of updates, and the names that optimizers depend on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.compiled.engines.choice import chosen_engine, engine_on
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.core.writes import changing, tell_written
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.optimizer import sparse_steps
from hybridlint.runtime.util import is_np_array

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridlint.runtime.gluon.param import Parameter
    from hybridlint.runtime.ndarray.ndarray import NDArray
    from hybridlint.runtime.symbol.symbol import Symbol


@dataclass(frozen=True, slots=True)
class Step:
    """The values of one update of one weight: learning rate, weight decay, and the update's number (from 1)."""

    lr: float
    wd: float
    count: int


class Optimizer:
    """The base of optimizers; subclasses define `_step_`, or `update` as a whole.

    Gradients are multiplied by `rescale_grad`, then clipped to ``[-clip_gradient, clip_gradient]``; `wd` is the weight
    decay. Parameters are known by their index: `param_dict` gives the Parameters (with their multipliers),
    `param_idx2name` their names. With `multi_precision` weights of half precision have a master copy in float32.
    """

    #: Name in lower case -> class.
    opt_registry: ClassVar[dict[str, type[Optimizer]]] = {}
    #: Whether the state of a half-precision weight ends with the master copy, as that of MXNet's SGD; others begin so.
    _master_last_: ClassVar[bool] = False
    #: Further attributes of MXNet's class, which state files contain.
    _others_: ClassVar[Mapping[str, Any]] = {"aggregate_num": 0, "allow_np_array": False, "sym_info": ()}

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: Mapping[Any, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: Callable[[int], float] | None = None,
        sym: Symbol | None = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: Mapping[Any, Parameter] | None = None,
    ) -> None:
        self.rescale_grad = rescale_grad
        self.wd = wd
        self.clip_gradient = clip_gradient
        self.lr_scheduler = lr_scheduler
        self.lr = _base_rate(learning_rate, lr_scheduler)
        self.multi_precision = multi_precision
        self.allow_np_array = is_np_array()
        self.begin_num_update = begin_num_update
        self.num_update = begin_num_update
        self.idx2name = dict(param_idx2name or {})
        self.param_dict = dict(param_dict or {})
        self._sym_attributes_ = _of_arguments(sym) if sym is not None else {}
        self._all_index_update_counts: dict[int, dict[Any, int]] = {}
        self._set_current_context(0)
        self.set_lr_mult({})
        self.set_wd_mult({})

    @staticmethod
    def register(klass: type[Optimizer]) -> type[Optimizer]:
        """Make an optimizer class available under its name in lower case. Usable as a decorator."""
        Optimizer.opt_registry[klass.__name__.lower()] = klass
        return klass

    @staticmethod
    def create_optimizer(name: str, **kwargs: Any) -> Optimizer:
        """Return the optimizer of a name. Raises ValueError for an unknown one."""
        klass = Optimizer.opt_registry.get(name.lower())
        if klass is None:
            raise ValueError(f"Cannot find optimizer {name}")
        return klass(**kwargs)

    # -- rates

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next update, without the multipliers of parameters."""
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate. Raises UserWarning if a scheduler controls it."""
        if self.lr_scheduler is not None:
            raise UserWarning(
                "LRScheduler of the optimizer has already been defined. Note that set_learning_rate can mutate the "
                "value of the learning rate of the optimizer only when the LRScheduler of the optimizer is undefined."
            )
        self.lr = lr

    def set_lr_mult(self, args_lr_mult: Mapping[Any, float]) -> None:
        """Set multipliers of the learning rate by names or indices, over those that the symbol's variables have."""
        self.lr_mult: dict[Any, float] = {**self._attributes_("__lr_mult__"), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: Mapping[Any, float]) -> None:
        """Set multipliers of the weight decay, by names or indices.

        Of the other parameters, only weights and gammas decay.
        """
        spared = {name: 0.0 for name in self.idx2name.values() if not name.endswith(("_weight", "_gamma"))}
        self.wd_mult: dict[Any, float] = {**spared, **self._attributes_("__wd_mult__"), **args_wd_mult}

    def _attributes_(self, name: str) -> dict[str, float]:
        return {node: float(found[name]) for node, found in self._sym_attributes_.items() if name in found}

    def _get_lr(self, index: Any) -> float:
        param = self.param_dict.get(index)
        return self.learning_rate * (self._multiplier_(self.lr_mult, index) if param is None else param.lr_mult)

    def _get_wd(self, index: Any) -> float:
        param = self.param_dict.get(index)
        return self.wd * (self._multiplier_(self.wd_mult, index) if param is None else param.wd_mult)

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        return [self._get_lr(index) for index in indices]

    def _get_wds(self, indices: Sequence[Any]) -> list[float]:
        return [self._get_wd(index) for index in indices]

    def set_lr_scale(self, args_lrscale: Any) -> None:
        """Raise DeprecationWarning, as MXNet does: `set_lr_mult` replaces this method."""
        raise DeprecationWarning

    def _multiplier_(self, multipliers: Mapping[Any, float], index: Any) -> float:
        return multipliers.get(index, multipliers.get(self.idx2name.get(index), 1.0))

    # -- counts

    def _set_current_context(self, device_id: int) -> None:
        """Count updates by device from here on: each has its copy of every weight."""
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _update_count(self, index: Any) -> None:
        count = self._index_update_count.get(index, self.begin_num_update) + 1
        self._index_update_count[index] = count
        self.num_update = max(self.num_update, count)

    # -- updates

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the optimizer's state for a weight: None, an array, or a tuple of arrays."""
        return None

    def create_state_multi_precision(self, index: Any, weight: NDArray) -> Any:
        """Return ``create_state(weight)``, with the float32 copy of a half-precision weight."""
        if not self._has_master_(weight):
            return self.create_state(index, weight)
        master = weight.astype("float32")
        own = self.create_state(index, master)
        return (own, master) if self._master_last_ else (master, own)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Change a weight and its state in place, or lists of them."""
        if isinstance(index, (list, tuple)):
            for row in zip(index, weight, grad, state, strict=True):
                self.update(*row)
            return
        self._update_count(index)
        count = self._index_update_count[index]
        step = Step(self._get_lr(index), self._get_wd(index), count)
        if weight._is_sparse or grad._is_sparse:
            sparse_steps.advance(self, weight, grad, state, step)
            return
        with weight._platform.computing():
            self._step_(weight, grad, state, step)

    def _lazy_(self, weight: NDArray, step: Step) -> bool:
        """Whether a gradient that stores some rows changes these rows only, and leaves the states of the others."""
        return bool(getattr(self, "lazy_update", False))

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update as `update` does; a master copy is changed where there is one, and the weight follows."""
        if isinstance(index, (list, tuple)):
            for row in zip(index, weight, grad, state, strict=True):
                self.update_multi_precision(*row)
            return
        if not self._has_master_(weight):
            self.update(index, weight, grad, state)
            return
        own, master = state if self._master_last_ else reversed(state)
        self.update(index, master, grad.astype("float32"), own)
        weight._write(master._data)

    def _has_master_(self, weight: NDArray) -> bool:
        return self.multi_precision and weight.dtype == np.float16

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not implement update")

    # -- what subclasses are written with

    def _run_(self, operator: str, weight: NDArray, *others: NDArray, **params: Any) -> None:
        """Change a weight (and the states among `others`) by an update operator."""
        op, arrays = registry.get(operator), [weight, *others]
        # Most optimizers take the same step with all weights.
        floats = all(type(value) is float for value in params.values())
        known = dict(_normalized(op, tuple(params.items()))) if floats else normalize(op, params)
        sparse = any(a._is_sparse for a in arrays)
        if sparse and "lazy_update" in op.params:
            known["lazy_update"] = self._lazy_(weight, Step(0, 0, 0))
        native = not autograd.mode.recording and not sparse and all(a._platform is weight._platform for a in others)
        engine = engine_on(weight._platform, chosen_engine())
        for array in arrays if native else ():
            changing(array._data)
        changed = engine.update(op, [a._data for a in arrays], known) if native else ()
        for position in changed:
            tell_written(arrays[position]._data)
        if not changed:
            invoke(op, arrays, known, out=weight)

    def _usual_(self, step: Step) -> dict[str, Any]:
        """Return the parameters that almost all update operators take."""
        clip = -1.0 if self.clip_gradient is None else self.clip_gradient
        return {"lr": step.lr, "wd": step.wd, "rescale_grad": self.rescale_grad, "clip_gradient": clip}

    def _prepared_(self, grad: NDArray, decay: Any = 0) -> Any:
        """Return the values of a gradient, in its array module: rescaled, with a decay added, then clipped."""
        values = grad._data * self.rescale_grad + decay
        if self.clip_gradient is None:
            return values
        return grad._platform.xp.clip(values, -self.clip_gradient, self.clip_gradient)


@lru_cache(32)
def _normalized(op: Operator, params: tuple[tuple[str, float], ...]) -> Mapping[str, Any]:
    return normalize(op, dict(params))


def _of_arguments(symbol: Symbol) -> dict[str, dict[str, str]]:
    attributes = symbol.attr_dict()
    return {name: attributes[name] for name in symbol.list_arguments() if name in attributes}


def _base_rate(learning_rate: float | None, scheduler: Any) -> float:
    """Return the rate to begin with; a rate that is given is the scheduler's base too, as MXNet says aloud."""
    if scheduler is None:
        return 0.01 if learning_rate is None else learning_rate
    if learning_rate is None:
        return float(scheduler.base_lr)
    if scheduler.base_lr != learning_rate:
        print("learning rate from ``lr_scheduler`` has been overwritten by ``learning_rate`` in optimizer.")
        scheduler.base_lr = learning_rate
    return learning_rate


def norm(array: NDArray) -> float:
    """Return the square root of the sum of the squares of all elements."""
    with array._platform.computing():
        return float(array._platform.xp.linalg.norm(array._data))


def zeros_like(weight: NDArray, count: int) -> tuple[NDArray, ...]:
    """Return states of zeros of a weight's kind."""
    # Zeros of a sparse weight are stored where the weight is, so that they can be written there.
    return tuple(weight * 0 if weight._is_sparse else weight._filled(0) for _ in range(count))
