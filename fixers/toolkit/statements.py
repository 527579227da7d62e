"""Edits of whole statements that keep their comments: replace, insert, delete, unwrap a block."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.comments import Comment, comments_in, dropped_comments
from hybridlint.fixers.toolkit.names import block_around
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import fill_template, place
from hybridlint.text import cst
from hybridlint.text.concrete import block_code, block_of, first_row, is_placed, relative, statements_at
from hybridlint.text.edits import Applicability, Edit, Fix, FixKind, ImportEdit, line_edits
from hybridlint.text.source import Span
from hybridlint.text.syntax import each, walk

#: Expressions that may do more than read.
_DOING = (ast.Call, ast.Subscript, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


def replace_statements(
    frame: CodeContext,
    nodes: ast.stmt | Sequence[ast.stmt],
    new: Sequence[cst.BaseStatement],
    applicability: Applicability,
    *,
    message: str,
    line_by_line: bool = False,
    imports: tuple[ImportEdit, ...] = (),
) -> Fix | None:
    """Replace a statement, or several consecutive ones, by other statements.

    Comments of dropped code are put above the first statement; a comment at the end of the last line stays there. None
    if a line holds other code too. No other fix may change the lines at the same time, unless `line_by_line` is true.
    `imports` are those that the new statements need.
    """
    nodes = [nodes] if isinstance(nodes, ast.stmt) else nodes
    span = lines_of(frame, nodes)
    if span is None:
        return None
    text, indent = frame.source.text, _indent(frame, nodes[0])
    content = block_code(frame.source, new, indent)
    old = text[span.start : span.end]
    content = _with_comments(
        content, indent, dropped_comments(old, content), frame.source.span(nodes[-1]).end - span.start
    )
    if content == old:
        return None
    if line_by_line and text[span.end :].startswith("\n"):
        edits = line_edits(text, Span(span.start, span.end + 1), f"{content}\n")
    else:
        edits = [Edit(span, content)]
    return Fix(message, tuple(edits), applicability, imports=imports)


def insert_statements(
    frame: CodeContext,
    new: Sequence[cst.BaseStatement],
    applicability: Applicability,
    *,
    message: str,
    before: ast.stmt | None = None,
    after: ast.stmt | None = None,
) -> Fix | None:
    """Insert statements before or after a statement, in its block. None if its lines hold other code too."""
    node = before or after
    assert node is not None
    span = lines_of(frame, [node])
    if span is None:
        return None
    content = block_code(frame.source, new, _indent(frame, node))
    if before is not None:
        return Fix(message, (Edit(Span(span.start, span.start), f"{content}\n"),), applicability)
    return Fix(message, (Edit(Span(span.end, span.end), f"\n{content}"),), applicability)


def delete_statement(frame: CodeContext, node: ast.stmt, applicability: Applicability, *, message: str) -> Fix | None:
    """Delete a statement and its lines, but keep their comments. No two empty lines are left where one stood.

    A branch that holds nothing else goes with it, if its test only reads; in other blocks ``pass`` replaces the only
    statement. None if other code shares its lines.
    """
    span, text = lines_of(frame, [node]), frame.source.text
    if span is None:
        return None
    block = block_around(frame, node) or [node]
    if len(block) == 1:
        branch = _branch_of(frame, node)
        if branch is not None:
            return delete_statement(frame, branch, applicability, message=message)
        return rewrite(frame, node, cst.Pass(), applicability, message=message)
    indent = _indent(frame, node)
    kept = "".join(f"{indent}{comment.text}\n" for comment in comments_in(text[span.start : span.end]))
    row = (node.end_lineno or node.lineno) + 1
    if not kept:
        row = _row_behind_blanks(frame, node, block, row)
    end = frame.source.line_starts[row - 1] if row <= len(frame.source.line_starts) else len(text)
    whole = Span(span.start, end)
    return Fix(message, (Edit(whole, kept),), applicability)


def _row_behind_blanks(frame: CodeContext, node: ast.stmt, block: Sequence[ast.stmt], row: int) -> int:
    """Return the row up to which lines go with a statement: empty ones too, if they separate nothing without it.

    That is so where an empty line stands above the statement as well, and where the statement begins its block.
    """
    if node is block[-1] or not isinstance(node, ast.stmt):
        return row
    source = frame.source
    above = first_row(node) - 1
    first = node is block[0] and all(source.line(one).strip() for one in range(max(above, 1), first_row(node)))
    if not first and source.line(above).strip():
        return row
    while row <= len(source.line_starts) and not source.line(row).strip():
        row += 1
    return row


def _branch_of(frame: CodeContext, only: ast.stmt) -> ast.If | None:
    """Return the branch without an alternative, and no ``elif``, whose only statement this is; None without one."""
    for node in each(frame.source.tree, ast.If):
        if node.body == [only]:
            plain = not node.orelse and frame.source.text.startswith("if", frame.source.span(node).start)
            return node if plain and not any(isinstance(part, _DOING) for part in walk(node.test)) else None
    return None


def held_by(whole: cst.CSTNode) -> list[cst.BaseStatement]:
    """Return the statements in the body of a libcst compound statement, also of ``if x: y`` on one line."""
    body = getattr(whole, "body", None)
    if isinstance(body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(body.body)]
    assert isinstance(body, cst.IndentedBlock)
    return [statement for statement in body.body if isinstance(statement, cst.BaseStatement)]


def taken_out(
    frame: CodeContext,
    node: ast.stmt,
    applicability: Applicability,
    *,
    message: str,
    parts: Mapping[ast.expr, cst.BaseExpression] | None = None,
    behind: Sequence[cst.BaseStatement] = (),
) -> Fix | None:
    """Replace a compound statement by its body, in which `parts` maps nodes to their replacements.

    The statements in `behind` follow the body.
    """
    parts = parts or {}
    if lines_of(frame, [node]) is None or not all(is_placed(frame.source, part) for part in parts):
        return None
    (whole,) = statements_with(frame, [node], parts)
    new = [*held_by(whole), *behind]
    return replace_statements(frame, node, new, applicability, message=message, line_by_line=True)


def statements_with(
    frame: CodeContext, nodes: Sequence[ast.stmt], parts: Mapping[ast.expr, cst.BaseExpression]
) -> list[cst.BaseStatement]:
    """Return consecutive statements as libcst nodes, in which `parts` maps nodes to their replacements."""
    source = frame.source
    if not parts:
        return statements_at(source, nodes)
    start = source.line_starts[first_row(nodes[0]) - 1]
    text = source.text[start : source.span(nodes[-1]).end]
    filling: dict[str, cst.BaseExpression] = {}
    for node in sorted(parts, key=lambda part: source.span(part).start, reverse=True):
        name, span = f"part{len(filling)}", source.span(node)
        filling[name] = relative(parts[node], _indent(frame, _statement_of(nodes, node)))
        text = text[: span.start - start] + place(name) + text[span.end - start :]
    return fill_template(block_of(source, text), filling)


def with_comment_behind(frame: CodeContext, node: ast.stmt, new: cst.BaseStatement) -> cst.BaseStatement:
    """Return `new` with the comment that follows `node`, a statement of the file, on its last line."""
    source, row = frame.source, node.end_lineno or node.lineno
    behind = comments_in(source.line(row)[source.span(node).end - source.line_starts[row - 1] :])
    if not behind or not isinstance(new, cst.SimpleStatementLine):
        return new
    end = cst.TrailingWhitespace(cst.SimpleWhitespace("  "), cst.Comment(behind[0].text))
    return new.with_changes(trailing_whitespace=end)


def _statement_of(nodes: Sequence[ast.stmt], part: ast.expr) -> ast.stmt:
    """Return the innermost statement around an expression."""
    inside = (s for node in nodes for s in walk(node) if isinstance(s, ast.stmt) and any(n is part for n in walk(s)))
    return max(inside, key=lambda statement: (statement.lineno, statement.col_offset))


def join_fixes(message: str, fixes: Iterable[Fix | None], *, kind: FixKind = FixKind.REPAIR) -> Fix | None:
    """Return one fix with the edits of several; None if one of them is None, or if there are none.

    It is safe only if all of them are.
    """
    parts: list[Fix] = []
    for fix in fixes:
        if fix is None:
            return None
        parts.append(fix)
    if not parts:
        return None
    safe = all(fix.applicability is Applicability.SAFE for fix in parts)
    edits = tuple(edit for fix in parts for edit in fix.edits)
    imports = tuple(sorted({each for fix in parts for each in fix.imports}))
    return Fix(message, edits, Applicability.SAFE if safe else Applicability.UNSAFE, kind, imports)


def lines_of(frame: CodeContext, nodes: Sequence[ast.stmt]) -> Span | None:
    """Return the span of whole lines of statements, without the last line break; None if they hold other code."""
    source, end = frame.source, frame.source.span(nodes[-1]).end
    start = source.line_starts[first_row(nodes[0]) - 1]
    row = nodes[-1].end_lineno or nodes[-1].lineno
    rest = source.line(row)[end - source.line_starts[row - 1] :]
    before = source.text[start : source.span(nodes[0]).start]
    alone = not before.strip() or before.lstrip().startswith("@")
    if not alone or rest.split("#")[0].strip() or source.code(nodes[0]).startswith("elif"):
        return None
    return Span(start, end + len(rest.rstrip()))


def _indent(frame: CodeContext, node: ast.stmt) -> str:
    line = frame.source.line(first_row(node))
    return line[: len(line) - len(line.lstrip())]


def _with_comments(content: str, indent: str, lost: Sequence[Comment], end: int) -> str:
    """Return the lines of `content` with the comments in `lost` added.

    The last comment goes to the end of the last line if it began at or after offset `end`, where the replaced code
    ended, and if that line has no comment. All others go on lines above.
    """
    last = lost[-1] if lost and lost[-1].start >= end else None
    free = bool(content) and not comments_in(content.rpartition("\n")[2])
    above = [comment for comment in lost if comment is not last or not free]
    lines = [*(f"{indent}{comment.text}" for comment in above), *([content] if content else [])]
    return "\n".join(lines) + (f"  {last.text}" if last is not None and free else "")


def run_around(block: Sequence[ast.stmt], node: ast.Assign, belongs: Callable[[ast.stmt], bool]) -> list[ast.Assign]:
    """Return the assignments in a row around one in a block that belong together, itself among them."""
    start = end = block.index(node)
    while start and belongs(block[start - 1]):
        start -= 1
    while end + 1 < len(block) and belongs(block[end + 1]):
        end += 1
    return [statement for statement in block[start : end + 1] if isinstance(statement, ast.Assign)]
