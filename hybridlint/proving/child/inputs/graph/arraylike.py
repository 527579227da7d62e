"""Symbols that behave like arrays while a graph is traced that models the eager run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.proving.child.inputs.graph.inferred_shapes import inferred_shapes

if TYPE_CHECKING:
    from collections.abc import Callable

#: Python operators and functions that broadcast arrays but not Symbols -> the operator that broadcasts both.
_OPERATORS = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__mod__": "mod", "__pow__": "power",
    "__iadd__": "add", "__isub__": "sub", "__imul__": "mul", "__itruediv__": "div", "__eq__": "equal",
    "__ne__": "not_equal", "__gt__": "greater", "__ge__": "greater_equal", "__lt__": "lesser", "__le__": "lesser_equal",
}  # fmt: skip
_FUNCTIONS = {"maximum": "maximum", "minimum": "minimum", "power": "power"}
#: Names of functions that only arrays have -> the name behind `broadcast_` where it is another.
_SHORT = {"multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div", "modulo": "mod"}
#: Fixed results for conversions of arrays to numbers; only shapes are inferred, and they seldom depend on values.
_NUMBERS = {
    "asscalar": lambda _self: 1.0, "item": lambda _self: 1.0, "__float__": lambda _self: 1.0,
    "__int__": lambda _self: 1, "__bool__": lambda _self: False,
}  # fmt: skip
_ABSENT = object()


class ArrayLike:
    """A context in which the Symbols of `mx` behave like arrays: subscripts, shapes, functions that only arrays have.

    `shapes` are those of the variables, by name; code that asks for shapes gets what follows from them, and `asked`
    says that it did. Operators broadcast; with `loose` only the calls with these numbers do, and `calls` has the number
    of each call by the name of its node.
    """

    def __init__(self, mx: Any, shapes: Mapping[str, tuple[int, ...]], loose: Collection[int] | None) -> None:
        self.mx = mx
        self.symbol = type(mx.sym.var("x"))
        self.shapes = dict(shapes)
        self.loose = loose
        self.asked = False
        self.calls: dict[str, int] = {}
        self._count = 0
        self._kept: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> ArrayLike:
        mx, symbol = self.mx, self.symbol
        for owner, table in ((symbol, _OPERATORS), (mx.sym, _FUNCTIONS)):
            for name, called in table.items():
                if name in vars(owner):
                    self._set(owner, name, self._either(vars(owner)[name], getattr(mx.sym, f"broadcast_{called}")))
        for name in (name for name in dir(mx.nd) if not hasattr(mx.sym, name)):
            broadcast = getattr(mx.sym, f"broadcast_{_SHORT.get(name, name)}", None)
            if broadcast is not None:
                self._set(mx.sym, name, broadcast)
        self._set(mx.sym, "array", self._constant)
        self._set(mx.sym, "concatenate", lambda arrays, axis=0, **_more: mx.sym.concat(*arrays, dim=axis))
        for name, answer in {"dtype": np.float32, "context": mx.cpu(), "ctx": mx.cpu(), **_NUMBERS}.items():
            self._set(symbol, name, answer)
        self._set(symbol, "shape", property(self._shape))
        self._set(symbol, "ndim", property(lambda one: len(self._shape(one))))
        self._set(symbol, "size", property(lambda one: int(np.prod(self._shape(one)))))
        self._set(symbol, "T", property(lambda one: one.transpose()))
        for name, answer in {"__getitem__": self._item, "__iter__": self._items, "__len__": self._length}.items():
            plain = getattr(symbol, name, None)
            self._set(symbol, name, lambda one, *rest, answer=answer, plain=plain: answer(plain, one, *rest))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for owner, name, plain in reversed(self._kept):
            if plain is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, plain)

    def _set(self, owner: Any, name: str, value: Any) -> None:
        self._kept.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)

    def _either(self, plain: Callable[..., Any], broadcast: Callable[..., Any]) -> Callable[..., Any]:
        def call(left: Any, right: Any, *rest: Any, **more: Any) -> Any:
            if type(left) is not self.symbol or type(right) is not self.symbol:
                return plain(left, right, *rest, **more)
            number, self._count = self._count, self._count + 1
            if self.loose is None or number in self.loose:
                return broadcast(left, right)
            found = plain(left, right, *rest, **more)
            self.calls[getattr(found, "name", "")] = number
            return found

        return call

    def _constant(self, value: Any, *_rest: Any, **_more: Any) -> Any:
        if type(value) is self.symbol:
            return value
        name = f"constant{len(self.shapes)}"
        self.shapes[name] = np.shape(value)
        return self.mx.sym.var(name, shape=np.shape(value))

    def _shape(self, one: Any) -> tuple[int, ...]:
        """Return the shape of a Symbol. Raises AttributeError if it does not follow from those of the inputs."""
        self.asked = True
        known = {name: shape for name, shape in self.shapes.items() if name in one.list_arguments()}
        _, found, _ = inferred_shapes(one, known)
        shape = tuple(found[0]) if found and found[0] is not None else (0,)
        if any(size <= 0 for size in shape):
            raise AttributeError("shape")
        return shape

    def _length(self, plain: Callable[..., Any] | None, one: Any) -> int:
        several = len(one.list_outputs())
        return several if several > 1 or (plain is None and not self._known(one)) else self._shape(one)[0]

    def _items(self, plain: Callable[..., Any] | None, one: Any) -> Iterator[Any]:
        if len(one.list_outputs()) > 1 or not self._known(one):
            assert plain is not None
            return iter(plain(one))
        return (self._item(None, one, place) for place in range(self._shape(one)[0]))

    def _known(self, one: Any) -> bool:
        try:
            return len(self._shape(one)) > 0
        except Exception:
            return False

    def _item(self, plain: Callable[..., Any] | None, one: Any, key: Any) -> Any:
        if isinstance(key, str) or len(one.list_outputs()) > 1:
            assert plain is not None
            return plain(one, key)
        if type(key) is self.symbol or isinstance(key, list):
            return self.mx.sym.take(one, self._constant(key), axis=0)
        return self._subscripted(one, key if isinstance(key, tuple) else (key,))

    def _subscripted(self, one: Any, keys: tuple[Any, ...]) -> Any:
        """Return what basic indexing gives: slices, integers, None, and an Ellipsis."""
        sym = self.mx.sym
        keys = self._spelled_out(one, keys)
        own = [key for key in keys if key is not None]
        for axis, key in enumerate(own):
            if isinstance(key, slice):
                ahead = [None] * axis
                ends = {"begin": (*ahead, key.start), "end": (*ahead, key.stop), "step": (*ahead, key.step)}
                one = one if key == slice(None) else sym.slice(one, **ends)
            else:
                one = sym.slice_axis(one, axis=axis, begin=int(key), end=None if int(key) == -1 else int(key) + 1)
        dropped = tuple(axis for axis, key in enumerate(own) if not isinstance(key, slice))
        one = sym.squeeze(one, axis=dropped) if dropped else one
        left = [key for key in keys if key is None or isinstance(key, slice)]
        for place in (place for place, key in enumerate(left) if key is None):
            one = sym.expand_dims(one, axis=place)
        return one

    def _spelled_out(self, one: Any, keys: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the keys with as many full slices in place of an Ellipsis as it represents."""
        places = [place for place, key in enumerate(keys) if key is Ellipsis]
        if not places:
            return keys
        before, after = keys[: places[0]], keys[places[0] + 1 :]
        own = sum(key is not None for key in (*before, *after))
        count = len(self._shape(one)) - own if any(key is not None for key in after) or None in after else 0
        return (*before, *[slice(None)] * count, *after)
