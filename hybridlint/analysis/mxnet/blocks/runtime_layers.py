"""Layers of the bundled runtime, built with the arguments in the analyzed code."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from hybridlint.analysis.model.arguments import constant
from hybridlint.analysis.model.values import STATIC_UNKNOWN, BlockRef, ContainerValue, ProjectClass, StaticValue, Value
from hybridlint.analysis.mxnet.classes import BASE_CLASSES, ENTRY
from hybridlint.runtime.facts.abstract.arguments import UNKNOWN
from hybridlint.runtime.facts.abstract.layers import Layer, layer, layer_of_any

#: Base classes of all layers; "" represents a class that is not one of Gluon's.
ROOTS = BASE_CLASSES | {""}
_PLAIN = (bool, int, float, str, type(None))


#: Each block of the last that were asked about, by its identity, with its layer.
_LAYERS: dict[int, tuple[BlockRef, Layer | None]] = {}
_MOST_LAYERS = 4096


def layer_of(block: BlockRef) -> Layer | None:
    """Return the Gluon layer that a block is or derives from; None if there is none."""
    known = _LAYERS.get(id(block))
    if known is not None and known[0] is block:
        return known[1]
    if len(_LAYERS) >= _MOST_LAYERS:
        _LAYERS.clear()
    layer = _layer_of(block)
    _LAYERS[id(block)] = block, layer
    return layer


def _layer_of(block: BlockRef) -> Layer | None:
    name = block.layer if block.info is None else gluon_base(block.info)
    if name in ROOTS:
        return None
    if block.info is not None and block.info.method("__init__") is not None:
        return layer_of_any(name)
    if not block.arguments:
        return layer(name)
    positional: list[tuple[int, Any]] = []
    named: list[tuple[str, Any]] = []
    for key, value in block.arguments.items():
        if key.isdecimal():
            positional.append((int(key), _known(value)))
        elif key != "slice":
            named.append((key, _known(value)))
    positional.sort(key=itemgetter(0))
    return layer(name, tuple(value for _, value in positional), tuple(named))


def gluon_base(info: ProjectClass) -> str:
    """Return the Gluon class that gives a project class its forward; "" if it has its own, or none."""
    known = [name.rpartition(".")[2] for name in info.foreign_bases if name.startswith("mxnet.gluon.")]
    own = info.method("forward") or info.method(ENTRY)
    return known[0] if known and own is None else ""


def is_container(block: BlockRef, layer: Layer | None) -> bool:
    """Return whether a block's behaviour depends on its children, or is unknown because it is a bare base class."""
    return block.layer in ROOTS if layer is None else layer.holds_others and not layer.steps


def _known(value: Value) -> Any:
    """Return a layer argument: a constant, a layer, or a tuple of these; `UNKNOWN` if it is not known."""
    if isinstance(value, StaticValue):
        known = value.value
        if isinstance(known, tuple | list):
            return tuple(part if isinstance(part, _PLAIN) else UNKNOWN for part in known)
        return known if isinstance(known, _PLAIN) else UNKNOWN
    if isinstance(value, BlockRef):
        return layer_of(value) or UNKNOWN
    if isinstance(value, ContainerValue) and value.kind in {"list", "tuple"} and value.items is not None:
        return tuple(map(_known, value.items))
    known = constant(value)
    return UNKNOWN if known is STATIC_UNKNOWN else known
