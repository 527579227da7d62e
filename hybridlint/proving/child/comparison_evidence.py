"""Evidence that a block's process sends about its runs: raw results, for a judge that runs none of its code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.core import schema
from hybridlint.proving.child.graphs import Exported
from hybridlint.proving.child.messages import CLAIM, STAGE_MESSAGE
from hybridlint.proving.child.runs.runs import Observation, PlannedCall
from hybridlint.proving.child.runs.variants import CHANGED, FULL, HALF, ON_GPU, REORDERED
from hybridlint.proving.child.sandbox.reads import READ
from hybridlint.proving.child.stages import OTHER_SIZES, PLACE, RECORDED, SURROUNDINGS, TRIAL
from hybridlint.proving.child.wire import DTYPES, MOST_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Sends a message with arrays.
    Send = Callable[[Mapping[str, Any], Sequence[Any]], None]

#: Values that are sent as they are; of others only the type is told, and which of them are equal.
_PLAIN = (type(None), bool, int, float, str)
#: Longer texts are sent in part.
_MOST_TEXT = 10_000

_NUMBER = schema.whole()
_NUMBERS = schema.items(_NUMBER)
_NAME = schema.text(_MOST_TEXT)


def _plain(value: Any) -> Any:
    """Check a value that is sent as it is, or the number of another value."""
    if type(value) is str:
        return schema.exact_text(_MOST_TEXT)(value)
    return (
        value if value is None or type(value) is bool else schema.number(value) if type(value) is float else _int(value)
    )


_int = schema.whole(-(1 << 63), 1 << 64)
#: The messages of a trial, by their events.
EVIDENCE = {
    "trial": schema.fields({"trial": _NUMBER}),
    "observation": schema.fields(
        {
            "trial": _NUMBER,
            "number": _NUMBER,
            "keep": schema.flag,
            "call": schema.parts(
                schema.items(schema.parts(_NAME, _NUMBER)), _NUMBER, schema.text(), _NUMBER, _NUMBER, schema.text()
            ),
            "failed": schema.optional(_NAME),
            "ran": schema.flag,
            "results": schema.items(schema.parts(_NAME, schema.text(), _plain)),
        }
    ),
    "agreed": schema.fields(
        {
            "trial": _NUMBER,
            "variant": schema.text(),
            "expected": schema.items(_NUMBER, least=1),
            **dict.fromkeys(("found", "full", "moved"), _NUMBERS),
            "wide": schema.parts(_NUMBERS, _NUMBERS),
            **dict.fromkeys(("left out", "values", "trainable"), schema.items(_NAME)),
            "graph": schema.optional(
                schema.parts(schema.exact_text(MOST_TEXT), schema.items(_NAME), schema.flag, schema.flag)
            ),
        }
    ),
}
#: What a new process may leave out of the proof of a block: each once, so that a proof ends.
OPTIONAL_WORK = (
    *(TRIAL, SURROUNDINGS, OTHER_SIZES, PLACE, RECORDED),
    *(variant.name for variant in (*FULL, *ON_GPU, REORDERED, CHANGED, HALF)),
)
#: What the process of a block sends.
OF_BLOCK = schema.by_event(
    {
        **EVIDENCE,
        "stage": schema.merge_fields(
            STAGE_MESSAGE,
            schema.fields(
                {"verdict": schema.optional(CLAIM), "optional": schema.optional(schema.one_of(*OPTIONAL_WORK))}
            ),
        ),
        "read": READ,
        "outcome": CLAIM,
    }
)


class ProofEvidence:
    """Sends what was compared and found equal, trial by trial; a trial is the comparison with one setup."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.trials = 0

    def trial(self) -> ComparisonEvidence:
        """Return the evidence of a new trial."""
        self.trials += 1
        self.send({"event": "trial", "trial": self.trials}, [])
        return ComparisonEvidence(self.send, self.trials)


