"""Candidate inputs for a block whose inputs the user has not specified."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint.proving.child.inputs.initial_states import is_state, states
from hybridlint.proving.child.inputs.source import input_hints
from hybridlint.proving.child.inputs.source.documented_inputs import documented_specs
from hybridlint.proving.child.inputs.source.pyramids import pyramids
from hybridlint.proving.child.inputs.source.ranks import Implied, implied_facts
from hybridlint.proving.child.inputs.source.usage import Usage, usage
from hybridlint.proving.child.inputs.source.variadic_inputs import goes_through_all, variadic_names
from hybridlint.proving.child.specs.signatures import CallSignature, forward_of, signature
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec, ValueSpec

#: Shapes that real blocks accept. Sizes differ from each other, so that confusing two axes causes an error.
_COMMON: tuple[tuple[int | str, ...], ...] = (
    ("N", 4),
    ("N", 3, "H", "W"),
    ("N", "T", 4),
    ("T", "N", 4),
    ("N", 3, 16, 16),
    ("N", 3, 32, 32),
    ("N", 1, 28, 28),
    ("N", 3, "D", "H", "W"),
    ("N", 3, 64, 64),
    ("N", 3, 224, 224),
    ("N", 784),
    ("N", 2, 3),
    ("N", "N"),
    ("N", 3, 4, 4, 2, 2),
    ("N",),
)
#: Shapes tried for undocumented inputs beside a documented one.
_COMPANIONS: tuple[tuple[int | str, ...], ...] = (("N",), ("N", 1), ("N", 4), ("N", "T"), ("N", "T", 4))
#: Names of the axes between the batch and the channels of arrays of images, such as the frames of videos.
_FRAMES = ("D", "T")
#: Numbers for the named sizes in the first and the second round of runs. The batch sizes come from the settings.
SIZES = ({"H": 8, "W": 10, "T": 5, "D": 6}, {"H": 12, "W": 14, "T": 7, "D": 8})


#: The number of items of a list, if the code does not tell it.
_ITEMS = 2
#: Numbers of inputs for a block that iterates over all of its inputs.
_SEVERAL = (2, 3)
#: Most sets of required inputs that are combined with variadic states.
_WITH_STATES = 6


def candidates(block: Any) -> Iterator[dict[str, Spec]]:
    """Yield specs of a block's inputs to try, by name, the likeliest first."""
    takes = signature(block)
    if takes.variadic:
        yield from _with_states(block, takes.required, _variadic(block, takes))
    yield from _with_states(block, [*takes.required, *takes.optional], _candidates(block, takes))


def _with_states(block: Any, names: Sequence[str], found: Iterator[dict[str, Spec]]) -> Iterator[dict[str, Spec]]:
    """Yield the inputs in `found`; those that are recurrent states get the specs of the block's recurrent layers.

    Names such as `states` or `h` identify states.
    """
    known = list(states(block, names))
    for inputs in found:
        begun = known or list(states(block, list(inputs)))
        for one in begun or [{}]:
            yield {**inputs, **{name: _filled(spec, inputs[name]) for name, spec in one.items() if name in inputs}}


def _filled(known: Spec, spec: Spec) -> Spec:
    """Return the known spec of states; a list is lengthened, by repeating its last state, to the length of `spec`."""
    if not isinstance(known, list) or not isinstance(spec, list):
        return known
    return [*known, *(known[-1:] * (len(spec) - len(known)))]


def _variadic(block: Any, takes: CallSignature) -> Iterator[dict[str, Spec]]:
    """Yield inputs of a block that takes ``*inputs``: as many as its source unpacks, or else two or three."""
    found = variadic_names(block, forward_of(block))
    for names in found:
        yield from _candidates(block, CallSignature([*takes.required, *names], [], False))
    yield from _variadic_states(block, takes)
    if found or (takes.required and not goes_through_all(forward_of(block))):
        return
    several = [[*takes.required, *(f"input {k}" for k in range(count))] for count in _SEVERAL]
    tried = [_candidates(block, CallSignature(names, [], False)) for names in several]
    for some in itertools.zip_longest(*tried):
        yield from (inputs for inputs in some if inputs is not None)


def _variadic_states(block: Any, takes: CallSignature) -> Iterator[dict[str, Spec]]:
    """Yield inputs of a block that takes its recurrent states as ``*states``; nothing for other variadic inputs."""
    parameters = inspect.signature(forward_of(block)).parameters.values()
    name = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "")
    if not is_state(name):
        return
    for known in states(block, [name]):
        spec = known[name]
        several: list[Any] = spec if isinstance(spec, list) else [spec]
        for inputs in itertools.islice(_candidates(block, CallSignature(takes.required, [], False)), _WITH_STATES):
            yield {**inputs, **{f"{name}{k}": state for k, state in enumerate(several)}}


