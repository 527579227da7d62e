"""Runs a module statement by statement: after a failing statement, the later definitions still run.

Scripts read files that are not here, parse arguments, train, or fail in their last line. Their classes need none of it.
"""

from __future__ import annotations
import __future__

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.core import schema
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.stages import IMPORTING, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

#: Fraction of a block's time limit that all top-level statements may take together, besides definitions and imports.
STATEMENTS = 0.25
#: Statements that ended the process, after which no assignment that calls something is run any more.
_MOST_ENDED = 2
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
#: Advice for what only a script does.
MAIN_GUARD = 'Put what only the script does under `if __name__ == "__main__":`.'


class ModuleEnd(NamedTuple):
    """Where and why a module ended before its last statement: `row` is the statement's, `add` advice."""

    row: int
    reason: str
    add: str

    def __str__(self) -> str:
        """Return it as a clause for the user."""
        return f"the module ends early at line {self.row}: {self.reason}"


#: The message about such an end; `fixed` says that it is in the text after the fix.
MODULE_END = schema.fields(
    {"row": schema.whole(), "reason": schema.text(), "add": schema.optional(schema.text()), "fixed": schema.flag}
)


class SkippedStatements:
    """The statements that a new child leaves out, as they ended the process of an earlier one, and why.

    `reasons` are by `key`. A statement that the fixed module has as well is left out there too. `actions` is the reason
    for leaving out all that do something, None if they are run.
    """

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self._reasons = {key: reason for key, reason in reasons.items() if is_statement_key(key)}
        self.actions = reasons.get(ACTIONS)
        self._by_code: dict[str, str] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._reasons)

    def reason_for(self, statement: ast.stmt, key: str) -> str | None:
        """Return why a statement is left out, None if it is not."""
        reason = self._reasons.get(key)
        if reason is not None:
            self._by_code[ast.dump(statement)] = reason
        elif self._by_code:
            reason = self._by_code.get(ast.dump(statement))
        return reason


_KEY, _OF_FIXED = "line ", " of the fixed module"
_KEYS = re.compile(f"{_KEY}([0-9]{{1,9}})({_OF_FIXED})?")
#: The key of all statements that do something: only definitions, imports and assignments without calls are run.
ACTIONS = "actions"


def statement_key(row: int, *, fixed: bool) -> str:
    """Return the name of a top-level statement as optional work."""
    return f"{_KEY}{row}{_OF_FIXED if fixed else ''}"


def is_statement_key(text: str) -> bool:
    """Whether a text is the name of a top-level statement."""
    return _KEYS.fullmatch(text) is not None


def is_import(key: str, before: str, after: str | None) -> bool:
    """Whether a key names an import in the module's text or its fixed text; False for non-Python 3 text."""
    found = _KEYS.fullmatch(key)
    text = after if found and found[2] else before
    try:
        body = ast.parse(text or "").body
    except (SyntaxError, ValueError, RecursionError):
        return False
    return found is not None and any(isinstance(node, _IMPORTS) and node.lineno == int(found[1]) for node in body)


class StatementRunner:
    """Runs the statements of a module in order; after a failure, only definitions.

    `end` says where the module has failed, and `error` with what. Every statement that may take long is reported as a
    stage before; together these may take `limit` seconds.
    """

    def __init__(
        self,
        path: str,
        report_stage: Callable[[Stage], None],
        skipped: SkippedStatements,
        *,
        limit: float,
        fixed: bool = False,
    ) -> None:
        self.path = path
        self.report_stage = report_stage
        self.skipped = skipped
        self.fixed = fixed
        self.end: ModuleEnd | None = None
        self.error: BaseException | None = None
        self._limit = limit
        self._left = STATEMENTS * limit
        self._may_be_absent: Callable[[ImportError], bool] = lambda _error: False

    def run(self, tree: ast.Module, namespace: dict[str, Any], may_be_absent: Callable[[ImportError], bool]) -> None:
        """Run a module in its namespace. Raises SyntaxError, and ImportError of a module that may be absent."""
        self.end, self.error = None, None
        self._may_be_absent = may_be_absent
        flags = _future_flags(tree.body)
        statements = [node for node in tree.body if not _is_mere_text(node, tree)]
        for node, code in [(node, _compiled(node, self.path, flags)) for node in statements]:
            if (self.end is None and self.skipped.actions is None) or self._defines(node, namespace):
                self._run(node, code, namespace)
            elif self.skipped.actions is not None:
                self._ended(node, self.skipped.actions)

    def _run(self, node: ast.stmt, code: CodeType, namespace: dict[str, Any]) -> None:
        key = statement_key(node.lineno, fixed=self.fixed)
        reason = None if isinstance(node, _DEFINITIONS) else self.skipped.reason_for(node, key)
        if reason is not None:
            self._ended(node, reason)
            return
        limited = not isinstance(node, (*_DEFINITIONS, *_IMPORTS))
        if not isinstance(node, _DEFINITIONS):
            within = max(self._left, 0.0) if limited else self._limit
            self.report_stage(Stage(IMPORTING, optional=key, within=within))
        begin = now()
        try:
            exec(code, namespace)
        except ImportError as error:
            if self.end is None and self._may_be_absent(error):
                # It may not be needed: a stand-in takes its place.
                raise
            self._ended(node, "", error)
        except BaseException as error:
            self._ended(node, "", error)
        if limited:
            self._left -= now() - begin

    def _ended(self, node: ast.stmt, reason: str, error: BaseException | None = None) -> None:
        """Keep where the module ended; later failures follow from that."""
        if self.end is None:
            self.end, self.error = ModuleEnd(node.lineno, reason, MAIN_GUARD), error

    @property
    def _may_call(self) -> bool:
        """Whether assignments that call something are run behind the end."""
        return self.skipped.actions is None and len(self.skipped) < _MOST_ENDED

    def _defines(self, node: ast.stmt, namespace: Mapping[str, Any]) -> bool:
        """Whether a statement defines something, so that it is run in a module that has ended."""
        if isinstance(node, (*_DEFINITIONS, *_IMPORTS)):
            return True
        if isinstance(node, _ASSIGNMENTS):
            return self._may_call or not _calls_something(node)
        if isinstance(node, ast.Expr):
            return self.skipped.actions is None and _sets_up_a_library(node.value, namespace)
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            return all(self._defines(inner, namespace) or isinstance(inner, ast.Pass) for inner in _inner(node))
        return False


def _compiled(node: ast.stmt, path: str, flags: int) -> CodeType:
    code: CodeType = compile(ast.Module([node], []), path, "exec", flags=flags, dont_inherit=True)
    return code


def _future_flags(body: Sequence[ast.stmt]) -> int:
    """Return the flags by which ``from __future__`` imports hold for every statement of a module."""
    flags = 0
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(__future__, alias.name).compiler_flag if hasattr(__future__, alias.name) else 0
    return flags


def _is_mere_text(node: ast.stmt, tree: ast.Module) -> bool:
    """Whether a statement is a text without effect; alone in a module it would be its docstring."""
    return node is not tree.body[0] and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _calls_something(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def _sets_up_a_library(node: ast.expr, namespace: Mapping[str, Any]) -> bool:
    """Whether an expression calls a function of an imported module, such as `npx.set_np()` or `sys.path.append()`."""
    function = node.func if isinstance(node, ast.Call) else None
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and isinstance(namespace.get(function.id), ModuleType)


def _inner(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements directly inside a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(node, name, ())
    for handler in getattr(node, "handlers", ()):
        yield from handler.body
