"""Gluon's image classification networks: they, and each of their parts, map one tensor to one tensor."""

from __future__ import annotations

from hybridlint.analysis.model.values import BlockRef

_MODULE = "mxnet.gluon.model_zoo."
#: The prefix of the layer names of networks and of their parts.
_PREFIX = "vision."
_PARTS = frozenset({"features", "output"})


def is_network(name: str) -> bool:
    """Return whether a dotted name is a class or function that builds a network."""
    return name == f"{_MODULE}get_model" or name.startswith(f"{_MODULE}{_PREFIX}")


def layer_name(name: str) -> str:
    """Return the layer name of blocks that the class or function of this dotted name builds."""
    return f"{_PREFIX}{name.rpartition('.')[2]}"


def is_of_network(layer: str) -> bool:
    """Return whether a layer is a network or a part of one."""
    return layer.startswith(_PREFIX)


def network_part(block: BlockRef, name: str) -> BlockRef | None:
    """Return a network's attribute if it is one of its parts."""
    if not is_of_network(block.layer) or name not in _PARTS:
        return None
    return BlockRef(f"{_PREFIX}{name}", hybrid=True, creation=block.creation)
