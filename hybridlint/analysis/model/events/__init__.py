"""Events that the interpreter emits for rules: one frozen dataclass for each thing that a rule can ask about.

Events are semantic: a rule never depends on how something is spelled. No event is emitted for code that can only run
eagerly (under ``if F is mx.nd``) or whose operands are unknown.
"""

import warnings
from typing import Any

from hybridlint.analysis.model.events.calls import (
    NOTHING,
    ArgumentsEvent,
    BlockCall,
    CompiledCall,
    ForeignCall,
    MethodCall,
    OpCall,
    UnboundCall,
)
from hybridlint.analysis.model.events.classes import (
    BlockDef,
    ChildDef,
    ParameterDef,
    PlainBlockDef,
    SignatureEvent,
    UnlistedParameter,
    UnusedResult,
)
from hybridlint.analysis.model.events.code_context import (
    CallSite,
    CodeContext,
    Event,
    SettingTest,
)
from hybridlint.analysis.model.events.tensors import (
    ITERATING,
    AttributeRead,
    AttributeStore,
    Binary,
    Branch,
    Concretize,
    InPlace,
    LostName,
    MissingName,
    Negation,
    Subscript,
    TensorStore,
)
from hybridlint.analysis.model.events.tracing import (
    ControlFlow,
    GuardEvent,
    Return,
    ScopeEvent,
    SettingChangedOutside,
    SideEffect,
    TraceConstant,
    Unfinished,
)

__all__ = [
    "ITERATING",
    "NOTHING",
    "ArgumentsEvent",
    "AttributeRead",
    "AttributeStore",
    "Binary",
    "BlockCall",
    "BlockDef",
    "Branch",
    "CallSite",
    "ChildDef",
    "CodeContext",
    "CompiledCall",
    "Concretize",
    "ControlFlow",
    "Event",
    "ForeignCall",
    "GuardEvent",
    "InPlace",
    "LostName",
    "MethodCall",
    "MissingName",
    "Negation",
    "OpCall",
    "ParameterDef",
    "PlainBlockDef",
    "Return",
    "ScopeEvent",
    "SettingChangedOutside",
    "SettingTest",
    "SideEffect",
    "SignatureEvent",
    "Subscript",
    "TensorStore",
    "TraceConstant",
    "UnboundCall",
    "Unfinished",
    "UnlistedParameter",
    "UnusedResult",
]

#: Former names, which rules of a project's own may use for a version more.
_FORMER = {
    "Adjusted": SettingChangedOutside,
    "Arguments": ArgumentsEvent,
    "Frame": CodeContext,
    "Guard": GuardEvent,
    "Scope": ScopeEvent,
    "Signature": SignatureEvent,
    "Store": TensorStore,
}


def __getattr__(name: str) -> Any:
    if name not in _FORMER:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    warnings.warn(f"the event {name} is now {_FORMER[name].__name__}", DeprecationWarning, stacklevel=2)
    return _FORMER[name]
