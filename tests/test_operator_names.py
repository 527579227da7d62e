"""Facts of operators and layers stand once, in the runtime: linter, rules and fixers have no tables of their names."""

from __future__ import annotations

import ast
import builtins
import operator
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.abstract.loading import layer_names
from tests.house import PACKAGE, Reading, modules

#: The runtime defines operators.
ROOMS = sorted(path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "runtime")
#: What begins the name of an operator, and is written as a namespace where it is called.
PREFIXES = (
    *("_np_", "_npi_", "_npx_", "_contrib_", "_random_", "_sample_", "_linalg_", "_image_", "_sparse_", "broadcast_"),
    *("elemwise_", "_"),
)
#: Names that Python gives its own functions and methods too.
OF_PYTHON = {
    *dir(builtins),
    *dir(operator),
    *(name for kind in (str, list, dict, set, deque, OrderedDict, ast) for name in dir(kind)),
}
#: File and names that stand there all the same, and why.
EXCEPTIONS = {
    # Options of a command.
    "frontends/commands/check_options.py": {"diff", "fix"},
    # Names that numpy has removed.
    "launch/legacy/names.py": {"prod", "product", "sometrue", "vstack"},
    # What runs beside the real MXNet, which has no registry to ask.
    "proving/child/inputs/graph/joint_shapes.py": {
        "Cast",
        "Reshape",
        "_copy",
        "BlockGrad",
        "expand_dims",
        "Flatten",
        "reshape",
        "cast",
    },
    "proving/child/inputs/graph/arraylike.py": {
        *("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal", "div", "power"),
        *("maximum", "minimum", "multiply", "subtract", "true_divide"),
    },
    # The same: the ranks that layers and functions of either MXNet take, and containers that pass their input on.
    "proving/child/inputs/source/ranks.py": {
        *("BatchNorm", "Dense", "Embedding", "GroupNorm", "InstanceNorm", "LayerNorm"),
    },
    "proving/brief/input_ranks.py": {"expand_dims", "stack"},
    "proving/child/inputs/source/input_flow.py": {"HybridSequential", "Sequential"},
    # Base classes, which are no layers, of either MXNet.
    "proving/child/specs/signatures.py": {"RecurrentCell", "HybridRecurrentCell", "Loss"},
    # Targets of rewrites: numpy's functions that are comparisons in legacy mode, and draws that have a like.
    "fixers/functions/one_mode.py": {"uniform", "normal", "isnan", "isfinite"},
    # The same: what is stored everywhere is made anew.
    "fixers/indexing/stores.py": {"zeros_like", "ones_like"},
    # Functions of `math` that a size is given to.
    "fixers/shapes/sizes.py": {"sqrt", "log", "exp"},
}


@cache
def _names() -> set[str]:
    """Return every name of a layer, of an operator, and what that is called in its namespace."""
    names = {name for name, found in registry.names().items() if not found.internal}
    bare = {name.removeprefix(prefix) for name in names for prefix in PREFIXES if name.startswith(prefix)}
    return (names | bare | set(layer_names())) - OF_PYTHON


def _constants(node: ast.AST) -> list[str]:
    """Return the texts that a collection holds, or that a pattern chooses from; a text of words is a collection too."""
    match node:
        case ast.Set(elts=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            pass
        case ast.Dict(keys=keys, values=values):
            # A function for a name is code that handles it, and no fact.
            handled = any(isinstance(value, ast.Name | ast.Lambda | ast.Attribute) for value in values)
            parts = [] if handled else [key for key in keys if key is not None] + values
        case ast.MatchOr(patterns=patterns):
            parts = [p.value for p in patterns if isinstance(p, ast.MatchValue)]
        case ast.Call(func=ast.Name(id="words"), args=[ast.Constant(value=str() as text)]):
            return text.split()
        case _:
            return []
    return [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]


def tables(nodes: Iterable[ast.AST], names: set[str]) -> Iterator[tuple[int, set[str]]]:
    """Yield the lines of collections among nodes that hold two names of operators or more, and the names."""
    for node in nodes:
        found = names.intersection(_constants(node))
        if len(found) > 1:
            yield node.lineno, found  # type: ignore[attr-defined]


def _tables_in(text: str) -> list[tuple[int, set[str]]]:
    return list(tables(ast.walk(ast.parse(text)), _names()))


@Reading
def _tables(path: Path, _tree: ast.Module, nodes: Sequence[ast.AST]) -> list[tuple[int, set[str]]]:
    """Return the tables in a module of a room; the runtime may have them."""
    return list(tables(nodes, _names())) if _room(path) in ROOMS else []


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_has_a_table_of_operators(room: str) -> None:
    found = [
        (path, line, names - EXCEPTIONS.get(path.relative_to(PACKAGE).as_posix(), set()))
        for _, path in modules()
        if _room(path) == room
        for line, names in _tables.of(path)
    ]
    wrong = [
        f"{path}, line {line} holds {sorted(names)}: state it in the operators' definitions, and ask there"
        for path, line, names in found
        if len(names) > 1
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        '_KEEPING = frozenset({"relu", "sigmoid"})',
        '_TWINS = {"softmax": "log_softmax"}',
        '_SHAPES = words("relu append sigmoid")',
        '_NORMS = frozenset({"BatchNorm", "SyncBatchNorm"})',
        'def f(name):\n    match name:\n        case "relu" | "tanh":\n            return 1',
    ],
)
def test_a_table_is_found_however_it_is_written(text: str) -> None:
    assert len(_tables_in(text)) == 1


@pytest.mark.parametrize(
    "text", ['_BUILTINS = {"sum", "max", "min"}', '_RULES = {"relu": f, "tanh": g}', 'NAMES = ("relu", "append")']
)
def test_what_is_no_table_of_operators_may_stand(text: str) -> None:
    assert _tables_in(text) == []


@pytest.mark.parametrize(("path", "names"), EXCEPTIONS.items())
def test_no_exception_outlives_its_reason(path: str, names: set[str]) -> None:
    found = {name for _, here in _tables.of(PACKAGE / path) for name in here}
    assert names <= found | OF_PYTHON
