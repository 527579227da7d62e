"""Imports that fixes need: edits that add them to a file.

libcst's own visitors do the editing. libcst is imported, and the whole file parsed, only if an import changes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Edit, Fix, ImportEdit, line_edits
from hybridlint.text.line_endings import with_endings_of
from hybridlint.text.source import SourceError, SourceFile, Span

if TYPE_CHECKING:
    import libcst
    from libcst.codemod import CodemodContext

#: A made-up package for the module, so that relative imports resolve to absolute names.
PACKAGE = ".".join(["package"] * 8)

_CARRIAGE_RETURN = re.compile(r"\r(?!\n)")


def with_imports(source: SourceFile, fixes: Iterable[Fix]) -> list[Edit]:
    """Return the edits of the fixes, plus edits that add the imports they need.

    Raises SourceError if imports are needed in a file that libcst cannot parse.
    """
    fixes = list(fixes)
    needed = frozenset(each for fix in fixes for each in fix.imports)
    edits = [edit for fix in fixes for edit in fix.edits]
    if not needed:
        return edits
    head = _head(source)
    added = _added(source.text[head.start : head.end], needed)
    imports = [replace(e, span=Span(e.span.start + head.start, e.span.end + head.start)) for e in added]
    return [*edits, *with_endings_of(source.text, imports)]


def _head(source: SourceFile) -> Span:
    """Return where a file begins up to the end of its import block.

    Names that tell of the module, such as ``__all__``, may stand before the imports: the head begins behind them then.
    """
    first, last, told = 0, 0, 0
    for number, node in enumerate(source.tree.body):
        row = node.end_lineno or node.lineno
        if _tells_of_module(node):
            told = row
        elif isinstance(node, ast.Import | ast.ImportFrom):
            first, last = told, row
        elif number or not isinstance(node, ast.Expr):
            break
        else:
            last = row
    end = source.line_starts[last] if last < len(source.line_starts) else len(source.text)
    return Span(source.line_starts[first], end)


def _tells_of_module(node: ast.stmt) -> bool:
    """Return whether a statement binds a name of the module's own, as ``__all__ = ["Net"]`` does."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name.startswith("__") and name.endswith("__")
    return False


@lru_cache(maxsize=8)
def _added(text: str, needed: frozenset[ImportEdit]) -> tuple[Edit, ...]:
    def add(context: CodemodContext, module: libcst.Module) -> libcst.Module:
        from libcst.codemod.visitors import AddImportsVisitor

        for each in sorted(needed):
            AddImportsVisitor.add_needed_import(context, each.module, each.name or None)
        return AddImportsVisitor(context).transform_module(module)

    return tuple(run_visitors(text, add))


def run_visitors(text: str, visit: Callable[[CodemodContext, libcst.Module], libcst.Module]) -> list[Edit]:
    """Return the edits that libcst visitors make to a text. Raises SourceError if libcst cannot parse it."""
    from hybridlint.text.libcst_import import import_visitors

    import_visitors()
    import libcst
    from libcst.codemod import CodemodContext

    from hybridlint.text import cst

    # libcst drops the last line's ending if it is a carriage return alone. Every character keeps its offset.
    text = _CARRIAGE_RETURN.sub("\n", text)
    bare = text.removeprefix("\ufeff")
    try:
        module = cst.parse_module(bare)
    except libcst.ParserSyntaxError as error:
        raise SourceError(f"libcst cannot read it: {error.message}", error.raw_line, error.raw_column + 1) from error
    except RecursionError as error:
        raise SourceError(f"libcst cannot read it: {error}") from error
    after = visit(CodemodContext(full_package_name=PACKAGE), module).code
    return line_edits(text, Span(len(text) - len(bare), len(text)), after)
