"""Building a block: seeded, with the same parameter names each time, and with another block's parameter values."""

from __future__ import annotations

import random
import zlib
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.proving.child.build.arguments import Within
from hybridlint.proving.child.build.python_draws import python_draws_by
from hybridlint.proving.child.loaded_module import LoadedModule

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

SEED = 1234
#: The arguments of the blocks that were built last: a block may refer to one weakly, as to its parent.
_GIVEN: deque[Any] = deque(maxlen=8)


def seed_all(mx: Any, number: int, engine: int = 0) -> None:
    """Seed the random numbers of Python, numpy and mxnet; the number `engine` shifts the seed of mxnet alone."""
    random.seed(number)
    np.random.seed(number)
    mx.random.seed(number + 7919 * engine)


@contextmanager
def drawing(mx: Any, *, unordered: bool, by_mxnet: bool = False) -> Iterator[None]:
    """Draw random numbers independent of earlier draws, if `unordered` is true and the engine can.

    With `by_mxnet`, numbers that Python and numpy draw are MXNet's.
    """
    able: AbstractContextManager[Any] | None = mx.random.unordered_() if unordered and can_unorder(mx) else None
    with able or nullcontext(), python_draws_by(mx) if by_mxnet else nullcontext():
        yield


def can_unorder(mx: Any) -> bool:
    """Whether the engine can draw random numbers that do not depend on those drawn before: MXNet itself cannot."""
    return hasattr(mx.random, "unordered_")


def build(
    world: LoadedModule,
    cls: Any,
    args: Sequence[str],
    kwargs: Mapping[str, str],
    within: Within | None = None,
    *,
    initialize: bool = True,
    anew: bool = True,
) -> Any:
    """Return a new, initialized block.

    `args` and `kwargs` are expressions for the arguments of `cls`, a class or a function that builds the block. With
    `within` a larger block is built instead, and the block is taken from its place in it. The block is not hybridized.
    Its parameter names are numbered from the start each time. With `initialize` False the parameters get no values,
    which is enough for tracing. With `anew` the globals of the user's module are reset first; a second block that is
    used beside the first one must not reset them.
    """
    mx = world.mx
    if anew:
        world.restore()
    seed_all(mx, SEED)
    with mx.name.NameManager(), _same_choices():
        if within is None:
            block = construct(world, cls, args, kwargs)
        else:
            block = _held(world.evaluate(within.expression), within.path)
        _eager(mx, block)
        if initialize:
            seed_all(mx, SEED)
            block.initialize()
    return block


@contextmanager
def _same_choices() -> Iterator[None]:
    """Fix the seed of each `random.Random()` without one, so that building a block twice makes the same choices."""
    plain = random.Random.seed

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        plain(self, SEED if a is None else a, version)

    random.Random.seed = seed  # type: ignore[method-assign]
    try:
        yield
    finally:
        random.Random.seed = plain  # type: ignore[method-assign]


def _eager(mx: Any, block: Any) -> None:
    """Undo a hybridization by the block's constructor or factory. Raises TypeError if `block` is no block."""
    if not isinstance(block, mx.gluon.Block):
        raise TypeError(f"it builds no block, but a {type(block).__name__}")
    if any(getattr(part, "_active", False) for part in _parts(block)):
        block.hybridize(False)


def _parts(block: Any) -> Iterator[Any]:
    yield block
    for child in block._children.values():
        # MXNet 2 keeps weak references.
        yield from _parts(child() if type(child).__name__ == "ReferenceType" else child)


def construct(world: LoadedModule, cls: Any, args: Sequence[str], kwargs: Mapping[str, str]) -> Any:
    """Return the result of a class or function for these argument expressions; parameters stay uninitialized."""
    given = [*map(world.evaluate, args)]
    named = {key: world.evaluate(text) for key, text in kwargs.items()}
    _GIVEN.append((given, named))
    return cls(*given, **named)


def _held(block: Any, path: Sequence[str]) -> Any:
    for name in path:
        children = {str(key): child for key, child in block._children.items()}
        child = children[name]
        # MXNet 2 keeps weak references.
        block = child() if type(child).__name__ == "ReferenceType" else child
    return block


def parameters(block: Any) -> dict[str, Any]:
    """Return the parameters of a block by their full names."""
    return dict(block.collect_params().items())


