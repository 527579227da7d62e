"""Files of whole models: the nesting of blocks and their traces, and the parameters.

Blocks are identified by class and number, counted depth first, so the model must be built as it was when saved.
"""

from __future__ import annotations

import itertools
import json
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.base import DamagedFileError
from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.interfaces import TracedBlock
from hybridlint.runtime.symbol import load_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridlint.runtime.gluon.interfaces import NamedBlock, NestedBlock, TraceData


def save_model(block: NestedBlock, prefix: str) -> None:
    """Write ``prefix-model.json`` and ``prefix-model.params``."""
    numbers = itertools.count()
    Path(f"{prefix}-model.json").write_text(json.dumps({_key(block, numbers): _describe(block, numbers)}))
    block.save_parameters(f"{prefix}-model.params")


def load_model(block: NestedBlock, prefix: str) -> None:
    """Read both files.

    Raises OSError if a file cannot be read, KeyError if the blocks differ from those saved, MXNetError if a file is
    damaged.
    """
    path = Path(f"{prefix}-model.json")
    numbers = itertools.count()
    try:
        described = json.loads(path.read_text())
        _restore(block, described[_key(block, numbers)], numbers)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedFileError(f"{path} is no file of a model: {error or type(error).__name__}") from error
    block.load_parameters(f"{prefix}-model.params")


def _key(block: NestedBlock, numbers: Iterator[int]) -> str:
    return f"{type(block).__name__.lower()}{next(numbers)}"


def _describe(block: NestedBlock, numbers: Iterator[int]) -> dict[str, Any]:
    children: dict[str, str] = {}
    found: dict[str, Any] = {"orig_name": block.name}
    if isinstance(block, TracedBlock):
        found.update(_describe_trace(block._trace_))
    found["children"] = children
    for name, child in block._children.items():
        children[child.name] = name
        key = _key(child, numbers)
        found[key] = _describe(child, numbers)
    return found


def _describe_trace(trace: TraceData | None) -> dict[str, Any]:
    if trace is None:
        return {"hybridized": False}
    return {
        "in_format": trace.in_format,
        "out_format": trace.out_format,
        "inputs": [symbol.tojson(remove_amp_cast=False) for symbol in trace.inputs],
        "symbol": trace.graph.tojson(remove_amp_cast=False),
        "hybridized": True,
    }


def _restore(block: NestedBlock, found: dict[str, Any], numbers: Iterator[int]) -> None:
    named: OrderedDict[str, NestedBlock] = OrderedDict()
    for child in block._children.values():
        inner = found[_key(child, numbers)]
        named[found["children"][inner["orig_name"]]] = child
        _restore(child, inner, numbers)
    block._children = named
    _rename(block, found["orig_name"])
    if isinstance(block, TracedBlock) and found["hybridized"]:
        inputs = [arrays.in_use(load_json(text)) for text in found["inputs"]]
        graph = arrays.in_use(load_json(found["symbol"]))
        block._restore_(inputs, graph, found["in_format"], found["out_format"])


def _rename(block: NamedBlock, name: str) -> None:
    """Give the block, and the keys of its parameters, the names in the saved graph; parameters keep their own names."""
    old, params = block.name, block.params._params
    block._name = name
    renamed = [(name + key[len(old) :] if key.startswith(old) else key, param) for key, param in params.items()]
    block.params._params = OrderedDict(renamed)
