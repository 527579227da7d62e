"""The exceptions that Symbols raise at the trace, for each event."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import (
    ArgumentsEvent,
    AttributeRead,
    Binary,
    Branch,
    Concretize,
    Event,
    ForeignCall,
    InPlace,
    MethodCall,
    OpCall,
    Subscript,
    TensorStore,
)
from hybridlint.analysis.model.values import Namespace, Outputs, StaticValue, Tensor, Value
from hybridlint.analysis.mxnet.operators.keys import refusal
from hybridlint.analysis.syntax.keys import key_of
from hybridlint.runtime.facts import surface
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.surface import Lack

_NOT_IMPLEMENTED = frozenset({"NotImplementedForSymbol", "MXNetError", "RuntimeError"})
_SUBSCRIPT = frozenset({"IndexError", "TypeError", "LookupError"}) | _NOT_IMPLEMENTED
_TO_NUMBER = frozenset({"float", "int", "complex", "round", "hash"})


def failure_classes(event: Event) -> frozenset[str]:
    """Return the exception classes that catch the failure of an event at the trace; empty if it does not fail."""
    names: frozenset[str] = frozenset()
    match event:
        case AttributeRead(value=Tensor(), name="__invert__"):
            names = frozenset({"TypeError"})
        case AttributeRead(value=Tensor(mode=mode) | Outputs(mode=mode), name=name):
            names = _lack(name, mode) & {"AttributeError"}
        case AttributeRead(value=Namespace()):
            names = frozenset({"AttributeError"})
        case MethodCall(receiver=Tensor(mode="legacy"), name="reshape", arguments=ArgumentsEvent(values=(_, _, *_))):
            names = frozenset({"MXNetError", "RuntimeError"})
        case MethodCall(receiver=Tensor(mode=mode) | Outputs(mode=mode), name=name):
            names = _lack(name, mode)
        case Branch(value=Tensor()) | InPlace(symbol="+=" | "-=" | "*=" | "/="):
            names = _NOT_IMPLEMENTED
        case Subscript(value=Tensor(mode="np")):
            names = _of_key(event)
        case Subscript() if not _selects(event):
            names = _SUBSCRIPT
        case Binary(failure=str()) if any(map(_of_numpy, (event.left, event.right))):
            names = frozenset({"TypeError"})
        case TensorStore():
            names = frozenset({"TypeError", "NotImplementedError"}) | _NOT_IMPLEMENTED
        case Concretize(how=how) if how in _TO_NUMBER or _of_numpy(event.value):
            names = frozenset({"TypeError"}) | _NOT_IMPLEMENTED
        case ForeignCall(operator=Operator(), arguments=ArgumentsEvent(values=(Tensor(mode="np"),))):
            # Numpy looks up a method with the function's name on the Symbol.
            names = frozenset({"AttributeError"})
        case ForeignCall(function=name) if not name.startswith(("copy.", "pickle.")):
            names = frozenset({"TypeError", "AttributeError"}) | _NOT_IMPLEMENTED
        case OpCall(namespace=Namespace(root="F", path=path), name=name) if surface.namespace_lacks(path, name):
            names = frozenset({"AttributeError"})
    return names


def _lack(name: str, mode: surface.Mode) -> frozenset[str]:
    match surface.tensor_lack(name, mode):
        case Lack.MISSING:
            return frozenset({"AttributeError"})
        case Lack.NOT_IMPLEMENTED:
            return _NOT_IMPLEMENTED
        case Lack.SIGNATURE:
            return frozenset({"TypeError"})
        case _:
            return frozenset()


def _of_key(event: Subscript) -> frozenset[str]:
    """Return the exception classes that catch a numpy-mode Symbol's failure for a subscript key at the trace."""
    assert isinstance(event.node, ast.Subscript)
    match refusal(key_of(event.node.slice, event.key_values)):
        case "IndexError":
            return frozenset({"IndexError", "LookupError"})
        case "MXNetError":
            return frozenset({"MXNetError", "RuntimeError"})
        case _:
            return frozenset()


def _of_numpy(value: Value) -> bool:
    return isinstance(value, Tensor) and value.mode == "np"


def _selects(event: Subscript) -> bool:
    """Return whether a Symbol accepts a subscript, although it may return another array than an NDArray does."""
    if isinstance(event.value, Outputs) or len(event.key_values) != 1:
        return isinstance(event.value, Outputs)
    key = event.key_values[0]
    known = key.value if isinstance(key, StaticValue) else None
    return known == 0 or (isinstance(known, slice) and not known.start)
