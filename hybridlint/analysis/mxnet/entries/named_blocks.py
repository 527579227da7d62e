"""Blocks that a constructor is given under the name of a class of its file: ``Sampler(denoiser)``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, Unknown
from hybridlint.analysis.mxnet.blocks.eager_by_choice import runs_itself, stays_eager
from hybridlint.analysis.syntax.constructor_objects import forwarded_attributes

if TYPE_CHECKING:
    from hybridlint.analysis.project.instances import Instance
    from hybridlint.analysis.project.program import ClassInfo


def named_blocks(info: ClassInfo, instance: Instance) -> Iterator[tuple[str, BlockRef]]:
    """Yield the attributes that keep an argument named like a hybrid class of the file, with its block."""
    init = info.methods.get("__init__")
    kept = [pair for pair in forwarded_attributes(init) if _is_unknown(instance, pair[0])] if init is not None else []
    if not kept:
        return
    classes = [info.module.class_info(node) for node in info.module.survey.classes]
    for attribute, argument in kept:
        named = [one for one in classes if one is not info and _plain(one.node.name) == _plain(argument)]
        if len(named) == 1 and named[0].hybrid and not (stays_eager(named[0]) or runs_itself(named[0])):
            one = named[0]
            yield attribute, BlockRef(one.node.name, True, definition=one.node, info=one, creation=one.node)


def _is_unknown(instance: Instance, attribute: str) -> bool:
    return isinstance(instance.attributes.get(attribute), Unknown) and attribute not in instance.changing


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
