"""Texts that differ between NDArray and Symbol, or mx.nd and mx.sym: class and module names, ``str(F)``.

The names are those of MXNet 1.9.1. The texts leave out where the library is installed.
"""

from __future__ import annotations

from hybridlint.analysis.model.values import (
    TEXT,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    Namespace,
    Outputs,
    StaticValue,
    Tensor,
    TypeOf,
    Value,
)

_MODULES = {
    "nd.NDArray": "mxnet.ndarray.ndarray",
    "np.ndarray": "mxnet.numpy",
    "sym.Symbol": "mxnet.symbol.symbol",
    "sym._Symbol": "mxnet.symbol.numpy",
}
_NAMESPACES = ("mxnet.ndarray", "mxnet.symbol")


def text_of(value: Value) -> Value | None:
    """Return ``str(value)`` or ``repr(value)`` if it depends on the run, None otherwise."""
    match value:
        case Tensor(optional=False) | Outputs():
            return DataDependentValue(TEXT)
        case TypeOf(name=name):
            module = type_attribute(value, "__module__")
            return (
                None
                if not isinstance(module, StaticValue)
                else _text(f"<class '{module.value}.{name.rpartition('.')[2]}'>")
            )
        case EagerTracePair():
            eager, traced = text_of(value.eager), text_of(value.traced)
            return None if eager is None or traced is None else EagerTracePair(eager, traced)
        case Namespace(root="F", path=()):
            return EagerTracePair(*(_text(f"<module '{name}' from '{_file(name)}'>") for name in _NAMESPACES))
        case _:
            return None


def type_attribute(kind: TypeOf, name: str) -> StaticValue | ContainerValue | None:
    """Return an attribute of a class."""
    known = kind.name
    if name in {"__name__", "__qualname__"}:
        return _text(known.rpartition(".")[2])
    if name in {"__mro__", "__bases__"} and known in _MODULES:
        base = "NDArrayBase" if known in {"nd.NDArray", "np.ndarray"} else "SymbolBase"
        own = (kind,) if name == "__mro__" else ()
        return ContainerValue("tuple", (*own, TypeOf(base), *(TypeOf("object"),) * len(own)))
    return _text(_MODULES[known]) if name == "__module__" and known in _MODULES else None


def namespace_attribute(path: tuple[str, ...], name: str) -> EagerTracePair | None:
    """Return a module attribute of F or of a namespace in it, in each run: ``F.__name__``."""
    modules = [".".join((root, *path)) for root in _NAMESPACES]
    if name in {"__name__", "__package__"}:
        return EagerTracePair(*map(_text, modules if name == "__name__" else _NAMESPACES))
    return (
        EagerTracePair(*(_text(_file(module)) for module in _NAMESPACES)) if name == "__file__" and not path else None
    )


def _file(module: str) -> str:
    return f"{module.replace('.', '/')}/__init__.py"


def _text(value: str) -> StaticValue:
    return StaticValue(value, certain=True)
