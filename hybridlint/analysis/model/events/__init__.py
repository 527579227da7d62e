"""Events that the interpreter emits for rules: one frozen dataclass for each thing that a rule can ask about.

Events are semantic: a rule never depends on how something is spelled. No event is emitted for code that can only run
eagerly (under ``if F is mx.nd``) or whose operands are unknown.
"""

from hybridlint.analysis.model.events.calls import (
    NOTHING,
    Arguments,
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
    Signature,
    UnlistedParameter,
    UnusedResult,
)
from hybridlint.analysis.model.events.place import (
    CallSite,
    Event,
    Frame,
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
    Store,
    Subscript,
)
from hybridlint.analysis.model.events.tracing import (
    Adjusted,
    ControlFlow,
    Guard,
    Return,
    Scope,
    SideEffect,
    TraceConstant,
    Unfinished,
)

__all__ = [
    "ITERATING",
    "NOTHING",
    "Adjusted",
    "Arguments",
    "AttributeRead",
    "AttributeStore",
    "Binary",
    "BlockCall",
    "BlockDef",
    "Branch",
    "CallSite",
    "ChildDef",
    "CompiledCall",
    "Concretize",
    "ControlFlow",
    "Event",
    "ForeignCall",
    "Frame",
    "Guard",
    "InPlace",
    "LostName",
    "MethodCall",
    "MissingName",
    "Negation",
    "OpCall",
    "ParameterDef",
    "PlainBlockDef",
    "Return",
    "Scope",
    "SettingTest",
    "SideEffect",
    "Signature",
    "Store",
    "Subscript",
    "TraceConstant",
    "UnboundCall",
    "Unfinished",
    "UnlistedParameter",
    "UnusedResult",
]
