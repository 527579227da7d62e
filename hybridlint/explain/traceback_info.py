"""Tracebacks in a text: the frames, the messages, and the nodes and parameters that they name.

Python, IPython, Jupyter and pytest print tracebacks in different ways, loggers put a prefix before each line, and
terminals colour them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from hybridlint.explain.library_frames import is_library, mxnet_module
from hybridlint.runtime.facts.records import record, replace

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
#: Where an exception begins, except MXNet's own list of its C++ code, which is a part of a message.
_START = re.compile(r"^(?!.*(?:Error:|inferred\.) Traceback).*Traceback \(most recent call last\)|^_{3,} \S.* _{3,}$")
_CHAINED = re.compile(
    r"During handling of the above exception, another exception occurred"
    r"|The above exception was the direct cause of the following exception"
)
_END = re.compile(r"^=+ (?:short test summary info|warnings summary|\d+ (?:failed|passed|error)).*=$")
#: What a logger puts before each line of a traceback.
_PREFIX = re.compile(r'^(?P<prefix>\S.*?)  File "[^"]+", line \d+')
_FRAMES = (
    # Python, and IPython for code in files.
    re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<row>\d+)(?:, in (?P<function>.+?))?\s*$'),
    re.compile(r"^File (?P<path>\S.*?\.py):(?P<row>\d+)(?:,? in (?P<function>[\w.<>]+).*)?$"),
    # IPython before version 8, whose arrow has the row.
    re.compile(r"^(?P<path>(?:[~/]|[A-Z]:\\)[^\s:]*\.py|<ipython-input-\S+>) in (?P<function>[\w.<>]+).*$"),
    # Cells of notebooks.
    re.compile(r"^(?:Cell |Input )In ?\[(?P<cell>\d+)\](?:, line (?P<row>\d+)|,? in (?P<function>[\w.<>]+).*)"),
    # pytest.
    re.compile(r"^(?P<path>[^\s:]+\.py):(?P<row>\d+): ?(?:in (?P<function>[\w.<>]+)|[\w.]*)\s*$"),
)
_ARROW = re.compile(r"^-+> ?(?P<row>\d+)(?: (?P<code>.*))?$")
_PYTEST_CODE = re.compile(r"^>\s+(?P<code>\S.*)$")
_PYTEST_DEFINITION = re.compile(r"^\s+(?:async )?def (?P<function>\w+)\(")
_PYTEST_ERROR = re.compile(r"^E {3,}(?P<text>\S.*)$")
#: The line of an exception, judging by its name.
_EXCEPTION = re.compile(r"^(?:[a-z_]\w*\.)*\w*(?:Error|Exception|Warning|ForSymbol|Interrupt|Exit)(?::.*)?$")
#: What else it may look like after frames: exceptions of the user have any name.
_AFTER_FRAMES = re.compile(r"^[A-Za-z_][\w.]*(?::|$)")
#: Files of MXNet in C++, which its messages name.
_NATIVE = re.compile(r"\.(?:cc|cpp|cu|cuh|h|hpp)$")
#: Most lines of a message: options of operators take 60.
_MOST_LINES = 100
_NODES = re.compile(r"(?:in node|Error in operator) (?P<name>\w[\w.]*)")
_NAMED_PLACE = re.compile(r"Error in operator \w+ at (?P<path>[^\n]+?\.py):(?P<row>\d+):")
_PARAMETERS = re.compile(r"Parameter ['`]?(\w+)|inferred\. '(\w+)'|HybridBlock: (\w+)|^\t(\w+): \(", re.MULTILINE)


@record(frozen=True, slots=True)
class TracebackFrame:
    """A frame: its file, row and function, and the line of code, as far as the traceback shows them."""

    path: str
    row: int = 0
    function: str = ""
    code: str = ""

    @property
    def is_library(self) -> bool:
        """Whether the frame runs a library's code, not the user's."""
        return is_library(self.path)

    @property
    def mxnet_function(self) -> str | None:
        """The function of MXNet that the frame runs, ``mxnet.gluon.block.export``; None elsewhere."""
        module = mxnet_module(self.path)
        return None if module is None else f"{module}.{self.function.rpartition('.')[2]}"


@record(frozen=True, slots=True)
class RaisedError:
    """One exception: its frames, outermost first, and its message, which may have several lines.

    `blocks` are the prefixes of the blocks that were running, innermost first, where that is known.
    """

    frames: tuple[TracebackFrame, ...] = ()
    message: str = ""
    blocks: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The message, with the functions of MXNet that raised the exception, innermost first."""
        functions = self.mxnet_functions
        if not functions:
            return self.message
        callers = f", called by {', '.join(functions[1:])}" if functions[1:] else ""
        return f"{self.message}\n(raised by {functions[0]}{callers})"

    @property
    def mxnet_functions(self) -> tuple[str, ...]:
        """The functions of MXNet below the user's innermost frame, innermost first."""
        functions: list[str] = []
        for frame in reversed(self.frames):
            if not frame.is_library:
                break
            if frame.mxnet_function is not None:
                functions.append(frame.mxnet_function)
        return tuple(functions)

    @property
    def user_frames(self) -> tuple[TracebackFrame, ...]:
        """The frames of the user's own code, outermost first, and last the place that the message names.

        The bundled runtime names the line of the operator that a node comes from.
        """
        named = (TracebackFrame(match["path"], int(match["row"])) for match in _NAMED_PLACE.finditer(self.message))
        return tuple(frame for frame in (*self.frames, *named) if not frame.is_library)

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes of the graph that the message names, innermost first, then the parameters, then the blocks."""
        nodes = _NODES.findall(self.message)[::-1]
        parameters = [next(filter(None, groups)) for groups in _PARAMETERS.findall(self.message)]
        return tuple(dict.fromkeys([*nodes, *parameters, *self.blocks]))


def parse_traceback(text: str) -> tuple[RaisedError, ...]:
    """Return the exceptions of the last traceback in a text, each raised while the one before it was handled.

    Without a traceback, the text from its last exception on is the message.
    """
    lines = list(_without_prefixes(_COLOUR.sub("", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")))
    reader = _Reader(pytest=any(map(_PYTEST_ERROR.match, lines)))
    chain: list[RaisedError] = []
    linked = False
    for line in [*lines, None]:
        chained = line is not None and _CHAINED.search(line) is not None
        if line is not None and not chained and not _START.search(line) and not _END.match(line):
            reader.read_line(line)
            continue
        error = reader.take_error()
        if error is not None:
            chain = [*chain, error] if linked else [error]
            linked = False
        linked = linked or chained
    return tuple(chain) or (RaisedError((), _last_message(lines)),)


def _without_prefixes(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without a logger's prefix: the prefix of the frames, with any numbers."""
    prefixes = {match["prefix"] for line in lines if (match := _PREFIX.match(line)) is not None}
    patterns = "|".join(sorted(set(map(_prefix_pattern, prefixes))))
    yield from (re.sub(rf"^(?:{patterns})", "", line) for line in lines) if patterns else lines


