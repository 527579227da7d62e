"""Layer classes made from the source of Gluon's layers, with blocks and tensors that need no arrays.

Each module of layers is compiled once (Python caches the code) and executed with a custom import: other modules of
layers are loaded the same way, and modules that need arrays are replaced by stand-ins.
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

from hybridlint.runtime.facts.abstract.blocks import Block, HybridBlock
from hybridlint.runtime.facts.abstract.choices import Open
from hybridlint.runtime.facts.abstract.tensors import Operators, TypedTensor

_RUNTIME = "hybridlint.runtime"
_GLUON = f"{_RUNTIME}.gluon"
#: The modules of Gluon that export layers.
PACKAGES = ("nn", "rnn", "contrib.nn", "contrib.cnn", "contrib.rnn", "loss")
#: Modules loaded from source: those of layers, and their shared helpers.
_FROM_SOURCE = (
    *(f"{_GLUON}.{package}" for package in PACKAGES),
    *(f"{_GLUON}.{module}" for module in ("metric_losses", "loss_base")),
)


class _NoArray:
    """Stand-in for the array class."""


class _Anything:
    """Stand-in for a module, function or class that needs arrays. Members are stand-ins; calls give unknown values."""

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
    """The modules loaded from source so far, by name."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._modules: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import}

    def module(self, name: str) -> ModuleType:
        """Return a module of layers. A lock ensures that no thread sees a half-loaded module."""
        with self._lock:
            return self._made(name)

    def _made(self, name: str) -> ModuleType:
        known = self._modules.get(name)
        if known is not None:
            return known
        module = self._modules[name] = ModuleType(name)
        code = SourceFileLoader(name, str(_file(name))).get_code(name)
        assert code is not None
        # dataclasses looks up the defining module in sys.modules, which does not contain this one.
        module.__dict__.update(__builtins__=self._builtins, __name__=__name__)
        exec(code, module.__dict__)
        return module

    def find(self, name: str) -> type[Block] | None:
        """Return a block class from the modules loaded so far, or None."""
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
    place = Path(__file__).parents[2].joinpath(*name.removeprefix(f"{_RUNTIME}.").split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


_loader = _Loader()


@cache
def layer_class(name: str) -> type[Block] | None:
    """Return Gluon's layer class of this name, including base classes that projects subclass, or None."""
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
