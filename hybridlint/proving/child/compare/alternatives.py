"""Other ways to use a block whose verdict rests on guesses: other options of its constructor, and optional inputs.

A block that was proved without them may break with them. Only cheap runs are made, with the inputs that are known to
work; ways that were not run become restrictions of the proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.build.options import options
from hybridlint.proving.child.case import PROVED, REFUTED, Case
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure, NotRunError
from hybridlint.proving.child.inputs.given_optional import left_out, with_one
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.runs.variants import CHANGED, EAGER_HALF, EXPORTED, HALF, REORDERED, STATIC

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.inputs.trial import Finder

    _Judge = Callable[[Case, Setup], dict[str, Any]]

#: Most other ways that are run, and the part of the time limit after which no other begins.
MOST, SHARE = 4, 0.6
_BESIDE = "another way to use the block"
#: Failures that inputs of other shapes might avoid, and MXNet's where an input takes no part.
_OF_SHAPES = re.compile(r"Error in operator|broadcast|[Ii]ncompatible|InferShapeKeyword")


class Way(NamedTuple):
    """Another way to use a block: its name, how a proof without it is restricted, and its setups.

    `certain` is True if code of the project uses the block like this.
    """

    name: str
    without: str
    setups: Iterator[Setup]
    certain: bool


def other_ways(case: Case, finder: Finder, setup: Setup, verdict: dict[str, Any], judge: _Judge) -> dict[str, Any]:
    """Return the verdict once a proved block was also used in other ways: the same, restricted, or a refutation."""
    only: list[str] = []
    for count, way in enumerate(_ways(finder, setup)):
        late = now() - case.start > SHARE * case.limit
        other = None if late or count >= MOST else _judged(case, way, judge)
        if other is not None and other["status"] == REFUTED and (way.certain or not _of_shapes(other)):
            return other
        if other is None or other["status"] != PROVED:
            only.append(way.without)
        else:
            verdict["variants"].append({"name": way.name, "note": None})
    return restricted(verdict, only)


def with_optional_inputs(case: Case, finder: Finder, setup: Setup, judge: _Judge) -> dict[str, Any] | None:
    """Return a proof with optional inputs for a block that leaves layers without shapes if it is called without them.

    None means that there is none. MXNet needs the inputs once too, to give those layers their shapes.
    """
    for way in _inputs(finder, setup):
        verdict = _judged(case, way, judge)
        if verdict is not None and verdict["status"] == PROVED:
            return restricted(verdict, [f"calls {way.name}, as its layers get no shapes otherwise"])
    return None


def restricted(verdict: dict[str, Any], only: list[str]) -> dict[str, Any]:
    """Return a proof with further restrictions."""
    if not only:
        return verdict
    plain = verdict["reason"].partition(": ")[2] if verdict["only"] else verdict["reason"]
    restrictions = [*verdict["only"], *only]
    return {**verdict, "only": restrictions, "reason": f"only for {', and for '.join(restrictions)}: {plain}"}


def _ways(finder: Finder, setup: Setup) -> Iterator[Way]:
    yield from _inputs(finder, setup)
    yield from _options(finder, setup)


def _inputs(finder: Finder, setup: Setup) -> Iterator[Way]:
    block = build(finder.world, finder.cls, *setup.arguments, initialize=False)
    for name in left_out(block, setup.inputs):
        inputs = with_one(block, setup.inputs, name)
        setups = (found for given in inputs if (found := _working(finder, setup.arguments, given, setup)) is not None)
        yield Way(f"with `{name}`", f"calls without `{name}`", setups, False)


def _options(finder: Finder, setup: Setup) -> Iterator[Way]:
    built = setup.arguments
    if built.within is not None or built.args:
        return
    for option in options(finder.cls, built.kwargs, finder.constructor.sites.of(finder.cls)):
        arguments = Arguments([], {**built.kwargs, **option.arguments})
        found = _working(finder, arguments, setup.inputs, setup)
        yield Way(str(option), option.present, iter([] if found is None else [found]), option.used)


def _working(finder: Finder, arguments: Arguments, inputs: Any, like: Setup) -> Setup | None:
    """Return a setup of these inputs with the sizes of another one, None if the eager run rejects them."""
    try:
        found = finder.tries.setup(arguments, dict(inputs), [[sizes] for sizes in like.rounds])
    except Exception:
        return None
    return None if isinstance(found, Failure) else found


def _judged(case: Case, way: Way, judge: _Judge) -> dict[str, Any] | None:
    """Return the verdict on the first setup of a way that works, with few runs; None if there is none."""
    few = dict.fromkeys([v.name for v in (STATIC, EXPORTED, REORDERED, CHANGED, HALF, EAGER_HALF)], _BESIDE)
    setup = next(way.setups, None)
    try:
        return None if setup is None else judge(case._replace(without={**case.without, **few}), setup)
    except NotRunError:
        return None


def _of_shapes(verdict: dict[str, Any]) -> bool:
    return _OF_SHAPES.search(verdict["reason"]) is not None