def structural_names(block: Any) -> dict[int, str]:
    """Return the structural name of each parameter, such as ``features.0.weight``, keyed by the parameter's `id`."""
    return {id(parameter): name for name, parameter in block._collect_params_with_prefix().items()}


def perturb_parameters(block: Any) -> dict[str, Any]:
    """Return the values of an initialized block's parameters, by full name, with noise added; the block is unchanged.

    Zeros and ones hide errors, such as a dropped bias or a scale that is applied twice.
    """
    values: dict[str, Any] = {}
    for name, parameter in parameters(block).items():
        try:
            raw = parameter.data().asnumpy()
        except Exception as error:
            # A parameter that the forward pass never uses keeps an unknown shape and has no value.
            if type(error).__name__ == "DeferredInitializationError":
                continue
            raise
        rng = np.random.RandomState(zlib.crc32(name.encode()) % 2**32)
        if (raw.dtype.kind == "f" and parameter.grad_req != "null") or name.endswith("running_mean"):
            raw = raw + rng.normal(0.0, 0.1, raw.shape)
        elif name.endswith("running_var"):
            raw = raw * rng.uniform(0.5, 1.5, raw.shape)
        values[name] = raw.astype(parameter.data().dtype)
    return values


class Names:
    """The parameters of a block, keyed by the names of the same parameters in a reference block.

    `missing` lists the reference's parameters that the block lacks.
    """

    def __init__(self, block: Any, reference: Mapping[str, str], renamed: Mapping[str, str] | None = None) -> None:
        """Match parameters by full name, else by structural name; `reference` maps full to structural names.

        `renamed` maps full names in the reference to other full names in this block.
        """
        renamed = renamed or {}
        own = parameters(block)
        places = structural_names(block)
        by_place = {places[id(p)]: p for p in own.values() if id(p) in places}
        self.known: dict[str, Any] = {}
        self.missing: list[str] = []
        for name, place in reference.items():
            parameter = own.get(renamed.get(name, name), by_place.get(place))
            if parameter is None:
                self.missing.append(name)
            else:
                self.known[name] = parameter

    def set(self, world: LoadedModule, values: Mapping[str, Any]) -> None:
        """Set the parameters to `values`, keyed by reference name. Raises mxnet's own error if a shape differs."""
        for name, value in values.items():
            if name in self.known:
                parameter, array = self.known[name], world.array(value, value.dtype.name)
                # MXNet keeps the parameters of an imported block as legacy arrays, even in numpy mode.
                has_data = world.numpy_mode and parameter._data is not None
                if has_data and not isinstance(parameter.data(), world.mx.np.ndarray):
                    array = array.as_nd_ndarray()
                parameter.set_data(array)

    def gradients(self) -> dict[str, Any]:
        """Return the gradients of all parameters that have one."""
        return {
            name: p.grad().asnumpy()
            for name, p in self.known.items()
            if p.grad_req != "null" and p.data().dtype is not None
        }

    def states(self) -> dict[str, Any]:
        """Return the values of the parameters that have no gradient, such as running statistics."""
        return {name: p.data().asnumpy() for name, p in self.known.items() if p.grad_req == "null"}

    def clear_gradients(self) -> None:
        """Set all gradients to zero: a run would leave the gradients of parameters that it does not use unchanged."""
        for parameter in self.known.values():
            if parameter.grad_req == "null" or parameter._grad is None:
                continue
            # MXNet's zero_grad does not work in numpy mode.
            for gradient in parameter.list_grad():
                gradient[:] = 0


def trainable(block: Any) -> set[str]:
    """Return the full names of the parameters that training changes."""
    return {name for name, parameter in parameters(block).items() if parameter.grad_req != "null"}


def trained_values(values: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return other values for those float parameters whose names are in `names`, like after a training step.

    Signs stay, so that a scale stays positive, and the terms of long sums do not all grow: a normalization behind these
    would be left with rounding errors alone.
    """
    return {
        name: (0.75 * value + np.where(value < 0, -0.1, 0.1)).astype(value.dtype)
        for name, value in values.items()
        if name in names and value.dtype.kind == "f"
    }


def reference_names(block: Any, selected: Collection[str]) -> dict[str, str]:
    """Return the structural names of the parameters whose full names are in `selected`, keyed by full name."""
    places = structural_names(block)
    return {name: places.get(id(p), name) for name, p in parameters(block).items() if name in selected}
