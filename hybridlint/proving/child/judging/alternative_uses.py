"""Other ways to use a proved block whose setup was guessed: other constructor arguments, and optional inputs.

A block that was proved without them may fail with them. Each way gets few runs, on the inputs that already worked. The
ways that were not run become restrictions of the proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.build.options import options
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.compare.proof_restrictions import in_words
from hybridlint.proving.child.errors import Failure, NotRunError
from hybridlint.proving.child.inputs.passed_optional_inputs import left_out, with_one
from hybridlint.proving.child.judging.larger_blocks import is_unshaped
from hybridlint.proving.child.proof_case import PROVED, REFUTED, ProofCase
from hybridlint.proving.child.runs.runs import PlannedCall, inputs_of
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.runs.variants import CHANGED, EAGER_HALF, EXPORTED, HALF, REORDERED, STATIC
from hybridlint.proving.child.search.input_choice import lists_alone
from hybridlint.proving.child.search.output_shapes import shapes_of_outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.search.setup_finder import SetupFinder

    _Judge = Callable[[ProofCase, Setup], dict[str, Any]]

#: Most other ways that are run, and the fraction of the time limit after which no further one begins.
MOST, SHARE = 4, 0.6
#: Most setups of one way that are run where those before were refuted.
_MOST_SETUPS = 3
_BESIDE = "another way to use the block"
#: Errors that inputs of other shapes might avoid, and MXNet's error for an input that the graph does not use.
_OF_SHAPES = re.compile(r"Error in operator|broadcast|[Ii]ncompatible")
_UNUSED = "InferShapeKeyword"
#: MXNet's error for a compiled block that returns a dict.
_RETURNS_DICT = re.compile(r"the output of HybridBlock must be .*, but got (?:\{|\w*[dD]ict\()")


#: MXNet's error for a call whose inputs are not those of the first one, in the user's words.
_FIRST_CALL = "a graph takes the inputs that its first call had, and no others"


class AlternativeUse(NamedTuple):
    """Another way to use a block: its name for the user, and its setups, the likeliest first.

    `without` are the restrictions of a proof that does not cover it. `certain` is True if the project's code uses the
    block in this way, and `optional` the input that it gives besides, if it is one more input.
    """

    name: str
    without: tuple[str, ...]
    setups: Iterator[Setup]
    certain: bool
    optional: str | None = None


def other_ways(
    case: ProofCase, finder: SetupFinder, setup: Setup, verdict: dict[str, Any], judge: _Judge
) -> dict[str, Any]:
    """Return the verdict on a proved block after runs in other ways: a refutation, or `verdict` with restrictions."""
    only: list[str] = []
    for count, way in enumerate(_ways(finder, setup)):
        late = now() - case.start > SHARE * case.limit
        used, other = (None, None) if late or count >= MOST else _first_proved(case, way, judge)
        name = way.name
        if used is not None and other is not None and is_unshaped(other["reason"]):
            # The layers that an option adds may be reached by an optional input only.
            passed = with_optional_inputs(case, finder, used, judge)
            other = passed.proof if passed.may_help else other
            name = f"{way.name} {passed.name}"
        if other is not None and other["status"] == REFUTED and (way.certain or not _is_excused(other)):
            return other
        if other is None or other["status"] != PROVED:
            only += way.without
        else:
            verdict["variants"].append({"name": name, "note": None})
            if way.optional is not None and used is not None and not _runs(finder, setup, used):
                turns = {"name": f"with and without `{way.optional}` in turn", "note": _FIRST_CALL}
                verdict["variants"].append(turns)
            only += [] if used is None else _for_lists(finder, used, setup)
    if not _runs(finder, setup, setup, eager_first=True):
        only.append("blocks that are hybridized before their first call")
    return restrict_proof(verdict, only)


def _first_proved(case: ProofCase, way: AlternativeUse, judge: _Judge) -> tuple[Setup | None, dict[str, Any] | None]:
    """Return the first setup that is proved, with its verdict, or else the first setup that runs.

    A setup that only the shapes of a guessed input refute may be proved with other shapes.
    """
    first: tuple[Setup, dict[str, Any] | None] | None = None
    for setup in islice(way.setups, _MOST_SETUPS):
        verdict = _judged(case._replace(alone=False), setup, judge)
        if first is None or (verdict is not None and verdict["status"] == PROVED):
            first = setup, verdict
        if verdict is None or verdict["status"] != REFUTED or not _OF_SHAPES.search(verdict["reason"]):
            break
    return (None, None) if first is None else first


def _for_lists(finder: SetupFinder, used: Setup, setup: Setup) -> list[str]:
    """Return the restrictions to lists for the inputs that `setup` lacks, where the eager run takes an array too."""
    lists = [(name, spec) for name, spec in used.inputs.items() if isinstance(spec, list) and name not in setup.inputs]
    return [
        lists_alone(name)
        for name, (first, *_) in lists
        if _working(finder, used.arguments, {**used.inputs, name: first}, setup) is not None
    ]


class OptionalInputResult(NamedTuple):
    """The effect of optional inputs on a block with layers that get no shapes without them.

    `proof` is a proof in which an optional input is passed, None if there is none, and `name` says which input that is.
    `may_help` is False if the layers get no shapes with any optional input, or if there is none.
    """

    proof: dict[str, Any] | None
    name: str
    may_help: bool


def with_optional_inputs(case: ProofCase, finder: SetupFinder, setup: Setup, judge: _Judge) -> OptionalInputResult:
    """Return whether a block is proved if optional inputs are passed.

    It is for a block with layers that only optional inputs reach: without these, MXNet never infers the layers' shapes.
    An optional input for which no guess runs may help too.
    """
    names: list[str] = []
    for way in _inputs(finder, setup):
        verdict = _judged(case, next(way.setups, None), judge)
        if verdict is not None and verdict["status"] == PROVED:
            only = [f"calls {way.name}, as its layers get no shapes otherwise"]
            return OptionalInputResult(restrict_proof(verdict, only), way.name, may_help=True)
        if verdict is None or not is_unshaped(verdict["reason"]):
            names.append(way.name)
    return OptionalInputResult(None, " or ".join(names), may_help=bool(names))


def restrict_proof(verdict: dict[str, Any], only: list[str]) -> dict[str, Any]:
    """Return a proof with the restrictions `only` added, in its reason too."""
    if not only:
        return verdict
    plain = verdict["reason"].partition(": ")[2] if verdict["only"] else verdict["reason"]
    restrictions = list(dict.fromkeys([*verdict["only"], *only]))
    return {**verdict, "only": restrictions, "reason": f"{in_words(restrictions)}{plain}"}


def _ways(finder: SetupFinder, setup: Setup) -> Iterator[AlternativeUse]:
    yield from _inputs(finder, setup)
    yield from _options(finder, setup)


def _inputs(finder: SetupFinder, setup: Setup) -> Iterator[AlternativeUse]:
    block = finder.subject.built(setup.arguments, initialize=False)
    outcomes = partial(
        shapes_of_outcome,
        finder.subject.world,
        finder.subject.cls,
        setup.arguments,
        setup.inputs,
        dict(setup.rounds[0]),
    )
    for name in left_out(block, setup.inputs):
        inputs = with_one(block, setup.inputs, name, outcomes)
        setups = (found for given in inputs if (found := _working(finder, setup.arguments, given, setup)) is not None)
        yield AlternativeUse(f"with `{name}`", (f"calls without `{name}`",), setups, False, name)


def _options(finder: SetupFinder, setup: Setup) -> Iterator[AlternativeUse]:
    built = setup.arguments
    if built.within is not None or built.args:
        return
    for option in options(finder.subject.cls, built.kwargs, finder.subject.constructor.sites.of(finder.subject.cls)):
        arguments = ConstructorArguments([], {**built.kwargs, **option.arguments})
        found = _working(finder, arguments, setup.inputs, setup)
        yield AlternativeUse(str(option), option.present, iter([] if found is None else [found]), option.used)


def _working(finder: SetupFinder, arguments: ConstructorArguments, inputs: Any, like: Setup) -> Setup | None:
    """Return a setup with these arguments and inputs and the sizes of `like`, None if the eager run rejects it."""
    try:
        found = finder.tries.setup(arguments, dict(inputs), [[sizes] for sizes in like.rounds])
    except Exception:
        return None
    return None if isinstance(found, Failure) else found


def _runs(finder: SetupFinder, first: Setup, then: Setup, *, eager_first: bool = False) -> bool:
    """Whether one block can be called as in `first`, compiled or eagerly, and compiled as in `then`.

    Either call works on a block of its own. True also where nothing was tried.
    """
    if finder.compiled is None:
        return True
    world, cls = finder.compiled
    call = PlannedCall(tuple(then.rounds[0].items()), then.flavours[0], "predict")
    try:
        block = build(world, cls, *then.arguments)
        if not eager_first:
            block.hybridize()
        block(*inputs_of(world, first.inputs, call))
    except Exception:
        return True
    try:
        if eager_first:
            block.hybridize()
        block(*inputs_of(world, then.inputs, call))
    except Exception:
        return False
    return True


def _judged(case: ProofCase, setup: Setup | None, judge: _Judge) -> dict[str, Any] | None:
    """Return the verdict on a setup, from few runs; None if there is no setup or it does not run."""
    few = dict.fromkeys([v.name for v in (STATIC, EXPORTED, REORDERED, CHANGED, HALF, EAGER_HALF)], _BESIDE)
    try:
        return None if setup is None else judge(case._replace(without={**case.without, **few}), setup)
    except NotRunError:
        return None


def _is_excused(verdict: dict[str, Any]) -> bool:
    """Whether a failure may be intended in a use of a block that the project does not need.

    Then this use is for eager calls only: it returns a dict, or leaves an input or layers unused. A proof leaves it
    out.
    """
    reason = verdict["reason"]
    return _UNUSED in reason or _RETURNS_DICT.search(reason) is not None or is_unshaped(reason)
