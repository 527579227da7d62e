"""Writes to arrays are counted, whichever way they are made, so that copies in other forms are never out of date."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from hybridlint.runtime import nd
from hybridlint.runtime.core.writes import watch
from tests.house import PACKAGE, Reading, modules

RUNTIME = PACKAGE / "runtime"
#: Where elements are set: the method of arrays that tells of it.
ALLOWED = {"ndarray/ndarray.py"}


def stores(nodes: Iterable[ast.AST]) -> list[int]:
    """Return the lines that set elements of the memory of an array, or have a function of numpy do so."""
    found = []
    for node in nodes:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call):
            targets = [keyword.value for keyword in node.keywords if keyword.arg == "out"]
        for target in targets:
            assert isinstance(node, (ast.stmt, ast.expr))
            inner = target.value if isinstance(target, ast.Subscript) else target
            held = isinstance(inner, ast.Attribute) and inner.attr == "_data"
            if held and (isinstance(target, ast.Subscript) or not isinstance(node, ast.Assign)):
                found.append(node.lineno)
    return found


@Reading
def _stores(path: Path, _tree: ast.Module, nodes: Sequence[ast.AST]) -> list[int]:
    return stores(nodes) if RUNTIME in path.parents else []


def test_arrays_are_changed_in_one_place() -> None:
    code = "a._data[0] = 1\na._data += 1\nnp.add(x, y, out=a._data)\na._data = b"
    assert stores(ast.walk(ast.parse(code))) == [1, 2, 3]
    wrong = {}
    for path in (path for _, path in modules() if RUNTIME in path.parents):
        name = path.relative_to(RUNTIME).as_posix()
        lines = [] if name in ALLOWED else _stores.of(path)
        if lines:
            wrong[name] = lines
    # Blocks and data sets have attributes of that name too: lists and dicts.
    assert wrong == {}


def test_a_watch_is_that_of_the_memory_not_of_the_view() -> None:
    array = nd.zeros((3, 4))
    seen = watch(array._data)
    array[1:][0, 2] = 1
    assert (seen.count, watch(array[2]._data)) == (1, seen)
    nd.zeros((3, 4))[:] = 1
    assert seen.count == 1


def test_memory_that_others_know_is_uncertain() -> None:
    own = np.zeros(3, "float32")
    assert not watch(nd.from_numpy(own)._data).certain
    array = nd.zeros((3,))
    seen = watch(array._data)
    assert seen.certain
    nd.to_dlpack_for_read(array)
    assert not seen.certain
