"""Containers of blocks: the layers that code adds to them, in order, and the layout of lists of layers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.converting.context import ConversionContext
from hybridlint.converting.survey import EMPTY, walk
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

    from hybridlint.converting.survey import ReadLayer

#: The longest line on which a whole container stands, and the most layers there.
_SHORT, _FEW = 88, 2


def local_containers(
    node: libcst.FunctionDef, read_layer: ReadLayer, builds_block: Callable[[libcst.CSTNode], bool]
) -> set[str]:
    """Return the local names of a function that are bound to an empty container, or that it adds blocks to."""
    found: set[str] = set()
    for child in walk(node.body):
        if isinstance(child, cst.Assign) and isinstance(child.value, cst.Call):
            layer = read_layer(child.value)
            if layer is not None and layer.text in EMPTY:
                found |= {target.target.value for target in child.targets if isinstance(target.target, cst.Name)}
        elif isinstance(child, cst.Call) and isinstance(child.func, cst.Attribute) and child.func.attr.value == "add":
            container = child.func.value
            if isinstance(container, cst.Name) and any(builds_block(argument.value) for argument in child.args):
                found.add(container.value)
    return found


def additions(context: ConversionContext, original: libcst.Call, updated: libcst.Call) -> Iterator[str]:
    """Yield the statements for a call of a container's method `add`, and comments before them.

    A lazy layer has no parameters before its first input: what sets them is a comment.
    """
    assert isinstance(updated.func, cst.Attribute)
    container = context.code(updated.func.value)
    for before, after in zip(original.args, updated.args, strict=True):
        text = context.code(after.value)
        if before.star:
            yield f"{container}.extend({text})"
            continue
        layer = context.layer_or_none(before.value) if isinstance(before.value, cst.Call) else None
        if layer is not None and layer.comment is not None:
            yield layer.comment
        if layer is None or text in EMPTY:
            yield f"{container}.append({text})"
            continue
        block = context.scopes.block
        if len(layer.texts) > 1 and block is not None and container.removeprefix("self.") in block.lists:
            # The code goes through the layers: each stays one.
            yield f"{container}.append(nn.Sequential({', '.join(layer.texts)}))"
            continue
        for k, part in enumerate(layer.texts):
            starts = [start.format(f"{container}[-1]") for start in layer.starts] if k == layer.index else []
            if layer.lazy:
                yield from (f"# After a first run: {start}" for start in starts)
            yield f"{container}.append({part})"
            if not layer.lazy:
                yield from starts


def laid_out(body: Sequence[Any]) -> list[Any]:
    """Return statements in which an empty container and what is added to it at once are one statement."""
    found: list[Any] = []
    rest = list(body)
    while rest:
        statement = rest.pop(0)
        target = _empty_container(statement)
        parts: list[tuple[Any, str]] = []
        starts: list[str] = []
        while target is not None and rest:
            text = _text(rest[0])
            added = _added(text, target)
            if added is not None:
                parts.append((rest.pop(0), added))
            elif parts and re.search(rf"\({re.escape(target[0])}\[-1\]", text):
                starts.append(text.replace(f"{target[0]}[-1]", f"{target[0]}[{len(parts) - 1}]"))
                rest.pop(0)
            else:
                break
        if target is None or not parts:
            found.append(statement)
            continue
        found.append(_container(statement, *target, parts))
        found += [cst.parse_statement(start) for start in starts]
    return found


def _text(statement: Any) -> str:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return ""
    return cst.Module([]).code_for_node(statement.body[0])


def _empty_container(statement: Any) -> tuple[str, str] | None:
    """Return the target and the class of a statement that builds an empty container."""
    match = re.fullmatch(r"([\w.]+) = (nn\.Sequential|nn\.ModuleList|Concurrent)\((dim=[^)]*)?\)", _text(statement))
    return None if match is None or match[3] else (match[1], match[2])


def _added(text: str, target: tuple[str, str]) -> str | None:
    if target[1] == "Concurrent":
        return None
    begin = f"{target[0]}.append("
    if text.startswith(begin) and text.endswith(")"):
        return text[len(begin) : -1]
    begin = f"{target[0]}.extend("
    if text.startswith(begin) and text.endswith(")"):
        return f"*{text[len(begin) : -1]}"
    return None


def _container(statement: Any, name: str, kind: str, parts: Sequence[tuple[Any, str]]) -> Any:
    comments = [
        ([comment.replace(f"{name}[-1]", f"{name}[{k}]") for comment in _leading(line)], _after(line), text)
        for k, (line, text) in enumerate(parts)
    ]
    plain = not any(before or after for before, after, _ in comments)
    opened, closed = ("[", "]") if kind == "nn.ModuleList" else ("", "")
    short = f"{name} = {kind}({opened}{', '.join(text for _, _, text in comments)}{closed})"
    if plain and len(parts) <= _FEW and len(short) <= _SHORT and "\n" not in short:
        new = short
    else:
        lines = [f"{name} = {kind}({opened}"]
        for before, after, text in comments:
            lines += [f"    {comment}" for comment in before]
            indented = text.replace("\n", "\n    ")
            lines.append(f"    {indented}," + (f"  {after.value}" if after is not None else ""))
        new = "\n".join([*lines, f"{closed})"])
    node = cst.parse_statement(new)
    return node.with_changes(leading_lines=statement.leading_lines, trailing_whitespace=_trailing(statement, node))


def _trailing(statement: Any, node: Any) -> Any:
    return statement.trailing_whitespace if statement.trailing_whitespace.comment else node.trailing_whitespace


def _after(line: Any) -> Any:
    return line.trailing_whitespace.comment


def _leading(line: Any) -> list[str]:
    return [empty.comment.value for empty in line.leading_lines if empty.comment is not None]
