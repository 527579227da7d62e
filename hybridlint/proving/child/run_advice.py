"""Errors for blocks that could not be run: the exact reason, and advice on what to do.

A line of code is suggested only if it was tried and worked. Otherwise the advice says in a sentence what the user must
specify, and why.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.build.constructor_search import required_names
from hybridlint.proving.child.build.values import guesses
from hybridlint.proving.child.classes import ENTRY
from hybridlint.proving.child.errors import HEIRS, Failure, NotRunError, check_stopped, instead, lack_reason
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.setup import Attempt, inputs_text
from hybridlint.proving.child.specs import signatures
from hybridlint.proving.child.specs.spec import Spec
from hybridlint.proving.child.unbuilt_modules import BUILD, named_unbuilt, not_built, unbuilt_file

#: Where the form of a directive is shown.
_FORM = "`hybridlint verify --help` shows its form"
_NOTHING_HELPS = "Correct that line: the constructor takes no argument that could help."
#: Advice for a block of which some layers may get their shapes only from an optional input.
OPTIONAL = f"Say in a comment above the class what it is called with, its optional inputs too ({_FORM})."
#: Advice for a block that takes a number of inputs that the code does not tell.
SEVERAL = f"Say in a comment above the class what it is called with, all items of its lists ({_FORM})."
#: What is said of a refutation that rests on guessed inputs, and the advice for it.
GUESSED = "its inputs are a guess, and nothing says that such inputs are meant"
INPUTS = f"Say in a comment above the class what it is called with ({_FORM})."
#: Advice for inputs that failed in a later eager run.
EAGERLY = "Correct that line, or say above the class in a comment what it is called with."


def not_constructed(cls: Any, failure: Failure) -> NotRunError:
    """Return the error to raise when every guess of the constructor's arguments fails.

    `failure` is the failure of the likeliest guess.
    """
    check_stopped(failure)
    if failure.engine_lacks:
        return NotRunError(lack_reason(failure.sentence), instead(failure.sentence), failure.row)
    missing = required_names(cls)
    if _whatever_comes(cls, failure):
        reason = f"building it fails: {failure.sentence}"
        return NotRunError(reason, "Correct that line: it fails whatever the arguments are.", failure.row)
    needed = needed_module(failure.sentence)
    if needed is not None:
        return NotRunError(f"building it needs {needed.lacking}", needed.add, failure.row)
    if not missing:
        names = _likely(guesses.names(cls), failure.sentence)
        add = _construction_advice(names, "without it, it cannot be built") if names else _NOTHING_HELPS
        return NotRunError(f"{cls.__name__}() fails: {failure.sentence}", add, failure.row)
    listed = ", ".join(f"`{name}`" for name in missing)
    return NotRunError(
        f"constructor argument{'s' if len(missing) > 1 else ''} {listed} cannot be guessed; the likeliest guess fails: "
        f"{failure.sentence}",
        _construction_advice(missing, "none of the values that were tried builds it"),
        failure.row,
    )


def _likely(names: Sequence[str], sentence: str) -> list[str]:
    """Return a list with the argument that an error message names, or the first one; empty without arguments."""
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", sentence)]
    return (named or list(names))[:1]


def _construction_advice(names: Sequence[str], why: str) -> str:
    return f"Say in a comment above the class what your program passes as {_listed(names)}: {why} ({_FORM})."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(f"`{name}`" for name in names[:-1]), f"`{names[-1]}`"][len(names) < 2 :])


_MISSING = re.compile(r"^ModuleNotFoundError: No module named '((?!mxnet\b)[A-Za-z_]\w*(?:\.\w+)*)")


class NeededModule(NamedTuple):
    """A module that code needs and that cannot be imported: a clause that says which, and why; and advice."""

    lacking: str
    add: str


def needed_module(sentence: str) -> NeededModule | None:
    """Return the module that an error message reports as not installed or not built, None if it reports none."""
    match = _MISSING.match(sentence)
    name = named_unbuilt(sentence) if match is None else match[1]
    if name is None:
        return None
    file = unbuilt_file(name, sys.path)
    if file is not None:
        return NeededModule(not_built(name, file, joint=", which"), BUILD)
    package = name.split(".")[0]
    return NeededModule(f"`{package}`, which is not installed", install(package))


def install(package: str) -> str:
    """Return the advice for a package that is not installed."""
    return f"Install `{package}` in the environment of hybridlint, or guard its import."


def given_fail(attempt: Attempt) -> NotRunError:
    """Return the error to raise when the block fails on the inputs that the user gave."""
    check_stopped(attempt.failure)
    return NotRunError(
        f"on the inputs of the directive ({inputs_text(attempt.inputs)}) "
        f"the block fails eagerly: {attempt.failure.sentence}",
        "Correct the inputs in the directive.",
        attempt.failure.row,
    )


def no_inputs(world: LoadedModule, cls: Any, built: ConstructorArguments, attempts: Sequence[Attempt]) -> NotRunError:
    """Return the error to raise when no guessed inputs work."""
    add = _call_advice(world, cls, built, "none of the inputs that were tried runs")
    if not attempts:
        return NotRunError("no inputs to try are known", add)
    for attempt in attempts:
        check_stopped(attempt.failure)
    lacks = next((a.failure for a in attempts if a.failure.engine_lacks), None)
    if lacks is not None:
        return NotRunError(lack_reason(lacks.sentence), instead(lacks.sentence), lacks.row)
    last = _telling(attempts)
    return _not_for_inputs(cls, attempts, last) or _no_inputs(cls, built, attempts, last, add)


def _no_inputs(
    cls: Any, built: ConstructorArguments, attempts: Sequence[Attempt], last: Attempt, add: str
) -> NotRunError:
    as_ = f", built as {cls.__name__}({built})" if str(built) else ""
    return NotRunError(
        f"no inputs were found on which it runs eagerly{as_} ({len(attempts)} tried); on {inputs_text(last.inputs)}: "
        f"{last.failure.sentence}",
        add,
        last.failure.row,
    )


def _not_for_inputs(cls: Any, attempts: Sequence[Attempt], last: Attempt) -> NotRunError | None:
    """Return the error to raise when no inputs at all would work, None if others than the tried ones might."""
    if last.failure.blame.own and last.failure.sentence.startswith("NotImplementedError"):
        return NotRunError(f"it is abstract: calling it raises {last.failure.sentence}", HEIRS, last.failure.row)
    needed = needed_module(last.failure.sentence)
    if needed is not None:
        return NotRunError(f"running it needs {needed.lacking}", needed.add, last.failure.row)
    if _whatever_comes(cls, last.failure):
        count = f"on all {len(attempts)} inputs" if len(attempts) > 1 else "on the inputs"
        reason = f"it fails eagerly {count} that were tried, in the end with {last.failure.sentence}"
        return NotRunError(reason, "Correct that line: it fails whatever the inputs are.", last.failure.row)
    nothing = next((a for a in attempts if a.failure.sentence.startswith(_NO_OUTPUT)), None)
    if nothing is not None:
        return NotRunError(
            f"on {inputs_text(nothing.inputs)} {nothing.failure.sentence}", "Return an array from `hybrid_forward`."
        )
    return None


#: Errors that no other inputs and no other arguments would avoid.
_CAUSES = re.compile(
    r"^(?:NameError|UnboundLocalError|ImportError|FileNotFoundError)\b|custom operator \w+ is not registered"
    r"|^MXNetError: Operator \w+ expects \d+ inputs"
)
_NO_OUTPUT = "its output holds no array"
#: Errors about calls that do not fit the called function. They say nothing if a constructor argument is called.
_CALLS = re.compile(
    r"^TypeError: (?:[\w.<>]+\.)?(\w+)\(\) (?:got an unexpected keyword|missing|takes) .*argument"
    r"|^TypeError: '\w+' object is not callable"
)
#: Methods that run when a class or a layer is called; their names need not appear in the call.
_METHODS = ("__init__", "__call__", "forward", ENTRY)
_CALLED = re.compile(r"([A-Za-z]\w*)\(")


def _whatever_comes(cls: Any, failure: Failure) -> bool:
    """Whether the code would fail with this error for any inputs and any constructor arguments."""
    sentence = failure.sentence
    if failure.row is None:
        return False
    if _CAUSES.search(sentence) or f"'{cls.__name__}' object has no attribute" in sentence:
        return True
    call = _CALLS.search(sentence)
    if call is None:
        return False
    if call[1] in _METHODS:
        return f"{call[1]}(" in failure.blame.statement
    return not set(_CALLED.findall(failure.blame.statement)) & set(guesses.names(cls))


def by_chance(world: LoadedModule, cls: Any, built: ConstructorArguments, attempt: Attempt) -> NotRunError:
    """Return the error to raise when the only inputs found fit by chance, and the compiled run rejects them."""
    given = inputs_text(attempt.inputs)
    reason = f"no inputs were found on which it runs eagerly but such as fit by chance ({given}); compiled"
    why = "those that were tried fit only because some of their sizes are equal"
    return _rejected(attempt, f"{reason} they fail", _call_advice(world, cls, built, why))


def undecided_error(world: LoadedModule, cls: Any, built: ConstructorArguments, attempt: Attempt) -> NotRunError:
    """Return the error to raise when the code leaves open whether an image has one channel or several."""
    reason = "the code leaves open how many channels an image has: eagerly one broadcasts with several"
    why = "an image of one channel, or of as many as are made of it, would be proved"
    return _rejected(
        attempt,
        f"{reason} ({inputs_text(attempt.inputs)}); compiled it then fails",
        _call_advice(world, cls, built, why),
    )


def undecided_axes(world: LoadedModule, cls: Any, built: ConstructorArguments, attempt: Attempt) -> NotRunError:
    """Return the error to raise when the code leaves open how many axes the inputs have."""
    given = inputs_text(attempt.inputs)
    reason = f"the code leaves open how many axes its inputs have: eagerly it broadcasts them ({given}),"
    why = "the proof depends on how many axes they have"
    return _rejected(
        attempt, f"{reason} compiled they fail, and others of fewer axes do not", _call_advice(world, cls, built, why)
    )


def _rejected(attempt: Attempt, reason: str, advice: str) -> NotRunError:
    """Return the error for inputs on which the block runs eagerly, and fails compiled."""
    return NotRunError(f"{reason}: {attempt.failure.sentence}", advice, attempt.failure.row, fixed=True)


def undecided_kind(name: str, inputs: Mapping[str, Spec], refusal: Failure | None) -> NotRunError:
    """Return the error to raise when the code leaves open whether an input is a list or an array.

    `refusal` is the failure of the compiled run on `inputs`, None if it accepts them.
    """
    listed = isinstance(inputs[name], list)
    other = "an array runs eagerly in its place, of which no graph takes the rows" if listed else "a list may be meant"
    tried = f"on {inputs_text(inputs)} {'it agrees compiled' if refusal is None else f'it fails: {refusal.sentence}'}"
    return NotRunError(
        f"the code leaves open whether `{name}` is a list or an array: {tried}; {other}",
        call_advice([name], "the proof depends on whether it is a list or an array"),
        None if refusal is None else refusal.row,
        fixed=True,
    )


def _telling(attempts: Sequence[Attempt]) -> Attempt:
    """Return the attempt that got furthest.

    That is the one that failed on the latest row of the outermost function, then of the functions that it calls.
    """
    plain = [a for a in attempts if not any(isinstance(spec, list) for spec in a.inputs.values())]
    return max(plain or attempts, key=lambda a: a.failure.rows)


def _call_advice(world: LoadedModule, cls: Any, built: ConstructorArguments, why: str) -> str:
    """Return the advice to give the inputs in a directive, with the names of the block's inputs."""
    names: list[str] = []
    with suppress(Exception):
        names = signatures.signature(build(world, cls, *built)).required
    return call_advice(names, why)


def call_advice(names: Sequence[str], why: str) -> str:
    """Return the advice to give the inputs in a directive; `why` says what was wrong with those that were tried."""
    what = f"what {_listed(names)} {'are' if len(names) > 1 else 'is'}" if names else "what it is called with"
    return f"Say in a comment above the class {what} in your program: {why} ({_FORM})."


def out_of_range(names: Sequence[str], directive: str | None) -> str:
    """Return the advice for a block whose outputs are never finite, with a directive that makes them finite, if any."""
    if directive is None:
        why = f"in none that was tried are its outputs finite ({_FORM})"
        what = f"{_listed(names)} {'lie' if len(names) > 1 else 'lies'}" if names else "its inputs lie"
        return f"Say in a comment above the class in which range {what} in your program: {why}."
    comment = f"# hybridlint: {directive}"
    return f"Write `{comment}` above the class, with the range of your inputs: in this one its outputs are finite."