def _prefix_pattern(prefix: str) -> str:
    """Return the pattern of a prefix with other numbers; lines without a text may lack the blank at its end."""
    pattern = re.sub(r"\d+", r"\\d+", re.escape(prefix.rstrip(" ")))
    return f"{pattern} ?" if prefix.endswith(" ") else pattern


def _last_message(lines: Sequence[str]) -> str:
    exceptions = [number for number, line in enumerate(lines) if _EXCEPTION.match(line)]
    return "\n".join(lines[exceptions[-1] :] if exceptions else lines).strip()


@record(slots=True)
class _Reader:
    """Reads the lines of one exception after another. `pytest` says that it was pytest that printed them."""

    pytest: bool
    frames: list[TracebackFrame] = field(default_factory=list)
    message: list[str] = field(default_factory=list)
    #: What pytest shows before the place: the function, and the line that ran.
    function: str = ""
    marked: str = ""
    #: Whether the next line may be the code of the last frame.
    code_follows: bool = False

    def read_line(self, line: str) -> None:
        """Take the next line."""
        error = _PYTEST_ERROR.match(line) if self.pytest else None
        if error is not None:
            self.message.append(error["text"])
        elif self._is_in_message or (not self._read_place(line) and self._is_exception(line)):
            self.message.append(line)

    def take_error(self) -> RaisedError | None:
        """Return the exception that was read, and begin the next one. None if there was none."""
        message = "\n".join(self.message[:_MOST_LINES]).strip()
        error = RaisedError(tuple(self.frames), message) if self.message else None
        self.frames, self.message, self.function, self.marked, self.code_follows = [], [], "", "", False
        return error

    def _read_place(self, line: str) -> bool:
        """Take a line that says what ran. Returns False for another line."""
        match = next((match for pattern in _FRAMES if (match := pattern.match(line)) is not None), None)
        if match is not None and _NATIVE.search(match.groupdict().get("path") or "") is None:
            self._add_frame(match.groupdict())
        elif (arrow := _ARROW.match(line)) is not None and self.frames:
            self.frames[-1] = replace(self.frames[-1], row=int(arrow["row"]), code=(arrow["code"] or "").strip())
        elif self.pytest and (code := _PYTEST_CODE.match(line)) is not None:
            self.marked = code["code"]
        elif self.pytest and (definition := _PYTEST_DEFINITION.match(line)) is not None:
            self.function = definition["function"]
        elif self.code_follows and line.startswith(" ") and line.strip():
            self.frames[-1] = replace(self.frames[-1], code=line.strip())
            self.code_follows = False
        else:
            return False
        return True

    def _add_frame(self, groups: dict[str, str | None]) -> None:
        path = groups.get("path") or f"<cell {groups.get('cell')}>"
        function = groups.get("function") or self.function
        self.frames.append(TracebackFrame(path, int(groups.get("row") or 0), function, self.marked))
        self.code_follows = not self.marked
        self.function = self.marked = ""

    @property
    def _is_in_message(self) -> bool:
        """Whether the next line goes on with the message, as it does for everybody but pytest."""
        return bool(self.message) and not self.pytest

    def _is_exception(self, line: str) -> bool:
        """Whether a line names the exception: by its place after the frames, or else by its look."""
        if self.pytest or not line.strip():
            return False
        pattern = _AFTER_FRAMES if self.frames else _EXCEPTION
        return pattern.match(line) is not None