class ComparisonEvidence:
    """The evidence of one trial: each observation is sent once, when it was first part of an agreement."""

    def __init__(self, send: Send, number: int) -> None:
        self.send = send
        self.number = number
        #: The number of each observation that was sent; what is kept here keeps its identity.
        self._sent: dict[int, tuple[int, Observation]] = {}
        self._others: list[Any] = []
        self._count = 0

    def agreed(
        self,
        variant: str,
        side: str,
        expected: Sequence[Observation],
        found: Sequence[Observation],
        *,
        full: Iterable[Observation] = (),
        moved: Iterable[Observation] = (),
        wide: tuple[Iterable[Observation], Iterable[Observation]] = ((), ()),
        slopes: Collection[str] = (),
        values: Mapping[str, Any] | None = None,
        trainable: Collection[str] = (),
        graph: Exported | None = None,
    ) -> None:
        """Say that the run `found` of a variant agrees with `expected`, and send both with all that explains it.

        `full` are the calls in float32 that runs in float16 are measured against, `moved` those with nudged parameters,
        `wide` those in float64. `values` are the parameters of gradients that were found multiplied, `trainable` those
        of them that change, and `slopes` the gradients that are left out. `graph` is what an exported run ran.
        """
        given = {name[12:]: value for name, value in (values or {}).items()}
        self.send(
            {
                "event": "agreed",
                "trial": self.number,
                "variant": variant,
                "side": side,
                "expected": self._numbers(expected, keep=True),
                "found": self._numbers(found),
                "full": self._numbers(full, keep=True),
                "moved": self._numbers(moved),
                "wide": [self._numbers(seen) for seen in wide],
                "left out": sorted(slopes),
                "values": list(given),
                "trainable": sorted(set(trainable) & set(given)),
                "graph": None if graph is None else [graph.graph, list(graph.names), graph.numpy_mode, graph.unordered],
            },
            [*given.values(), *([] if graph is None else [graph.weights, *graph.inputs])],
        )

    def _numbers(self, seen: Iterable[Observation], *, keep: bool = False) -> list[int]:
        return [self._number(observation, keep) for observation in seen]

    def _number(self, observation: Observation, keep: bool) -> int:
        known = self._sent.get(id(observation))
        if known is not None:
            return known[0]
        self._count += 1
        if keep:
            self._sent[id(observation)] = (self._count, observation)
        arrays: list[Any] = []
        results = [[name, *self._described(value, arrays)] for name, value in observation.results.items()]
        failure = observation.failure
        self.send(
            {
                "event": "observation",
                "trial": self.number,
                "number": self._count,
                "keep": keep,
                "call": list(observation.call.__dict__.values()),
                "failed": None if failure is None else failure.sentence,
                "ran": observation.ran,
                "results": results,
            },
            arrays,
        )
        return self._count

    def _described(self, value: Any, arrays: list[Any]) -> tuple[str, Any]:
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.name in DTYPES:
            arrays.append(np.asarray(value))
            return "array", None
        if type(value) in _PLAIN:
            return type(value).__name__, value[:_MOST_TEXT] if isinstance(value, str) else value
        for number, other in enumerate(self._others):
            if type(other) is type(value) and bool(other == value):
                return "other", number
        self._others.append(value)
        return "other", len(self._others) - 1


def observation_of(message: Mapping[str, Any], arrays: Sequence[Any]) -> Observation:
    """Return the observation in a message. Raises ValueError, KeyError or TypeError if there is none."""
    from hybridlint.proving.child.errors import Failure

    sizes, flavour, mode, turn, instance, changed = message["call"]
    call = PlannedCall(
        tuple((str(name), int(size)) for name, size in sizes), int(flavour), str(mode), turn, instance, changed
    )
    left = list(arrays)
    results: dict[str, Any] = {}
    for name, kind, value in message["results"]:
        results[str(name)] = left.pop(0) if kind == "array" else value if kind in _NAMES else (kind, value)
    if left:
        raise ValueError("more arrays than results")
    failed = message["failed"]
    return Observation(call, results, None if failed is None else Failure(str(failed), None), bool(message["ran"]))


_NAMES = {kind.__name__ for kind in _PLAIN}
