"""Block prefixes: given by the block whose `name_scope` is open, or by a global counter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.runtime.core.scoped_values import Current
from hybridlint.runtime.gluon.param_dict import ParameterDict
from hybridlint.runtime.name import Prefix
from hybridlint.runtime.name import current as current_names

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from hybridlint.runtime.gluon.interfaces import NamedBlock


def _none() -> BlockScope | None:
    return None


_current = Current(_none)


class _Innermost:
    """Holder of the thread's open scope, named as in MXNet: ``_BlockScope._current.value``."""

    @property
    def value(self) -> BlockScope | None:
        """The open scope, or None."""
        return _current.get()


class BlockScope:
    """The namespace of a block. Blocks created inside the ``with`` block are named after it.

    A scope cannot be re-entered: as in MXNet, leaving the outer ``with`` block then raises AttributeError. During
    tracing the block's scope is open, so that code which opens it in `hybrid_forward` runs only eagerly.
    """

    _current = _Innermost()

    def __init__(self, block: NamedBlock) -> None:
        self._block = block
        self._counter: dict[str, int] = {}
        self._open: list[Prefix] = []
        self._nested = False

    @staticmethod
    def create(prefix: str | None, params: ParameterDict | None, hint: str) -> tuple[str, ParameterDict]:
        """Return prefix and parameters of a new block. Without `prefix`, the next numbered name of `hint` is used."""
        parent = _current.get()
        if parent is None:
            prefix = current_names().get(None, hint) + "_" if prefix is None else prefix
            return prefix, ParameterDict(prefix) if params is None else ParameterDict(params.prefix, params)
        if prefix is None:
            count = parent._counter.get(hint, 0)
            parent._counter[hint] = count + 1
            prefix = f"{hint}{count}_"
        if params is None:
            above = parent._block.params
            made = ParameterDict(above.prefix + prefix, above._shared)
        else:
            made = ParameterDict(params.prefix, params)
        return parent._block.prefix + prefix, made

    def __enter__(self) -> Self:
        if not self._block._empty_prefix:
            self._nested = self._nested or bool(self._open)
            _current.push(self)
            self._open.append(Prefix(self._block.prefix).__enter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._block._empty_prefix:
            self._open.pop().__exit__(kind, value, trace)
            _current.pop()
            if self._nested and not self._open:
                self._nested = False
                raise AttributeError(f"name_scope of {self._block.name} was opened inside itself")
