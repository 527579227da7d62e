"""Initial states of recurrent blocks, from the block's own ``begin_state`` or from its recurrent layers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint.proving.child.inputs.seen_inputs import sighting
from hybridlint.proving.child.inputs.specs import BATCH, Spec, TensorSpec

_BATCHES = (2, 3)


def begin_states(block: Any, names: Sequence[str]) -> dict[str, Spec]:
    """Return specs of the inputs among `names` that are states, from the block's ``begin_state``."""
    wanted = [name for name in names if "state" in name.lower()]
    if not wanted or not callable(getattr(block, "begin_state", None)):
        return {}
    zeros = importlib.import_module("mxnet").nd.zeros
    try:
        first, second = (block.begin_state(batch_size=batch, func=zeros) for batch in _BATCHES)
    except Exception:
        return {}
    found = sighting(({BATCH: _BATCHES[0]}, {BATCH: _BATCHES[1]}), [first], [second])
    # A named size other than the batch has no known value here.
    if found is None or any(set(sizes) - {BATCH} for sizes in found.rounds):
        return {}
    return dict.fromkeys(wanted, found.inputs[0])


#: Input names that mean recurrent states: all states together, or a single one.
_ALL, _ONE = {"states", "state", "begin_state", "begin_states", "hidden_states"}, {"h", "c", "hidden", "cell", "memory"}
#: Affixes around the name of a single state: h_0, prev_h, hidden_state.
_AROUND = re.compile(r"(?:^(?:init|prev|last|begin|initial)_)|(?:_?(?:0|state|x|in|init|prev|tm1))$")


def layer_states(block: Any, names: Sequence[str]) -> dict[str, Spec]:
    """Return specs of the inputs among `names` that are states of the block's first recurrent layer."""
    layer = next(_recurrent(block), None)
    if layer is None:
        return {}
    state = TensorSpec((layer._num_layers * layer._dir, BATCH, layer._hidden_size))
    count = 2 if layer._mode == "lstm" else 1
    found: dict[str, Spec] = {}
    for name in names:
        if name.lower() in _ALL:
            found[name] = [state] * count
        elif _AROUND.sub("", name.lower()) in _ONE:
            found[name] = state
    return found


def _recurrent(block: Any) -> Iterator[Any]:
    for child in block._children.values():
        # MXNet 2 stores weak references to children.
        layer = child() if type(child).__name__ == "ReferenceType" else child
        if all(hasattr(layer, name) for name in ("_num_layers", "_dir", "_hidden_size", "_mode")):
            yield layer
        yield from _recurrent(layer)
