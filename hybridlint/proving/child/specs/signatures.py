"""The inputs of a block: which method takes them, and by which names."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from hybridlint.proving.child.classes import BLOCK, ENTRY, HYBRID_BLOCK
from hybridlint.proving.child.errors import HEIRS, NotRunError

_OURS = ("mxnet.", "hybridlint.runtime.")
#: Classes of MXNet whose forward calls a hybrid_forward that they do not define.
_ABSTRACT = (BLOCK, HYBRID_BLOCK, "RecurrentCell", "HybridRecurrentCell", "Loss")


class CallSignature(NamedTuple):
    """The inputs of a block's forward method.

    `required` are names without a default, `optional` names with one; `variadic` says that it takes ``*inputs``.
    """

    required: list[str]
    optional: list[str]
    variadic: bool


def signature(block: Any) -> CallSignature:
    """Return the inputs of a block: the arguments of its forward method except F and the block's own parameters."""
    function = _called(block) or own_forward(block) or forward_of(block)
    parameters = list(inspect.signature(function).parameters.values())
    if function.__name__ == ENTRY:
        parameters = parameters[1:]
    plain = [
        p
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name not in block._reg_params
    ]
    return CallSignature(
        [p.name for p in plain if p.default is p.empty],
        [p.name for p in plain if p.default is not p.empty],
        any(p.kind is p.VAR_POSITIONAL for p in parameters),
    )


def _called(block: Any) -> Any:
    """Return the block's own ``__call__`` if it has one with named inputs, None otherwise."""
    for cls in type(block).__mro__:
        if "__call__" in vars(cls):
            if cls.__module__.startswith(_OURS):
                return None
            parameters = inspect.signature(block.__call__).parameters.values()
            return None if any(p.kind is p.VAR_POSITIONAL for p in parameters) else block.__call__
    return None


def own_forward(block: Any) -> Any:
    """Return the block's own ``forward`` if it overrides that of HybridBlock and has named inputs, None otherwise."""
    for cls in type(block).__mro__:
        if cls.__module__.startswith(_OURS):
            return None
        if "forward" in vars(cls):
            kinds = [p.kind for p in inspect.signature(block.forward).parameters.values()]
            return None if inspect.Parameter.VAR_POSITIONAL in kinds else block.forward
    return None


def around_the_graph(block: Any) -> str:
    """Return the name of the method of the block's own that its graph runs inside: `__call__`, `forward`, or ""."""
    own = [cls for cls in type(block).__mro__ if not cls.__module__.startswith(_OURS) and cls is not object]
    return next((name for name in ("__call__", "forward") if any(name in vars(cls) for cls in own)), "")


def forward_of(block: Any) -> Any:
    """Return the bound method hybrid_forward, or else forward. Raises NotRunError if the block defines neither."""
    for name in (ENTRY, "forward"):
        for cls in type(block).__mro__:
            if name in vars(cls):
                if cls.__module__.startswith(_OURS) and cls.__name__ in _ABSTRACT:
                    break
                return getattr(block, name)
    raise NotRunError("it is abstract: neither hybrid_forward nor forward is defined", HEIRS)
