"""Converts the source of a module: its blocks become `nn.Module` classes, with names, order and comments kept."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from hybridlint.converting.assembly import assemble_module
from hybridlint.converting.context import ConversionContext
from hybridlint.converting.facts import ModuleFacts
from hybridlint.converting.gluon_names import BASES, ImportedNames
from hybridlint.converting.problems import Problem
from hybridlint.converting.survey import bound_names, names_in, needed_definitions, survey_blocks, walk
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

    from hybridlint.text.source import SourceFile


@record(frozen=True, slots=True)
class ConvertedModule:
    """The text of the new module, the blocks in it, and what has no translation."""

    text: str
    blocks: tuple[str, ...]
    problems: tuple[Problem, ...]
    #: Definitions of the module that were left out, with the reason.
    left_out: tuple[Problem, ...] = ()
    #: The names of all definitions that were written.
    kept: frozenset[str] = frozenset()


def convert_source(
    source: SourceFile, selected: Collection[str] | None = None, facts: ModuleFacts | None = None
) -> ConvertedModule:
    """Return a module in PyTorch for the blocks of a file, all or those `selected`, and what they need."""
    from libcst.metadata import MetadataWrapper, PositionProvider

    from hybridlint.converting.transformer import ModuleTransformer

    module = cst.parse_module(source.text)
    facts = facts or ModuleFacts()
    wrapper = MetadataWrapper(module)
    names = ImportedNames(wrapper.module)
    positions = wrapper.resolve(PositionProvider)
    context = ConversionContext(names, facts, wrapper.module, positions)
    context.blocks = survey_blocks(wrapper.module, names, context.layer_or_none)
    definitions = _definitions(wrapper.module)
    wanted = list(context.blocks) if selected is None else [name for name in selected if name in definitions]
    wanted += [] if selected is not None else _builders(definitions, context.blocks, names)
    needed = needed_definitions(definitions, wanted)
    transformer = ModuleTransformer(context, needed)
    converted = wrapper.module.visit(transformer)
    broken = {problem.owner for problem in transformer.problems}
    functions = {name for name in needed if isinstance(definitions[name], cst.FunctionDef) and name not in wanted[:0]}
    dropped = {name for name in functions & broken if selected is None and not _used(name, needed, definitions)}
    kept = needed - dropped
    left_out = [
        *(Problem(p.row, p.owner, p.reason) for p in transformer.problems if p.owner in dropped),
        *_left_out(definitions, needed, names),
    ]
    return ConvertedModule(
        assemble_module(converted, kept, names),
        tuple(name for name in context.blocks if name in kept),
        tuple(problem for problem in transformer.problems if problem.owner not in dropped),
        tuple(left_out),
        frozenset(kept),
    )


def block_names(source: SourceFile) -> list[str]:
    """Return the names of the classes and functions of a file that can be selected. Raises SourceError."""
    return [node.name for node in source.tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]


def _definitions(module: libcst.Module) -> dict[str, libcst.CSTNode]:
    """Return the top-level definitions of a module by the names that they bind."""
    found: dict[str, libcst.CSTNode] = {}
    for statement in module.body:
        if isinstance(statement, cst.ClassDef | cst.FunctionDef):
            found[statement.name.value] = statement
        elif isinstance(statement, cst.SimpleStatementLine):
            for part in statement.body:
                for name in bound_names(part):
                    found.setdefault(name, statement)
    return found


def _builders(
    definitions: Mapping[str, libcst.CSTNode], blocks: Collection[str], names: ImportedNames
) -> Sequence[str]:
    """Return the functions that build or use blocks and nothing that trains them."""
    return [
        name
        for name, node in definitions.items()
        if isinstance(node, cst.FunctionDef)
        and (names_in(node) & set(blocks) or _mentions_layers(node, names))
        and not _trains(node, names)
    ]


def _mentions_layers(node: libcst.CSTNode, names: ImportedNames) -> bool:
    paths = (names.path(child) or "" for child in walk(node) if isinstance(child, cst.Attribute | cst.Name))
    return any(path.startswith(("mxnet.gluon.nn.", "mxnet.gluon.rnn.", "mxnet.nd.")) for path in paths)


_TRAINING = ("mxnet.autograd", "mxnet.gluon.Trainer", "mxnet.gluon.data", "mxnet.metric", "mxnet.io", "mxnet.cpu",
             "mxnet.gpu", "mxnet.optimizer", "mxnet.context", "mxnet.gluon.utils", "mxnet.random")  # fmt: skip


def _trains(node: libcst.CSTNode, names: ImportedNames) -> bool:
    paths = (names.path(child) or "" for child in walk(node) if isinstance(child, cst.Attribute | cst.Name))
    return any(path.startswith(_TRAINING) for path in paths)


def _used(name: str, needed: Collection[str], definitions: Mapping[str, libcst.CSTNode]) -> bool:
    return any(name in names_in(definitions[other]) for other in needed if other != name)


#: How the reason begins for a class that no block can represent.
NO_BASE = "its base "


def _left_out(
    definitions: Mapping[str, libcst.CSTNode], needed: Collection[str], names: ImportedNames
) -> list[Problem]:
    return [
        Problem(0, name, _reason_left_out(node, names))
        for name, node in definitions.items()
        if name not in needed and isinstance(node, cst.FunctionDef | cst.ClassDef)
    ]


def _reason_left_out(node: libcst.CSTNode, names: ImportedNames) -> str:
    if isinstance(node, cst.ClassDef):
        for base in node.bases:
            path = names.path(base.value) or ""
            if path.startswith("mxnet.gluon.") and path not in BASES and ".data." not in path:
                return f"{NO_BASE}`{cst.Module([]).code_for_node(base.value)}` has no counterpart in PyTorch"
    return "no block needs it"
