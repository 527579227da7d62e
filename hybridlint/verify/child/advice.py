"""What is said of a block for which nothing was found: the exact reason, and the line to add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.verify.child import shapes
from hybridlint.verify.child.arguments import Arguments
from hybridlint.verify.child.blocks import build
from hybridlint.verify.child.constructing import required_names
from hybridlint.verify.child.errors import Failure, NotRunError, check_stopped, lacking
from hybridlint.verify.child.setup import Attempt, shown
from hybridlint.verify.child.specs import World


def not_constructed(cls: Any, failure: Failure) -> NotRunError:
    """Return what is said where every guess of the constructor's arguments fails, the likeliest with `failure`."""
    check_stopped(failure)
    if failure.lacking:
        return NotRunError(lacking(failure.sentence), None, failure.row)
    missing = required_names(cls)
    if not missing:
        return NotRunError(f"{cls.__name__}() fails: {failure.sentence}", _directive("args=(...)"), failure.row)
    listed = ", ".join(f"`{name}`" for name in missing)
    return NotRunError(
        f"constructor argument{'s' if len(missing) > 1 else ''} {listed} cannot be guessed; the likeliest guess fails: "
        f"{failure.sentence}",
        _directive(f"args=({', '.join(missing)}{',' if len(missing) == 1 else ''})"),
        failure.row,
    )


def given_fail(attempt: Attempt) -> NotRunError:
    """Return what is said where the block does not run on the inputs that the user gave."""
    check_stopped(attempt.failure)
    return NotRunError(
        f"on the inputs of the directive ({shown(attempt.inputs)}) the block fails eagerly: {attempt.failure.sentence}",
        "Correct the inputs in the directive.",
        attempt.failure.row,
    )


def no_inputs(world: World, cls: Any, built: Arguments, attempts: Sequence[Attempt]) -> NotRunError:
    """Return what is said where no guessed inputs work."""
    required = required_names(cls)
    directive = _directive(*(["args=(...)"] if required else []), _example(world, cls, built))
    if not attempts:
        return NotRunError("no inputs to try are known", directive)
    for attempt in attempts:
        check_stopped(attempt.failure)
    lacks = next((a.failure for a in attempts if a.failure.lacking), None)
    if lacks is not None:
        return NotRunError(lacking(lacks.sentence), None, lacks.row)
    last = _telling(attempts)
    if last.failure.blame.own and last.failure.sentence.startswith("NotImplementedError"):
        return NotRunError(f"it is abstract: what it calls raises {last.failure.sentence}", None, last.failure.row)
    as_ = f", built as {cls.__name__}({built})" if str(built) else ""
    return NotRunError(
        f"no inputs were found on which it runs eagerly{as_} ({len(attempts)} tried); on {shown(last.inputs)}: "
        f"{last.failure.sentence}",
        directive,
        last.failure.row,
    )


def _telling(attempts: Sequence[Attempt]) -> Attempt:
    """Return the attempt whose failure came latest in the user's file: it got furthest."""
    plain = [a for a in attempts if not any(isinstance(spec, list) for spec in a.inputs.values())]
    return max(plain or attempts, key=lambda a: a.failure.row or 0)


def _directive(*parts: str) -> str:
    return f"# hybridlint: verify({', '.join(parts)})"


def _example(world: World, cls: Any, built: Arguments) -> str:
    try:
        takes = shapes.signature(build(world, cls, *built))
    except Exception:
        return 'x=("N", ...)'
    return ", ".join(f'{name}=("N", ...)' for name in takes.required) or 'inputs=[("N", ...)]'
