"""Recording of the calls that the code of one file makes: row, expression, and the tensors that each returns.

It uses the interpreter's profile hook and nothing of the engine, so the bundled runtime and a real MXNet are recorded
in the same way, both eagerly and while a graph is traced.
"""

from __future__ import annotations

import dis
import re
import sys
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

#: Most calls of one run that are kept; later calls are not compared.
MOST_STEPS = 600
#: Most bytes of results that are kept.
MOST_BYTES = 256 << 20

#: Names of wrapper functions in the engine, which say nothing about the called operator.
_ANONYMOUS = {"method", "function", "swapped", "call", "wrapper", "<lambda>"}
_SIGNS = {
    "__add__": "+", "__radd__": "+", "__iadd__": "+=", "__sub__": "-", "__rsub__": "-", "__isub__": "-=",
    "__mul__": "*", "__rmul__": "*", "__imul__": "*=", "__truediv__": "/", "__rtruediv__": "/", "__itruediv__": "/=",
    "__mod__": "%", "__pow__": "**", "__rpow__": "**", "__neg__": "-", "__eq__": "==", "__ne__": "!=", "__lt__": "<",
    "__le__": "<=", "__gt__": ">", "__ge__": ">=", "__getitem__": "subscript", "__iter__": "iteration",
}  # fmt: skip
#: The sign of an operator in an instruction's argument, such as `bool(<)`, and the name before a call's arguments.
_SIGN = re.compile(r"[-+*/%@<>=!&|^]+")
_NAME = re.compile(r"(\w+)\s*$")


class RecordedStep(NamedTuple):
    """One recorded call: the user's row, the name of the called operator ("" if unknown), and the source expression.

    `values` are the results: numpy copies of arrays, or Symbols.
    """

    row: int
    operator: str
    code: str
    values: list[Any]


class CallRecorder:
    """A context manager that records the calls that code in the file `path` makes to code elsewhere."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        # `linecache` knows only one of two versions of a file.
        self.lines = [line.encode() for line in text.split("\n")]
        self.steps: list[RecordedStep] = []
        self._bytes = 0
        self._positions: dict[CodeType, list[Any]] = {}
        self._instructions: dict[CodeType, list[dis.Instruction]] = {}

    def __enter__(self) -> CallRecorder:
        sys.setprofile(self._event)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, value: Any) -> None:
        caller = frame.f_back
        if event != "return" or value is None or caller is None or caller.f_code.co_filename != self.path:
            return
        if frame.f_code.co_filename == self.path or len(self.steps) >= MOST_STEPS or self._bytes > MOST_BYTES:
            return
        sys.setprofile(None)
        try:
            values = _tensors(value)
            if values:
                self._bytes += sum(getattr(v, "nbytes", 0) for v in values)
                code = self._expression(caller)
                name = _called(frame, self._spelled(caller, code))
                code = code or self._line(caller.f_lineno).decode(errors="replace")
                self.steps.append(RecordedStep(caller.f_lineno, name, " ".join(code.split()), values))
        finally:
            sys.setprofile(self._event)

    def _expression(self, caller: FrameType) -> str:
        """Return the source of the expression being evaluated; "" before Python 3.11."""
        code: Any = caller.f_code
        if not hasattr(code, "co_positions"):
            return ""
        if code not in self._positions:
            self._positions[code] = list(code.co_positions())
        first, last, start, end = self._positions[code][caller.f_lasti // 2]
        if None in (first, last, start, end):
            return ""
        lines = [self._line(row) for row in range(first, last + 1)]
        if len(lines) == 1:
            return lines[0][start:end].decode(errors="replace")
        return b"\n".join([lines[0][start:], *lines[1:-1], lines[-1][:end]]).decode(errors="replace")

    def _spelled(self, caller: FrameType, expression: str) -> str:
        """Return the operator, attribute or function that the caller's instruction names; "" if it names none."""
        code = caller.f_code
        if code not in self._instructions:
            self._instructions[code] = list(dis.get_instructions(code))
        if not expression:
            return ""
        # Python may be within an instruction, at its cache.
        instruction = next(each for each in reversed(self._instructions[code]) if each.offset <= caller.f_lasti)
        if "SUBSCR" in instruction.opname or instruction.argrepr == "[]":
            return "subscript"
        if "CALL" in instruction.opname:
            found = _NAME.search(_callee(expression))
            return found[1] if found else ""
        if instruction.opname == "UNARY_NEGATIVE":
            return "-"
        if instruction.opname in ("BINARY_OP", "COMPARE_OP"):
            sign = _SIGN.search(instruction.argrepr)
            return sign[0] if sign else ""
        return str(instruction.argval) if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") else ""

    def _line(self, row: int) -> bytes:
        return self.lines[row - 1] if row <= len(self.lines) else b""


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _tensors(item)]
    # A Symbol has all methods of an array, but many of them only raise.
    if hasattr(value, "list_arguments"):
        return [value]
    return [value.asnumpy()] if hasattr(value, "asnumpy") else []


def _called(frame: FrameType, spelled: str) -> str:
    """Return a name for the called function: an operator, method, symbol such as `+`, or layer class."""
    name = frame.f_code.co_name
    if name == "__call__" and "self" in frame.f_locals:
        return type(frame.f_locals["self"]).__name__
    return spelled or _SIGNS.get(name) or ("" if name in _ANONYMOUS else name.strip("_"))


def _callee(call: str) -> str:
    """Return the text of a call before the bracket of its arguments."""
    depth = 0
    for place in range(len(call) - 1, -1, -1):
        depth += (call[place] in ")]}") - (call[place] in "([{")
        if not depth:
            return call[:place]
    return ""