def _candidates(block: Any, takes: CallSignature) -> Iterator[dict[str, Spec]]:
    names = takes.required or takes.optional[:1] or (["inputs"] if takes.variadic else [])
    if not names:
        yield {}
        return
    used = usage(block, forward_of(block))
    yield from _recurrent(block, names)
    yield from pyramids(block, names, used.lists | used.chosen)
    stated = list(_described(block, takes, names))
    for plain in (True, False):
        # An array can be gone through too, and a stated shape is that of an array, unless it says "list".
        for described_inputs in stated:
            yield from _kinds(described_inputs, used._replace(lists=set()) if plain else used)
    known = implied_facts(block, forward_of(block))
    ranks = {name: (one.least, one.most) for name, one in known.items()}
    own = known.get(names[0], Implied())
    some = _unique([*own.specs, *input_hints.layer_inputs(block), *_of_rank(own), *map(TensorSpec, _COMMON)])
    firsts = _ordered(some, (own.least, own.most))
    seen = set()
    for count, first in _schedule(firsts, len(names)):
        specs = list(_companions(first, names, ranks))
        for inputs in specs[count : count + 1]:
            for kind in _kinds(inputs, used):
                if str(kind) not in seen:
                    seen.add(str(kind))
                    yield kind
    for first in firsts[:4]:
        yield {names[0]: [first, first], **dict.fromkeys(names[1:], first)}


def _described(block: Any, takes: CallSignature, names: Sequence[str]) -> Iterator[dict[str, Spec]]:
    """Yield inputs with the shapes that the block's docstrings and comments give; nothing if they give none.

    First come the inputs `names` alone, then the required inputs with all documented optional ones.
    """
    specs = documented_specs(block, forward_of(block), [*takes.required, *takes.optional])
    if not specs:
        return
    first = next(iter(specs.values()))
    like = first if isinstance(first, TensorSpec) else TensorSpec((BATCH, 4))
    others = [like] if set(names) <= specs.keys() else [like, *(like.reshaped(shape) for shape in _COMPANIONS)]
    for other in others:
        yield {name: specs.get(name, spec_for_name(name, other)) for name in names}
    last = max((k for k, name in enumerate(takes.optional) if name in specs), default=-1)
    if last >= 0:
        optional = takes.optional[: last + 1]
        needed: dict[str, Spec] = {name: specs.get(name, spec_for_name(name, like)) for name in takes.required}
        yield {**needed, **{name: specs.get(name, ValueSpec("None")) for name in optional}}


def _recurrent(block: Any, names: Sequence[str]) -> Iterator[dict[str, Spec]]:
    """Yield the two inputs of a recurrent cell: an input, and the list of states that its `state_info` describes."""
    if len(names) != 2 or not hasattr(block, "state_info"):
        return
    try:
        states: list[Any] = [TensorSpec((BATCH, *info["shape"][1:])) for info in block.state_info(0)]
    except Exception:
        return
    for first in _unique([*input_hints.layer_inputs(block), *map(TensorSpec, _COMMON)])[:8]:
        yield {names[0]: first, names[1]: states}


def _kinds(inputs: dict[str, Spec], used: Usage) -> Iterator[dict[str, Spec]]:
    """Yield `inputs` changed to match how the source uses them: as lists, indices, lengths, or positive numbers."""
    found: dict[str, Spec] = {}
    for name, spec in inputs.items():
        if isinstance(spec, TensorSpec) and name in used.lengths:
            found[name] = TensorSpec(spec.shape[:1], low=1, high=4, integers=True)
        elif isinstance(spec, TensorSpec) and name in used.indices:
            found[name] = TensorSpec(spec.shape, low=0, high=used.indices[name] or 3, integers=True)
        elif isinstance(spec, TensorSpec) and used.indices and spec.integers and not input_hints.whole_numbers(name):
            found[name] = TensorSpec(spec.shape)
        elif isinstance(spec, TensorSpec) and name in used.positive and not spec.integers:
            found[name] = TensorSpec(spec.shape, spec.dtype, 0.1, 2.0)
        else:
            found[name] = spec
    if used.parts.keys() & found.keys():
        for whole in (False, True):
            yield {**found, **_taken_apart(found, used, whole=whole)}
        return
    if used.lists & set(found):
        counts = {name: used.paired.get(name) or used.items.get(name) or _ITEMS for name in used.lists}
        yield {name: [spec] * counts[name] if name in used.lists else spec for name, spec in found.items()}
    yield found


def _taken_apart(inputs: dict[str, Spec], used: Usage, *, whole: bool) -> dict[str, Spec]:
    """Return list specs for those inputs that the source unpacks into several names (`used.parts`).

    Items that the source compares with None are None, except the first item; if `whole`, none of them is.
    """
    found: dict[str, Spec] = {}
    for name in used.parts.keys() & inputs.keys():
        spec = inputs[name]
        one = spec[0] if isinstance(spec, list) and spec else spec
        found[name] = [
            ValueSpec("None") if k and part in used.absent and not whole else _part(part, one)
            for k, part in enumerate(used.parts[name])
        ]
    return found


def _part(name: str, spec: Spec) -> Spec:
    if not isinstance(spec, TensorSpec):
        return spec
    masks = "mask" in name.lower() and len(spec.shape) > 2
    return spec_for_name(name, spec.reshaped(spec.shape[:-1]) if masks else spec)


