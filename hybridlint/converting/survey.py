"""What a module holds, before it is converted: its blocks, their layers and parameters, and who uses whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from hybridlint.converting.gluon_names import BASES, ImportedNames, dotted_name
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.torch_code.layer_call import TorchLayer
from hybridlint.text import cst

if TYPE_CHECKING:
    from collections.abc import Callable

    import libcst

    #: Returns what represents a call of a layer, None for other calls and those without translation.
    ReadLayer = Callable[[libcst.Call], TorchLayer | None]

#: The texts of containers that are built empty.
CONCURRENT = "Concurrent()"
EMPTY = ("nn.Sequential()", CONCURRENT, "SequentialCell()")
#: Methods through which blocks register parameters.
_REGISTERING = {"get", "get_constant"}


@record(slots=True)
class BlockSurvey:
    """A class of the module that becomes a `nn.Module`."""

    name: str
    #: The path of the base in MXNet, "" for a block whose base is another class of the module.
    base: str
    parents: tuple[str, ...]
    #: Attributes that hold parameters, and those that hold layers with a translation.
    parameters: set[str] = field(default_factory=set)
    layers: dict[str, TorchLayer] = field(default_factory=dict)
    #: Attributes that hold one of several recurrent layers.
    mixed: set[str] = field(default_factory=set)
    #: Attributes that the class only calls, each time with one argument.
    called: set[str] = field(default_factory=set)
    #: Attributes that are containers of blocks, and those among them whose items the code takes.
    containers: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)
    #: Containers whose items the code takes, and that it never calls as a whole.
    uncalled: set[str] = field(default_factory=set)
    #: All attributes of `self` that the class mentions.
    mentioned: set[str] = field(default_factory=set)


def survey_blocks(module: libcst.Module, names: ImportedNames, read_layer: ReadLayer) -> dict[str, BlockSurvey]:
    """Return the blocks that a module defines at its top level, each after the blocks that it derives from."""
    found: dict[str, BlockSurvey] = {}
    for statement in module.body:
        if not isinstance(statement, cst.ClassDef):
            continue
        bases = [argument.value for argument in statement.bases]
        paths = [names.path(base) or "" for base in bases]
        own = next((path for path in paths if path in BASES), "")
        parents = tuple(base.value for base in bases if isinstance(base, cst.Name) and base.value in found)
        if not own and not parents:
            continue
        block = BlockSurvey(statement.name.value, own, parents)
        _read_attributes(statement, block, names, read_layer)
        for parent in parents:
            block.parameters |= found[parent].parameters
            block.layers = {**found[parent].layers, **block.layers}
            block.containers |= found[parent].containers
        block.called = _called_only(statement, set(block.layers))
        block.lists = {name for name in block.containers if _takes_items(statement, name)}
        block.uncalled = {name for name in block.lists if not _calls(statement, name)}
        block.mentioned = {
            child.attr.value for child in walk(statement) if isinstance(child, cst.Attribute) and _is_self(child.value)
        }
        found[block.name] = block
    return found


def _read_attributes(node: libcst.ClassDef, block: BlockSurvey, names: ImportedNames, read_layer: ReadLayer) -> None:
    for attribute, value in _stored(node):
        if not isinstance(value, cst.Call):
            continue
        layer = read_layer(value)
        path = names.path(value.func) or ""
        if layer is not None:
            before = block.layers.get(attribute, layer)
            if layer.sequences and before.text.partition("(")[0] != layer.text.partition("(")[0]:
                block.mixed.add(attribute)
            block.layers[attribute] = layer
            if layer.text in EMPTY:
                block.containers.add(attribute)
        elif _registers(value) or path in ("mxnet.gluon.Parameter", "mxnet.gluon.Constant"):
            block.parameters.add(attribute)


def _registers(call: libcst.Call) -> bool:
    text = dotted_name(call.func)
    return text is not None and text.startswith("self.params.") and text.rpartition(".")[2] in _REGISTERING


def _stored(node: libcst.CSTNode) -> Iterator[tuple[str, libcst.BaseExpression]]:
    """Yield the attributes of `self` that code assigns, with the values."""
    for child in walk(node):
        if isinstance(child, cst.Assign):
            for target in child.targets:
                text = dotted_name(target.target)
                if text is not None and text.startswith("self.") and text.count(".") == 1:
                    yield text.partition(".")[2], child.value


def _is_self(node: libcst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value == "self"


def _takes_items(node: libcst.ClassDef, name: str) -> bool:
    """Whether code goes through the blocks of a container, or takes them by their numbers."""
    for child in walk(node):
        value = None
        if isinstance(child, cst.For | cst.CompFor):
            value = child.iter
        elif isinstance(child, cst.Subscript):
            value = child.value
        if value is not None and any(dotted_name(inner) == f"self.{name}" for inner in walk(value)):
            return True
    return False


def _calls(node: libcst.ClassDef, name: str) -> bool:
    """Whether code calls an attribute of `self`."""
    return any(isinstance(child, cst.Call) and dotted_name(child.func) == f"self.{name}" for child in walk(node))


def _called_only(node: libcst.ClassDef, attributes: set[str]) -> set[str]:
    """Return the attributes that a class calls with one argument, and uses in no other way."""
    uses: dict[str, int] = {}
    calls: dict[str, int] = {}
    for child in walk(node):
        if isinstance(child, cst.Attribute) and isinstance(child.value, cst.Name) and child.value.value == "self":
            uses[child.attr.value] = uses.get(child.attr.value, 0) + 1
        if isinstance(child, cst.Call) and len(child.args) == 1 and not child.args[0].star:
            text = dotted_name(child.func) or ""
            if text.startswith("self.") and text.count(".") == 1:
                name = text.partition(".")[2]
                calls[name] = calls.get(name, 0) + 1
    stores = [name for name, _ in _stored(node)]
    return {name for name in attributes if name in calls and uses[name] == calls[name] + stores.count(name)}


def walk(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """Yield a node and all below it."""
    pending: list[libcst.CSTNode] = [node]
    while pending:
        child = pending.pop()
        yield child
        pending += child.children


def expressions(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """Yield a node and all below it, without the names of attributes and of keyword arguments."""
    pending: list[libcst.CSTNode] = [node]
    while pending:
        child = pending.pop()
        yield child
        if isinstance(child, cst.Attribute | cst.Arg):
            pending.append(child.value)
        else:
            pending += child.children


def local_names(node: libcst.FunctionDef) -> set[str]:
    """Return the names that a function assigns, those of inner functions included."""
    found: set[str] = set()
    for child in walk(node.body):
        if isinstance(child, cst.AssignTarget | cst.AnnAssign | cst.AugAssign | cst.For | cst.CompFor | cst.NamedExpr):
            found |= {inner.value for inner in _targets(child.target)}
        elif isinstance(child, cst.Param):
            found.add(child.name.value)
    return found


def bound_names(statement: libcst.CSTNode) -> set[str]:
    """Return the names that an assignment binds, none for other statements."""
    if isinstance(statement, cst.Assign):
        return {name.value for target in statement.targets for name in _targets(target.target)}
    return {name.value for name in _targets(statement.target)} if isinstance(statement, cst.AnnAssign) else set()


def _targets(node: libcst.CSTNode) -> Iterator[libcst.Name]:
    if isinstance(node, cst.Name):
        yield node
    elif isinstance(node, cst.Tuple | cst.List):
        for element in node.elements:
            yield from _targets(element.value)


def names_in(node: libcst.CSTNode) -> set[str]:
    """Return the names that code below a node mentions."""
    return {child.value for child in walk(node) if isinstance(child, cst.Name)}


def needed_definitions(statements: Mapping[str, libcst.CSTNode], wanted: Sequence[str]) -> set[str]:
    """Return the given names and the names of all definitions that they need."""
    needed: set[str] = set()
    pending = list(wanted)
    while pending:
        name = pending.pop()
        if name in needed or name not in statements:
            continue
        needed.add(name)
        pending += names_in(statements[name])
    return needed
