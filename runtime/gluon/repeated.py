"""Calls of a compiled block that are like the last ones: they go straight to the executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.autograd import mode
from hybridlint.runtime.core import profiling
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.gluon.structure import regroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.compiled.cached_op import CachedOp, Recent
    from hybridlint.runtime.gluon.structure import Format
    from hybridlint.runtime.ndarray.ndarray import NDArray


class Repeated:
    """Predicts on arrays that are like the arguments of an earlier call, with the same parameters."""

    __slots__ = ("_again", "_call", "_ctx", "_data", "_form", "_held", "_recent", "_training", "_wrap")

    def __init__(
        self,
        call: CachedOp,
        recent: Recent,
        args: Sequence[NDArray],
        given: Sequence[NDArray],
        sources: Sequence[int | Parameter],
        form: Format,
    ) -> None:
        self._call, self._recent, self._form = call, recent, form
        self._training, self._wrap, self._ctx = recent.training, call.array_class._wrap, given[0]._ctx
        raws = [array._data for array in given]
        self._again = recent.executor.again(raws, [sources.index(position) for position in range(len(args))])
        #: What arguments have in common with those of that call.
        self._data = [(type(x), x._ctx, type(x._data), x._data.shape, x._data.dtype) for x in args]
        #: A parameter is the same while it holds the same array, and that the same memory.
        self._held = [
            (source, source._data, array, raw)
            for source, array, raw in zip(sources, given, raws, strict=True)
            if isinstance(source, Parameter) and source._data is not None
        ]

    @staticmethod
    def of(
        call: CachedOp,
        args: Sequence[Any],
        given: Sequence[NDArray],
        sources: Sequence[int | Parameter],
        form: Format,
    ) -> Repeated | None:
        """Return an object that repeats a call just done on these arguments; None if that takes more work."""
        recent, raws = call.recent, [array._data for array in given]
        if recent is None or not call.only_computes or not recent.serves(raws, mode.training):
            return None
        data = [source for source in sources if isinstance(source, int)]
        params = [source for source in sources if isinstance(source, Parameter)]
        plain = all(
            type(param).data is Parameter.data and param._data is not None and len(param._data) == 1 for param in params
        )
        if not plain or sorted(data) != list(range(len(args))):
            return None
        return Repeated(call, recent, args, given, sources, form)

    def run(self, args: tuple[Any, ...]) -> Any:
        """Return the outputs; None where the call is another one after all."""
        if (
            mode.recording
            or mode.training is not self._training
            or self._call.recent is not self._recent
            or profiling.running is not None
            or len(args) != len(self._data)
        ):
            return None
        raws = []
        for x, (kind, ctx, memory, shape, dtype) in zip(args, self._data):  # noqa: B905 -- the lengths were compared
            if type(x) is not kind or (x._ctx is not ctx and x._ctx != ctx):
                return None
            raw = x._data
            # Of each type numpy has one object as a rule, which is found equal to itself faster than by its value.
            if type(raw) is not memory or raw.shape != shape or (raw.dtype is not dtype and raw.dtype != dtype):
                return None
            raws.append(raw)
        for param, data, array, raw in self._held:
            if param._data is not data or data[0] is not array or array._data is not raw:
                return None
        found = self._again(raws)
        if self._form == 0:
            result = self._wrap(found[0])
            result._ctx = self._ctx
            return result
        return regroup([self._wrap(raw)._on(self._ctx) for raw in found], self._form)[0]
