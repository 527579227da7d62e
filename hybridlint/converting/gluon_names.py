"""The meaning of a module's dotted names: layers, operators, base classes and initializers of Gluon."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING

from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.abstract.loading import layer_class
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

#: Modules whose functions are operators, by their paths.
_NAMESPACES = ("mxnet.nd", "mxnet.ndarray", "mxnet.sym", "mxnet.symbol")
_LAYERS = ("mxnet.gluon.nn", "mxnet.gluon.rnn", "mxnet.gluon.contrib.nn", "mxnet.gluon.contrib.cnn",
           "mxnet.gluon.contrib.rnn", "mxnet.gluon.loss")  # fmt: skip
_INITIALIZERS = ("mxnet.init", "mxnet.initializer")
#: Classes that users derive blocks from -> what represents them.
BASES = {
    "mxnet.gluon.Block": "nn.Module", "mxnet.gluon.HybridBlock": "nn.Module",
    "mxnet.gluon.nn.Block": "nn.Module", "mxnet.gluon.nn.HybridBlock": "nn.Module",
    "mxnet.gluon.block.Block": "nn.Module", "mxnet.gluon.block.HybridBlock": "nn.Module",
    "mxnet.gluon.nn.Sequential": "nn.Sequential", "mxnet.gluon.nn.HybridSequential": "nn.Sequential",
    "mxnet.gluon.loss.Loss": "nn.Module",
}  # fmt: skip
#: Arguments of blocks that name them in MXNet.
NAMING = {"prefix", "params"}
LOSS_BASE = "mxnet.gluon.loss.Loss"


class Kind(Enum):
    """The kinds of names that are translated."""

    LAYER = "layer"
    OPERATOR = "operator"
    INITIALIZER = "initializer"


@record(frozen=True, slots=True)
class Meaning:
    """What a name of MXNet is; `operator` is known for operators only."""

    kind: Kind
    name: str
    operator: Operator | None = None


class ImportedNames:
    """The names that a module imports, with the dotted paths that they represent."""

    def __init__(self, module: libcst.Module) -> None:
        self.paths: dict[str, str] = {}
        for statement in _imports(module):
            self._add(statement)

    def _add(self, statement: libcst.Import | libcst.ImportFrom) -> None:
        if isinstance(statement, cst.Import):
            for alias in statement.names:
                path = dotted_name(alias.name) or ""
                if alias.asname is not None:
                    self.paths[dotted_name(alias.asname.name) or ""] = path
                else:
                    top = path.partition(".")[0]
                    self.paths[top] = top
            return
        origin = "." * len(statement.relative) + (dotted_name(statement.module) or "" if statement.module else "")
        if isinstance(statement.names, cst.ImportStar):
            return
        for alias in statement.names:
            name = dotted_name(alias.name) or ""
            local = name if alias.asname is None else dotted_name(alias.asname.name) or ""
            self.paths[local] = f"{origin}.{name}"

    def path(self, node: libcst.BaseExpression) -> str | None:
        """Return the dotted path that a name or attribute represents, None if it is not imported."""
        text = dotted_name(node)
        if text is None:
            return None
        top, _, rest = text.partition(".")
        origin = self.paths.get(top)
        if origin is None:
            return None
        return f"{origin}.{rest}" if rest else origin

    def is_mxnet(self, node: libcst.BaseExpression) -> bool:
        """Whether a name or attribute is one of MXNet's."""
        path = self.path(node) or ""
        return path == "mxnet" or path.startswith("mxnet.")


def _imports(module: libcst.Module) -> Iterator[libcst.Import | libcst.ImportFrom]:
    pending: list[libcst.CSTNode] = list(module.body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, cst.Import | cst.ImportFrom):
            yield node
        elif isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement | cst.IndentedBlock | cst.Else):
            pending += node.children


def dotted_name(node: libcst.CSTNode) -> str | None:
    """Return a dotted name as text, None for other expressions."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        head = dotted_name(node.value)
        return None if head is None else f"{head}.{node.attr.value}"
    return None


def meaning_of(path: str) -> Meaning | None:
    """Return what a dotted path of MXNet means, None for what is not translated by a table."""
    module, _, name = path.rpartition(".")
    if module in _LAYERS and layer_class(name) is not None:
        return Meaning(Kind.LAYER, name)
    if module in _INITIALIZERS:
        return Meaning(Kind.INITIALIZER, name)
    for namespace in _NAMESPACES:
        if module == namespace or module.startswith(f"{namespace}."):
            return operator_meaning(tuple(module[len(namespace) + 1 :].split(".")) if module != namespace else (), name)
    return None


def operator_meaning(path: tuple[str, ...], name: str) -> Meaning | None:
    """Return the operator of a namespace, None if it has none of that name."""
    operator = lookup.function(path, name) or (lookup.of_numbers(name) if not path else None)
    if operator is None and not path and lookup.function(("_internal",), f"_{name}") is not None:
        # Functions written in Python that make an array call an operator of another name.
        operator = lookup.function(("_internal",), f"_{name}")
    return None if operator is None else Meaning(Kind.OPERATOR, name, operator)
