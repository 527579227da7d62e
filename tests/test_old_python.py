"""What runs where MXNet lives is written for Python 3.8: its syntax, and what is evaluated when it is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hybridlint
from hybridlint.proving.process import CHILD
from hybridlint.proving.recording.child import run_record
from tests.batches import batched

PACKAGE = Path(hybridlint.__file__).parent
FOLDERS = (CHILD, Path(run_record.__file__).parent, PACKAGE / "frontends" / "api")
BESIDE = (
    "__init__",
    "core/__init__",
    "core/coverage",
    "core/proof_outcome",
    "core/schema",
    "proving/__init__",
    "proving/recording/__init__",
    "proving/recording/sources",
    "proving/recording/descriptions",
    "runtime/facts/records",
    "system/__init__",
    "system/call_depth",
    "text/matching",
    "text/mutators",
    "text/plurals",
    "text/suggest",
)
FILES = [*(path for folder in FOLDERS for path in folder.rglob("*.py")), *(PACKAGE / f"{name}.py" for name in BESIDE)]
#: What cannot be subscripted before Python 3.9.
GENERIC = {"list", "dict", "tuple", "set", "frozenset", "type", "Callable", "Generator", "Iterable", "Iterator"}
GENERIC |= {"Mapping", "Sequence", "Collection", "AbstractContextManager"}
METHODS = {"removeprefix", "removesuffix"}
#: Names of the standard library that Python 3.8 lacks.
NEW_NAMES = {("functools", "cache"), ("itertools", "pairwise"), ("types", "NoneType")}


@batched((pytest.param(path, id=str(path.relative_to(PACKAGE))) for path in FILES), lambda path: path.parent.name)
def test_file(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    assert [f"line {node.lineno}: {ast.unparse(node)}" for node in _too_new(tree)] == []


def test_what_these_files_import_is_among_them() -> None:
    """A module that is imported there runs there too."""
    names = {".".join(["hybridlint", *path.relative_to(PACKAGE).with_suffix("").parts]) for path in FILES}
    named = {name.removesuffix(".__init__") for name in names}
    # Their packages have nothing but docstrings and guards.
    named |= {"hybridlint", "hybridlint.runtime", "hybridlint.runtime.facts"}
    imported = {
        (path.stem, node.module)
        for path in [*CHILD.rglob("*.py"), PACKAGE / "core" / "proof_outcome.py"]
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hybridlint.")
    }
    assert {(name, module) for name, module in imported if module not in named} == set()


def _too_new(tree: ast.AST) -> Iterator[ast.stmt | ast.expr]:
    for node in _evaluated(tree):
        match node:
            case ast.ImportFrom(module=module, names=names) if any((module, n.name) in NEW_NAMES for n in names):
                yield node
            case ast.Subscript(value=ast.Name(id=name)) if name in GENERIC:
                yield node
            case ast.Call(func=ast.Attribute(attr=name)) if name in METHODS:
                yield node
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.BinOp()]):
                yield node
            case ast.Call(func=ast.Name(id="zip" | "dataclass"), keywords=keywords):
                if any(keyword.arg in {"strict", "slots", "kw_only"} for keyword in keywords):
                    yield node
            case _:
                pass


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Iterate over what runs: annotations do not, and neither does what only type checkers read."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                yield from (part for other in child.orelse for part in _evaluated(other))
            elif isinstance(child, ast.AST):
                yield child
                yield from _evaluated(child)


def test_it_finds_what_is_too_new() -> None:
    text = (
        "A = dict[str, int]\ndef f(x: list[int]) -> None:\n    isinstance(x, int | str)\n    zip(x, x, strict=True)\n"
    )
    assert [node.lineno for node in _too_new(ast.parse(text))] == [1, 3, 4]
