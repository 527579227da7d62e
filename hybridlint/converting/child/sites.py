"""Observation of a run: where the module builds its layers, what they are given, and where it calls operators."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from hybridlint.runtime.core import inspection

#: A place in the source: first row, first column, last row, last column. Columns count bytes.
Span = tuple[int, int, int, int]
#: Most names of a scope whose numbers are kept for a layer.
_MOST_NAMES = 60
#: Most numbers of a list that is kept.
_MOST_ITEMS = 16
#: Sizes of layers that follow from their inputs: the parameter's name, and the axis.
_SIZES = {
    "weight": 1,
    "gamma": 0,
    "alpha": 0,
    "l0_i2h_weight": 1,
    "i2h_weight": 1,
}


class Sites:
    """Records layers by where the file `path` builds them, and operators by where it calls them."""

    def __init__(self, mx: Any, path: str) -> None:
        self._mx = mx
        self._path = path
        #: Each layer with where it was built and the numbers that names held there.
        self.layers: list[tuple[Span, Any, dict[str, Any]]] = []
        #: The shapes of the inputs of a layer's first call, by the layer's `id`; None for what is no array.
        self.given: dict[int, list[Any]] = {}
        #: The operators that ran at a place: name, shapes of inputs, shapes of outputs.
        self.operators: dict[Span, list[tuple[str, list[Any], list[Any]]]] = {}

    @contextmanager
    def building(self) -> Iterator[None]:
        """Record the layers that are built inside."""
        plain = self._mx.gluon.Block.__init__

        def recorded(block: Any, *args: Any, **kwargs: Any) -> None:
            plain(block, *args, **kwargs)
            frame = self._user_frame()
            if frame is not None:
                span = span_of(frame)
                if span is not None:
                    self.layers.append((span, block, _numbers(frame)))
            block.register_forward_pre_hook(self._note_inputs)

        self._mx.gluon.Block.__init__ = recorded
        try:
            yield
        finally:
            self._mx.gluon.Block.__init__ = plain

    @contextmanager
    def running(self) -> Iterator[None]:
        """Record the operators that are called inside."""
        before = inspection.inspector
        inspection.inspector = self
        try:
            yield
        finally:
            inspection.inspector = before

    def forward(self, run: Callable[..., Any], F: Any, args: Sequence[Any], params: Mapping[str, Any]) -> Any:
        """Call `run`, as the runtime's inspector has to."""
        return run(F, *args, **params)

    def asked_mode(self, switch: int) -> None:
        """Do nothing: which mode code asks for does not matter here."""

    def made(self, inputs: Sequence[Any], arrays: Sequence[Any], out: Any) -> None:
        """Record an operator's shapes at the place that called it."""
        frame = self._user_frame()
        span = None if frame is None else span_of(frame)
        if span is not None and span not in self.operators:
            self.operators[span] = [("", [_shape(x) for x in inputs], [_shape(x) for x in arrays])]
        elif span is not None and len(self.operators[span]) == 1:
            self.operators[span].append(("", [_shape(x) for x in inputs], [_shape(x) for x in arrays]))

    def rows(self) -> list[dict[str, Any]]:
        """Return what was seen of each layer as JSON data."""
        return [
            {
                "span": list(span),
                "kind": type(block).__name__,
                "size": self._size_of(block),
                "given": self.given.get(id(block)),
                "names": names,
            }
            for span, block, names in self.layers
        ]

    def _size_of(self, block: Any) -> int | None:
        """Return the size that a layer takes from its input; a layer of groups has parameters for groups alone."""
        first = (self.given.get(id(block)) or [None])[0]
        if hasattr(block, "_num_groups") and isinstance(first, list) and len(first) > 1:
            return int(first[1])
        return _size(block)

    def _note_inputs(self, block: Any, inputs: Sequence[Any]) -> None:
        if any(hasattr(x, "_data") for x in inputs):
            self.given.setdefault(id(block), [_shape(x) for x in inputs])

    def _user_frame(self) -> FrameType | None:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != self._path:
            frame = frame.f_back
        return frame


def span_of(frame: FrameType) -> Span | None:
    """Return the place of the call that a frame is at; None before Python 3.11, or without positions."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return None
    for at, (row, last_row, column, last_column) in enumerate(positions()):
        if at == frame.f_lasti // 2:
            return None if None in (row, column, last_row, last_column) else (row, column, last_row, last_column)
    return None


def _numbers(frame: FrameType) -> dict[str, Any]:
    """Return the whole numbers that names of a scope, and attributes of its `self`, hold."""
    names = {name: value for name, value in frame.f_locals.items() if _counts(value) and name.isidentifier()}
    own = frame.f_locals.get("self")
    attributes = vars(own) if hasattr(own, "__dict__") else {}
    held = {f"self.{name}": value for name, value in attributes.items() if _counts(value)}
    known = dict(list({**names, **held}.items())[:_MOST_NAMES])
    return {name: list(value) if isinstance(value, (tuple, list)) else value for name, value in known.items()}


def _counts(value: Any) -> bool:
    """Whether a value is a whole number, or a few of them."""
    if isinstance(value, (tuple, list)):
        return 0 < len(value) <= _MOST_ITEMS and all(type(item) is int for item in value)
    return type(value) is int


def _shape(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_shape(item) for item in value]
    # A trace with Symbols, which have no shape, solves shapes of parameters.
    return list(value.shape) if hasattr(value, "_data") and hasattr(value, "asnumpy") else None


def _size(block: Any) -> int | None:
    """Return the size that a layer takes from its input, None if it has none or was not run."""
    for name, parameter in block._reg_params.items():
        if name in _SIZES and parameter.shape is not None and len(parameter.shape) > _SIZES[name]:
            size = parameter.shape[_SIZES[name]]
            kwargs = getattr(block, "_kwargs", {})
            transposed = type(block).__name__.endswith("Transpose")
            groups = kwargs.get("num_group", 1) if "kernel" in kwargs else 1
            if transposed:
                return int(parameter.shape[0]) or None
            return int(size * groups) or None
    return None
