"""Who may import whom: the linter lives on facts alone, the runtime knows nothing of the linter."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from hybridlint import runtime
from hybridlint.analysis.mxnet import classes
from hybridlint.proving.child import classes as child_classes
from tests.house import PACKAGE, Reading, modules

FACTS = ("hybridlint.runtime.facts",)
TEXT = (
    "hybridlint.text.concrete",
    "hybridlint.text.cst",
    "hybridlint.text.definitions",
    "hybridlint.text.dotted",
    "hybridlint.text.edits",
    "hybridlint.text.libcst_import",
    "hybridlint.text.line_endings",
    "hybridlint.text.literals",
    "hybridlint.text.matching",
    "hybridlint.text.mutators",
    "hybridlint.text.parameters",
    "hybridlint.text.plurals",
    "hybridlint.text.python2",
    "hybridlint.text.regular",
    "hybridlint.text.screening",
    "hybridlint.text.shortening",
    "hybridlint.text.source",
    "hybridlint.text.syntax",
)


@dataclass(frozen=True)
class Layer:
    """Modules under `prefixes` may import ours under `allowed`, and of others' none under `banned`."""

    prefixes: tuple[str, ...]
    allowed: tuple[str, ...]
    banned: tuple[str, ...] = ("click", "cupy", "numpy", "rich")


# The first layer that names a module is its own.
LAYERS = (
    Layer(FACTS, FACTS),
    Layer(("hybridlint.runtime.ops",), (*FACTS, "hybridlint.runtime.ops", "hybridlint.runtime.util")),
    # What runs operators takes its array module from a platform.
    Layer(("hybridlint.runtime.compiled", "hybridlint.runtime.core.imperative"), ("hybridlint.runtime",)),
    Layer(("hybridlint.runtime",), ("hybridlint.runtime",), banned=("click", "rich")),
    Layer(("hybridlint.rules",), ("hybridlint.rule", "hybridlint.analysis", "hybridlint.fixers", *FACTS, *TEXT)),
    Layer(
        ("hybridlint.fixers",),
        ("hybridlint.analysis", "hybridlint.fixers", *FACTS, *TEXT),
        banned=("click", "cupy", "numpy", "rich"),
    ),
    Layer(
        ("hybridlint.analysis.imports",),
        ("hybridlint.analysis.imports", "hybridlint.runtime.facts.records", "hybridlint.text.regular"),
        banned=("click", "cupy", "numpy", "rich"),
    ),
    Layer(
        ("hybridlint.analysis", "hybridlint.rule", *TEXT),
        ("hybridlint.analysis", "hybridlint.analysis.imports", "hybridlint.rule", *FACTS, *TEXT),
        banned=("click", "cupy", "numpy", "rich"),
    ),
    Layer(("hybridlint.checking.findings",), ("hybridlint.analysis", "hybridlint.rule", *FACTS, *TEXT)),
)


