"""The classes of Gluon's layers, made from their own source with blocks and tensors that need no arrays.

A module of layers is compiled once (Python keeps it) and executed with an import of its own: what it takes from other
modules of layers is made in the same way, what holds arrays is replaced.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

from hybridlint.runtime.abstract.blocks import Block, HybridBlock
from hybridlint.runtime.abstract.choices import Open
from hybridlint.runtime.abstract.tensors import Operators, TypedTensor

_RUNTIME = "hybridlint.runtime"
_GLUON = f"{_RUNTIME}.gluon"
#: Where layers are, by the modules of Gluon that users name.
PACKAGES = ("nn", "rnn", "contrib.nn", "contrib.cnn", "contrib.rnn", "loss")
#: Modules that are made from their source: those of layers, and what these have in common.
_FROM_SOURCE = (
    *(f"{_GLUON}.{package}" for package in PACKAGES),
    *(f"{_GLUON}.{module}" for module in ("metric_losses", "weighting")),
)


class _NoArray:
    """The class of arrays, where there are none."""


class _Anything:
    """A module, function or class that needs arrays: its members are of the same kind, calls give an open value."""

    def __init__(self, **members: Any) -> None:
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> _Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()

    def __call__(self, *args: Any, **kwargs: Any) -> Open:
        return Open.new()


_ARRAYS = _Anything(
    NDArray=_NoArray,
    Symbol=TypedTensor,
    tensor_types=(TypedTensor,),
    operators=lambda F: F,
    operator_namespace=lambda symbolic: Operators(),
)
_REPLACED = {
    f"{_GLUON}.arrays": _ARRAYS,
    f"{_GLUON}.block": _Anything(Block=Block, HybridBlock=HybridBlock),
    f"{_GLUON}.hybrid_block": _Anything(HybridBlock=HybridBlock),
    f"{_GLUON}.plain_block": _Anything(Block=Block),
    f"{_RUNTIME}.ndarray": Operators(),
    f"{_RUNTIME}.symbol.symbol": _Anything(Symbol=TypedTensor),
    f"{_RUNTIME}.util": _Anything(is_np_array=lambda: False),
}


class _Loader:
    """Modules that were made from their source, by name."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._modules: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import}

    def module(self, name: str) -> ModuleType:
        """Return a module of layers. One thread makes them, so that no other one sees half of a module."""
        with self._lock:
            return self._made(name)

    def _made(self, name: str) -> ModuleType:
        known = self._modules.get(name)
        if known is not None:
            return known
        module = self._modules[name] = ModuleType(name)
        code = SourceFileLoader(name, str(_file(name))).get_code(name)
        assert code is not None
        # Dataclasses look for their module among those that are imported, which this one is not.
        module.__dict__.update(__builtins__=self._builtins, __name__=__name__)
        exec(code, module.__dict__)
        return module

    def find(self, name: str) -> type[Block] | None:
        """Return a class of blocks of one of the modules that are made so far."""
        found = (vars(module).get(name) for module in list(self._modules.values()))
        return next((value for value in found if _is_layer(value)), None)

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        if not name.startswith(_RUNTIME):
            return __import__(name, globals, locals, fromlist, level)
        if name.startswith(_FROM_SOURCE):
            return self.module(name)
        return _REPLACED.get(name) or _Anything(**dict(self._below(name, fromlist)))

    @staticmethod
    def _below(name: str, members: Sequence[str]) -> list[tuple[str, Any]]:
        return [(member, _REPLACED[full]) for member in members if (full := f"{name}.{member}") in _REPLACED]


def _file(name: str) -> Path:
    place = Path(__file__).parent.parent.joinpath(*name.removeprefix(f"{_RUNTIME}.").split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


_loader = _Loader()


@cache
def layer_class(name: str) -> type[Block] | None:
    """Return the class of Gluon's layers that has this name; those that projects derive from are among them."""
    for package in PACKAGES if name.isidentifier() else ():
        _loader.module(f"{_GLUON}.{package}")
        found = _loader.find(name)
        if found is not None:
            return found
    return None


def layer_names() -> tuple[str, ...]:
    """Return the names of all layers that Gluon exports."""
    modules = [_loader.module(f"{_GLUON}.{package}") for package in PACKAGES]
    return tuple(sorted({name for module in modules for name, value in vars(module).items() if _is_layer(value)}))


def _is_layer(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Block) and value not in {Block, HybridBlock}
