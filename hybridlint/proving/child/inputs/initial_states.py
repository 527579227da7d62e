"""Initial states of recurrent blocks, from the block's own ``begin_state`` or from its recurrent layers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint.proving.child.specs.seen_inputs import seen_inputs
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec

_BATCHES = (2, 3)
#: Input names that mean recurrent states: all states together, or a single one.
_ALL = re.compile(r"(?:\w+_)?states?(?:_?list)?|hiddens|hidden_states?")
_ONE = {"h", "c", "hidden", "cell", "hx", "cx"}
#: Affixes around the name of a single state: h_0, prev_h, hidden_state.
_AROUND = re.compile(r"(?:^(?:init|prev|last|begin|initial)_)|(?:_?(?:0|state|x|in|init|prev|tm1))$")


def states(block: Any, names: Sequence[str]) -> Iterator[dict[str, Spec]]:
    """Yield specs of the inputs among `names` that are states, the likeliest first; nothing if none are known."""
    state_names = [name for name in names if is_state(name)]
    if not state_names:
        return
    begun = _begun(block)
    if begun is not None:
        yield dict.fromkeys(state_names, begun)
    known = [_states_of(layer) for layer in recurrent(block)]
    known = [specs for specs in known if specs]
    if not known:
        return
    together = [state for specs in known for state in specs]
    for specs in [together, known[0]] if len(known) > 1 else known:
        yield from _named(state_names, specs)


def is_state(name: str) -> bool:
    """Whether an input's name means one or all states of a recurrent layer."""
    return _ALL.fullmatch(name.lower()) is not None or _AROUND.sub("", name.lower()) in _ONE


def _named(names: Sequence[str], known: list[TensorSpec]) -> Iterator[dict[str, Spec]]:
    """Yield specs by input name: each name gets one `known` state, or each gets the list of all states."""
    single = [name for name in names if _ALL.fullmatch(name.lower()) is None]
    whole: list[Any] = list(known)
    if (single and len(names) > 1) or len(known) == 1:
        yield {name: known[min(names.index(name), len(known) - 1)] if name in single else whole for name in names}
    if len(single) < len(names) or len(names) == 1:
        yield dict.fromkeys(names, whole)


def _begun(block: Any) -> Spec | None:
    """Return a spec of what the block's own `begin_state` returns, None if that is not known."""
    own = getattr(block, "begin_state", None)
    if not callable(own):
        return None
    mx = importlib.import_module("mxnet")
    for more in ({"func": mx.nd.zeros}, {}, {"ctx": mx.cpu()}):
        try:
            first, second = (own(batch_size=batch, **more) for batch in _BATCHES)
        except Exception:
            continue
        found = seen_inputs(({BATCH: _BATCHES[0]}, {BATCH: _BATCHES[1]}), [first], [second])
        # Only the batch may vary: no other named size has a known number here.
        if found is not None and not any(set(sizes) - {BATCH} for sizes in found.rounds):
            return found.inputs[0]
    return None


def _states_of(layer: Any) -> list[TensorSpec]:
    """Return the states that a recurrent cell or layer describes, an empty list if it cannot describe them."""
    try:
        infos = layer.state_info(0)
        return [_state(info["shape"], info.get("__layout__", "NC")) for info in infos]
    except Exception:
        return []


def _state(shape: Sequence[int], layout: str) -> TensorSpec:
    sizes = tuple(BATCH if k == layout.find("N") else size for k, size in enumerate(shape))
    return TensorSpec(sizes, single=frozenset(k for k, size in enumerate(sizes) if size == 1))


def recurrent(block: Any) -> Iterator[Any]:
    """Yield the recurrent cells and layers in a block, but not those inside another one."""
    for child in block._children.values():
        # MXNet 2 stores weak references to children.
        layer = child() if type(child).__name__ == "ReferenceType" else child
        if hasattr(layer, "state_info") and hasattr(layer, "begin_state"):
            yield layer
        else:
            yield from recurrent(layer)