def _below(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


@dataclass(frozen=True)
class Facts:
    """What the text of a file says."""

    #: What it imports anywhere, what when it runs, and what in a function.
    imports: tuple[str, ...]
    by_running: tuple[str, ...]
    late: tuple[tuple[int, str], ...]
    #: The texts that its code uses.
    literals: tuple[str, ...]


@Reading
def _facts(_path: Path, tree: ast.Module, nodes: Sequence[ast.AST]) -> Facts:
    return Facts(
        tuple(_imported(nodes)), tuple(_imported_by_running(tree)), tuple(_late(nodes)), tuple(_literals(nodes))
    )


def _imports(path: Path) -> tuple[str, ...]:
    imports = _facts.of(path).imports
    assert not any(name.startswith(".") for name in imports), f"{path}: imports across parts are absolute"
    return imports


def _imported(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def test_layers() -> None:
    wrong = []
    for name, path in modules():
        layer = next((layer for layer in LAYERS if _below(name, layer.prefixes)), None)
        for imported in _imports(path) if layer else ():
            assert layer is not None
            ours = imported.startswith("hybridlint.")
            if _below(imported, layer.banned) or (ours and not _below(imported, layer.allowed)):
                wrong.append(f"{name} imports {imported}")
    assert wrong == []


def test_what_stands_at_the_top_of_the_runtime_is_mxnets_own_or_a_room_of_the_engine() -> None:
    top = PACKAGE / "runtime"
    names = {path.stem for path in top.glob("*.py")} | {path.parent.name for path in top.glob("*/__init__.py")}
    engine = {
        "compiled",
        "control_flow",
        "core",
        "facts",
        "merged",
        "numpy_functions",
        "ops",
        "platforms",
        "serialization",
        "torch_code",
    }
    assert names - {*runtime._MODULES.values(), "__init__"} == {*engine, "strict"}


def test_rules_do_not_import_each_other() -> None:
    assert [n for n, path in modules() if any(_below(i, ("hybridlint.rules",)) for i in _imports(path))] == [
        "hybridlint.checking.checker",
        "hybridlint.checking.text_versions",
    ], "they make the findings of what is not analyzed, syntax and comments; nobody else knows a rule"


def test_every_door_leads_to_the_pipeline() -> None:
    """Commands, the library and whatever converts blocks ask the pipeline; what checks, fixes and writes is behind."""
    doors = ("hybridlint.checking.cluster", "hybridlint.checking.pipeline", "hybridlint.checking.session")
    wrong = [
        f"{name} imports {imported}"
        for name, path in modules()
        if not _below(name, ("hybridlint.checking",))
        for imported in _imports(path)
        if _below(imported, ("hybridlint.checking",)) and not _below(imported, doors)
    ]
    assert wrong == []


def test_fixers_edit_no_text() -> None:
    """What they write is made of concrete nodes: edits are the toolkit's, and nobody else parses text for them."""
    edits = {"Edit", "apply_edits", "line_edits", "expression_in", "block_of"}
    fixers = ((name, path) for name, path in modules() if _below(name, ("hybridlint.fixers",)))
    outside = ((name, path) for name, path in fixers if not _below(name, ("hybridlint.fixers.toolkit",)))
    assert [name for name, path in outside if any(i.rpartition(".")[2] in edits for i in _imports(path))] == []


def _runs(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield what is below statements, but for what type checkers alone read."""
    for statement in statements:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            yield from _runs(statement.orelse)
        else:
            yield from ast.walk(statement)


def _imported_by_running(tree: ast.Module) -> Iterator[str]:
    for node in _runs(tree.body):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


#: What rooms need that only an extra brings; their commands say so where it is missing.
EXTRAS = {
    "hybridlint.checking": ("distributed",),
    "hybridlint.converting": ("safetensors", "torch"),
    "hybridlint.converting.child": ("torch",),
    "hybridlint.frontends": ("lsprotocol", "pygls", "pytest"),
}


def test_only_declared_dependencies_are_imported() -> None:
    """The libraries of pyproject.toml, its extras, and pytest in its plugin: nothing that only developers have."""
    libraries = {"click", "libcst", "numpy", "pathspec", "rich", "tomli", "tomllib"}
    declared = {*libraries, "hybridlint", *sys.stdlib_module_names}
    wrong = []
    for name, path in modules():
        known = {*declared, *EXTRAS.get(_room(name), ())}
        wrong += [
            f"{name} imports {other}" for other in _facts.of(path).by_running if other.partition(".")[0] not in known
        ]
    assert wrong == []


def _check_with_blocked(folder: Path, *blocked: str) -> subprocess.CompletedProcess[str]:
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked!r})); "
        "sys.argv = ['hybridlint', 'check', '--no-cache', '.']; from hybridlint.frontends.cli import main; main()"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


HYBRID = """
from mxnet.gluon import HybridBlock

class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return x[1]
"""


@pytest.mark.parametrize(
    ("text", "blocked", "status"),
    [
        ("x = 1\n", ("numpy", "cupy", "libcst", "rich", "concurrent.futures", "logging", "lzma"), 0),
        (HYBRID.replace("x[1]", "F.relu(x)"), ("numpy", "cupy", "libcst", "rich"), 0),
        (HYBRID, ("numpy", "cupy", "rich"), 1),
    ],
)
def test_check_needs_no_heavy_library(tmp_path: Path, text: str, blocked: tuple[str, ...], status: int) -> None:
    (tmp_path / "x.py").write_text(text, encoding="utf-8")
    done = _check_with_blocked(tmp_path, *blocked)
    assert done.returncode == status, done.stdout + done.stderr


#: What stands for the way out, and what it needs.
_WAY_OUT = ("hybridlint.converting", "hybridlint.runtime.torch_code", "torch", "safetensors")


@pytest.mark.parametrize("command", [["check", "--fix", "--unsafe-fixes"], ["status", "--exit-zero"], ["verify"]])
def test_other_commands_import_nothing_of_the_way_out(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "x.py").write_text(HYBRID, encoding="utf-8")
    program = (
        f"import sys; sys.argv = ['hybridlint', *{command!r}, '--no-cache', '.']\n"
        "from hybridlint.frontends.cli import main\n"
        "try:\n    main()\nfinally:\n"
        f"    print('imported:', [name for name in sys.modules if name.startswith({_WAY_OUT!r})])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "imported: []" in done.stdout, done.stdout + done.stderr


def test_the_way_out_is_one_room_and_one_table() -> None:
    """Only commands ask the room, and only the room asks the table that stands beside the operators."""
    room, table = "hybridlint.converting", "hybridlint.runtime.torch_code"
    wrong = [
        f"{name} imports {imported}"
        for name, path in modules()
        for imported in _imports(path)
        if (_below(imported, (room,)) and not _below(name, (room, "hybridlint.frontends.commands")))
        or (_below(imported, (table,)) and not _below(name, (room, table)))
    ]
    assert wrong == []


def _late(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the row and the module of each import in a function."""
    rows = [(node.lineno, node.end_lineno or 0) for node in nodes if isinstance(node, ast.FunctionDef)]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and any(first <= node.lineno <= last for first, last in rows):
            yield node.lineno, node.module or ""


def test_the_parts_of_the_interpreter_reach_each_other_by_dispatch_alone() -> None:
    """No circle of imports: all stand at the top, where Python itself would refuse one."""
    late = [
        f"{name} line {row}"
        for name, path in modules()
        if _below(name, ("hybridlint.analysis",))
        for row, imported in _facts.of(path).late
        if imported.startswith("hybridlint.analysis")
    ]
    assert late == []


#: Parts of the runtime whose modules still refer to each other: arrays and symbols are turned into each other by their
#: own methods, recorded, compiled and saved.
CYCLIC = tuple(
    f"hybridlint.runtime.{part}"
    for part in (
        *("autograd", "compiled", "control_flow", "core", "executor", "ndarray", "numpy", "numpy_functions"),
        *("operator", "serialization", "symbol"),
    )
)
#: The number of their modules that import themselves through others, which may only fall.
MOST_CYCLIC = 37


@cache
def _import_graph() -> dict[str, set[str]]:
    """Return the modules that each module imports, anywhere in its text: late ones and those for types too."""
    paths = dict(modules())

    def module(name: str) -> str:
        while name and name not in paths:
            name = name.rpartition(".")[0]
        return name

    return {name: {module(i) for i in _imports(path)} - {"", "hybridlint", name} for name, path in paths.items()}


def _cycles(graph: Mapping[str, Set[str]]) -> set[str]:
    """Return the nodes that lie on a cycle, or lead from one to another."""
    left = dict(graph)
    for edges in (graph, _reversed(graph)):
        left = {node: edges[node] & left.keys() for node in left}
        while ends := {node for node, further in left.items() if not further}:
            left = {node: further - ends for node, further in left.items() if node not in ends}
    return set(left)


def _reversed(graph: Mapping[str, Set[str]]) -> dict[str, Set[str]]:
    return {node: {other for other, further in graph.items() if node in further} for node in graph}


def _room(name: str) -> str:
    """Return the part of the house that a module is in. What runs beside the user's code is a part of its own."""
    parts = name.split(".")
    return ".".join(parts[: 3 if parts[2:3] == ["child"] else 2])


#: The packages of `hybridlint`, each of which may import those before it alone.
PACKAGES = (
    *("runtime", "text", "system", "analysis", "rule", "core", "fixers", "rules", "project", "launch", "fixing"),
    *("proving", "checking", "hybridizing", "explain", "report", "converting", "frontends"),
)


def test_a_package_imports_those_before_it_alone() -> None:
    wrong = []
    for name, path in modules():
        package = name.split(".")[1:2]
        later = PACKAGES[PACKAGES.index(package[0]) + 1 :] if package and package[0] in PACKAGES else ()
        wrong += [
            f"{name} imports {imported}"
            for imported in _imports(path)
            if _below(imported, tuple(f"hybridlint.{other}" for other in later))
        ]
    assert wrong == []


def test_the_top_of_hybridlint_has_packages_and_public_modules_alone() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert (packages | modules) - {"codemod"} == {*PACKAGES}
    assert modules == {"codemod", "rule"}


def test_no_module_imports_itself_through_others() -> None:
    found = _cycles(_import_graph())
    assert {name for name in found if not _below(name, CYCLIC)} == set()
    assert len(found) <= MOST_CYCLIC


def test_no_part_imports_itself_through_others() -> None:
    rooms: dict[str, set[str]] = {}
    for name, further in _import_graph().items():
        rooms.setdefault(_room(name), set()).update(map(_room, further))
    assert _cycles({room: further - {room} for room, further in rooms.items()}) == set()


#: The rooms of the analysis and what joins them, each of which knows those before it alone.
ANALYSIS = (
    *(
        "dataflow",
        "model",
        "project",
        "run",
        "dispatch",
        "semantics",
        "flow",
        "syntax",
        "python",
        "mxnet",
        "grammar",
        "interpret",
    ),
)

#: The rooms within `mxnet`, in the same order.
OF_BLOCKS_AND_OPERATORS = (
    "control_flow",
    "shapes",
    "operators",
    "blocks",
    "inputs",
    "unused",
    "setting_changes",
    "entries",
)


#: The rooms of what runs beside the user's code, in the same order.
OF_THE_CHILD = ("sandbox", "brief", "specs", "build", "runs", "inputs", "search", "compare", "changes", "judging")


@pytest.mark.parametrize(
    "order",
    [
        [f"hybridlint.analysis.{room}" for room in ANALYSIS],
        [f"hybridlint.analysis.mxnet.{room}" for room in OF_BLOCKS_AND_OPERATORS],
        [f"hybridlint.proving.child.{room}" for room in OF_THE_CHILD],
    ],
)
def test_the_rooms_of_a_part_stand_one_on_another(order: list[str]) -> None:
    """So none of those before `analysis.mxnet` imports it: it registers what it answers."""
    wrong = []
    for name, further in _import_graph().items():
        at = next((at for at, room in enumerate(order) if _below(name, (room,))), None)
        later = tuple(order[at + 1 :]) if at is not None else ()
        wrong += [f"{name} imports {other}" for other in sorted(further) if _below(other, later)]
    assert wrong == []


def test_the_map_of_the_house_names_each_room() -> None:
    house = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").split("```")[3]
    rooms = {_room(name).rpartition(".")[2] for name, path in modules() if path.parent != PACKAGE}
    rooms |= {room for order in (ANALYSIS, OF_BLOCKS_AND_OPERATORS, OF_THE_CHILD) for room in order}
    assert {room for room in rooms if not re.search(rf"\b{room}\b", house)} == set()


#: What names MXNet in a text: its packages, classes and namespaces, and the methods that its blocks have.
OF_MXNET = re.compile(
    r"mxnet|gluon|hybrid|NDArray|\bSymbol|_?children\b|collect_params|as_?numpy|asscalar|autograd|infer_shape"
    r"|^(F|nd|sym|npx|ctx|foreach|while_loop|cond)$",
    re.IGNORECASE,
)


def _literals(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the texts that code uses: docstrings and comments say what they like."""
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def test_the_interpreter_of_python_names_no_library() -> None:
    """What is MXNet's stands in one room, which all others ask by what they want to know."""
    general = tuple(f"hybridlint.analysis.{room}" for room in ANALYSIS[: ANALYSIS.index("mxnet")])
    wrong = [
        f"{name}: {text!r}"
        for name, path in modules()
        if _below(name, general) and not name.startswith("hybridlint.analysis.mxnet")
        for text in _facts.of(path).literals
        if OF_MXNET.search(text) and not text.startswith("hybridlint.") and "hybridlint:" not in text
    ]
    assert wrong == []


def test_base_classes_and_the_traced_method_are_spelt_once() -> None:
    """And once more for the process beside the user's code, which has no analysis to ask."""
    names = {classes.ENTRY, classes.HYBRID_BLOCK}
    elsewhere = tuple(f"hybridlint.{part}" for part in ("converting", "core", "runtime"))
    wrong = [name for name, path in modules() if not _below(name, elsewhere) and names & set(_facts.of(path).literals)]
    assert sorted(wrong) == ["hybridlint.analysis.mxnet.classes", "hybridlint.proving.child.classes"]
    assert (classes.ENTRY, classes.BLOCK, classes.HYBRID_BLOCK) == (
        child_classes.ENTRY,
        child_classes.BLOCK,
        child_classes.HYBRID_BLOCK,
    )


def _apart(graph: Mapping[str, Set[str]]) -> set[str]:
    """Return the modules that lead to no cycle, whichever way: their packages are imported too."""
    edges: dict[str, Set[str]] = {
        name: further | ({name.rpartition(".")[0]} & graph.keys()) for name, further in graph.items()
    }
    reversed_, leading, pending = _reversed(edges), set[str](), list(_cycles(edges))
    while pending:
        name = pending.pop()
        if name not in leading:
            leading.add(name)
            pending += reversed_[name]
    return edges.keys() - leading


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_each_module_on_a_cycle_may_be_the_first_that_a_program_imports() -> None:
    program = """
import importlib, os, sys, traceback

# Once for all copies: they belong to no circle.
import numpy
for name in sys.argv[1].split():
    importlib.import_module(name)

for name in sys.argv[2:]:
    process = os.fork()
    if not process:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(0)
    os.waitpid(process, 0)
"""
    ours = {name: further for name, further in _import_graph().items() if _below(name, ("hybridlint.runtime",))}
    graph = {name: further & ours.keys() for name, further in ours.items()}
    names = {*(f"hybridlint.runtime.{name}" for name in runtime._MODULES.values()), *_cycles(graph)}
    apart = _apart(graph) - {name for name in graph if name.endswith("__main__")}
    command = [sys.executable, "-c", program, " ".join(sorted(apart)), *sorted(names)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
