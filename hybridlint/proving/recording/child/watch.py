"""The watcher: records each call of a project's block together with how the block was built."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.errors import describe
from hybridlint.proving.child.specs.signatures import signature
from hybridlint.proving.recording.child.constructions import RecordedConstructions
from hybridlint.proving.recording.child.expressions import UnwritableError, spell_placeholders
from hybridlint.proving.recording.child.inputs import describe_input
from hybridlint.proving.recording.child.own_classes import Files
from hybridlint.proving.recording.child.run_record import RunRecord
from hybridlint.proving.recording.child.traces import is_symbol, traced_inputs

if TYPE_CHECKING:
    from hybridlint.proving.recording.child.arrays import Arrays
    from hybridlint.proving.recording.descriptions import Description

#: Calls of one class whose array values are read to find ranges.
MOST_LOOKS = 30

_quiet = threading.local()


@contextmanager
def suspend_recording() -> Iterator[None]:
    """Suspend recording in this thread, for calls that the program did not make itself."""
    before = getattr(_quiet, "now", False)
    _quiet.now = True
    try:
        yield
    finally:
        _quiet.now = before


class _Frame:
    """A running call of `block` with arrays, and the child blocks that it called with Symbols and with arrays."""

    def __init__(self, block: Any, mode: str) -> None:
        self.block = block
        self.mode = mode
        self.traced: list[tuple[Any, Sequence[Any]]] = []
        self.called: set[int] = set()


class Watcher:
    """Records in `book` the calls of blocks of the project under `root`. `arrays`, if given, stores the inputs too."""

    def __init__(self, mx: Any, root: str, book: RunRecord, arrays: Arrays | None = None) -> None:
        self.mx = mx
        self.book = book
        self.arrays = arrays
        self.files = Files(root)
        self.constructions = RecordedConstructions(mx, data=arrays is not None)
        self._local = threading.local()
        self._looks: dict[type, int] = {}
        #: The first error that prevented recording, if any.
        self.problem: str | None = None

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch the constructors and calls of all blocks."""
        base = self.mx.gluon.Block
        original = base.__call__
        watched = self._call

        @functools.wraps(original)
        def __call__(block: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
            return watched(original, block, args, kwargs)

        base.__call__ = __call__
        try:
            with self.constructions.installed():
                yield
        finally:
            base.__call__ = original

    # -- calls

    def _call(self, original: Any, block: Any, args: Sequence[Any], kwargs: Any) -> Any:
        if getattr(_quiet, "now", False):
            return original(block, *args, **kwargs)
        frames: list[_Frame] = vars(self._local).setdefault("frames", [])
        if is_symbol(args):
            if frames:
                frames[-1].traced.append((block, args))
            return original(block, *args, **kwargs)
        seen = self._look(block, args)
        for frame in frames:
            frame.called.add(id(block))
        frames.append(_Frame(block, self._mode()))
        try:
            result = original(block, *args, **kwargs)
            self._note_safely(frames, block, args, seen)
        finally:
            frames.pop()
        return result

    def _note_safely(
        self, frames: Sequence[_Frame], block: Any, args: Sequence[Any], seen: tuple[list[Any], list[Any]] | None
    ) -> None:
        try:
            if seen is not None:
                self._note(frames, block, *seen)
            self._note_traced(frames, args)
        except Exception as error:
            # An error in the recording must not stop the watched program.
            self.problem = self.problem or f"{type(block).__name__}: {describe(error)}"

    def _look(self, block: Any, args: Sequence[Any]) -> tuple[list[Description], list[Any]] | None:
        """Describe a call's inputs before the call can change them, with copies of those to store.

        None for classes outside the project, and for inputs that raise.
        """
        if self.files.key(type(block)) is None:
            return None
        try:
            return self._described(block, args), [] if self.arrays is None else self.arrays.copied(args)
        except Exception:
            # If computing an array fails, the program itself must be the one to see the error.
            return None

    def _mode(self) -> str:
        autograd = self.mx.autograd
        if autograd.is_training():
            return "train"
        return "predict, recorded" if autograd.is_recording() else "predict"

    def _described(self, block: Any, args: Sequence[Any]) -> list[Description]:
        looks = self._looks[type(block)] = self._looks.get(type(block), 0) + 1
        return [describe_input(value, look=looks <= MOST_LOOKS) for value in args]

    def _note_traced(self, frames: Sequence[_Frame], args: Sequence[Any]) -> None:
        frame = frames[-1]
        for part, given in frame.traced:
            if id(part) in frame.called or self.files.key(type(part)) is None:
                continue
            try:
                inputs = traced_inputs(self.mx, frame.block, args, given)
            except Exception:
                # Inference can fail in many ways on an incomplete graph, such as the body of a loop.
                continue
            if inputs is not None:
                self._note(frames, part, inputs, [])

    def _note(self, frames: Sequence[_Frame], block: Any, inputs: Sequence[Any], copies: Sequence[Any]) -> None:
        key = self.files.key(type(block))
        assert key is not None
        takes = signature(block)
        known = [*takes.required, *takes.optional]
        names = [known[k] if k < len(known) else f"input {k}" for k in range(len(inputs))]
        described_ = {name: inputs[k] for k, name in enumerate(names)}
        call = {"inputs": described_, "modes": [frames[-1].mode], "count": 1}
        entry = self.book.note(*key, self._built(frames, block), call)
        if entry is not None and self.arrays is not None and copies and "data" not in entry:
            entry["data"] = self.arrays.kept(key[0], names, copies)

    # -- constructions

    def _built(self, frames: Sequence[_Frame], block: Any) -> dict[str, Any]:
        """Return how to get a block, as expressions: its constructor arguments, or its path in a calling block."""
        made = self.constructions.of(block)
        home = sys.modules[type(block).__module__]
        unknown = made.unknown
        if unknown is None:
            try:
                args = [spell_placeholders(text, home, self.mx) for text in made.args]
                return {
                    "args": args,
                    "kwargs": {k: spell_placeholders(text, home, self.mx) for k, text in made.kwargs.items()},
                }
            except UnwritableError as error:
                unknown = f"it takes {error}"
        for frame in reversed(frames):
            path = _path(frame.block, block)
            try:
                if path:
                    expression = spell_placeholders(self.constructions.expression(frame.block), home, self.mx)
                    return {"within": {"expression": expression, "path": path}}
            except UnwritableError:
                continue
        return {"unknown": unknown}


def _path(block: Any, part: Any) -> list[str]:
    """Return the attribute path from a block to a descendant, or an empty list if `part` is not a descendant."""
    for name, child in block._children.items():
        rest = [] if child is part else _path(child, part)
        if rest or child is part:
            return [str(name), *rest]
    return []