def _schedule(firsts: Sequence[TensorSpec], count: int) -> Iterator[tuple[int, TensorSpec]]:
    """Yield pairs (k, first): try the k-th combination of `_companions` for this first input.

    `count` is the number of inputs. All combinations for the five likeliest first inputs come first.
    """
    if count == 1:
        yield from ((0, first) for first in firsts)
        return
    likely, rest = firsts[:5], firsts[5:]
    yield from ((k, first) for k, first in itertools.product(range(16), likely))
    yield from ((k, first) for k, first in itertools.product(range(4), rest))


def _companions(
    first: TensorSpec, names: Sequence[str], ranks: dict[str, tuple[int, int]]
) -> Iterator[dict[str, Spec]]:
    """Yield inputs by name: the first is `first`, and the others get its shape or a related shape.

    `ranks` has the least and the most dimensions of inputs, where the source implies them.
    """
    shape = first.shape
    related: list[tuple[int | str, ...]] = [
        shape,
        shape[:1],
        (*shape, 4),
        (*shape[:1], 1),
        shape[1:] or shape,
        shape[:2],
        (*shape[:1], *reversed(shape[1:])),
        (1, *shape[1:]),
        (*shape[:1], "T", *shape[-1:]),
    ]
    for labelled in _of_label(shape) if any(map(input_hints.whole_numbers, names[1:])) else ():
        # An input of integers that follows the data is mostly a label.
        yield {
            name: spec_for_name(
                name, first if k == 0 or not input_hints.whole_numbers(name) else first.reshaped(labelled)
            )
            for k, name in enumerate(names)
        }
    masks = [name for name in names[1:] if "mask" in name.lower() or input_hints.is_length(name)]
    for other in shapes_of_mask(shape) if masks and len(names) > len(masks) else ():
        # The masked input has the shape of the first one; the mask has a shape of its own.
        yield {name: spec_for_name(name, first.reshaped(other) if name in masks else first) for name in names}
    for other in related:
        inputs: dict[str, Spec] = {}
        for k, name in enumerate(names):
            low, high = ranks.get(name, (1, 9))
            own = _within(shape if k == 0 or not low <= len(other) <= high else other, low, high)
            inputs[name] = spec_for_name(name, TensorSpec(own, first.dtype, first.low, first.high, first.integers))
        yield inputs


def _within(shape: tuple[int | str, ...], low: int, high: int) -> tuple[int | str, ...]:
    """Return a shape of `low` to `high` axes where adding or removing an image's channel axis achieves that."""
    if _SEQUENCE <= len(shape) < low <= _SEQUENCE + 1:
        return (*shape[:1], 3, *shape[1:])
    return (*shape[:1], *shape[2:]) if len(shape) == _SEQUENCE + 1 > high >= _SEQUENCE else shape


def _of_label(shape: tuple[int | str, ...]) -> list[tuple[int | str, ...]]:
    """Return shapes of labels for an array of this shape: one for each batch item, or for each pixel."""
    return [shape[:1], (*shape[:1], *shape[2:])] if len(shape) > _SEQUENCE else [shape[:1]]


def shapes_of_mask(shape: tuple[int | str, ...]) -> list[tuple[int | str, ...]]:
    """Return shapes of masks for an array of this shape."""
    if len(shape) == _SEQUENCE:
        lengths = shape[:2]
        return [lengths, (*lengths, shape[1]), (shape[0], 1, shape[1]), (*lengths, 1), shape]
    return [shape, (shape[0], 1, *shape[2:]), shape[:2]] if len(shape) > _SEQUENCE else [shape]


#: Number of axes of a batch of sequences of vectors.
_SEQUENCE = 3


def spec_for_name(name: str, spec: TensorSpec) -> TensorSpec:
    """Return `spec` changed to hold the values that the input's name implies: a 0/1 mask, lengths, integers."""
    if "mask" in name.lower().split("_"):
        return TensorSpec(spec.shape, low=0, high=2, integers=True)
    if input_hints.is_length(name):
        return TensorSpec(spec.shape[:1], low=1, high=4, integers=True)
    if not spec.integers and input_hints.whole_numbers(name):
        return TensorSpec(spec.shape, low=0, high=3, integers=True)
    return spec


def _ordered(specs: Sequence[TensorSpec], rank: tuple[int, int]) -> list[TensorSpec]:
    """Return the specs sorted so that those with a number of axes in the range `rank` (least, most) come first."""
    return sorted(specs, key=lambda s: 0 if rank[0] <= len(s.shape) <= rank[1] else 1)


def _of_rank(known: Implied) -> Iterator[TensorSpec]:
    """Yield a spec with the least number of dimensions of an input where common shapes have fewer."""
    if known.least > _SEQUENCE + 1:
        yield TensorSpec((BATCH, *_FRAMES[-(known.least - 4) :], 3, "H", "W"))


def _unique(specs: Sequence[TensorSpec]) -> list[TensorSpec]:
    return list(dict.fromkeys(specs))
