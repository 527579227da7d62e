"""Finds how a project builds and calls the blocks of a module, for the brief."""

from __future__ import annotations

import ast
import os
import sys

from hybridlint.proving.brief.builders import builders, makers, names_used
from hybridlint.proving.brief.call_sites import calls_of, global_names
from hybridlint.proving.brief.imported_effects import ImportedEffects
from hybridlint.proving.brief.literal_calls import literal_calls
from hybridlint.proving.brief.project_texts import ProjectReader, ProjectText
from hybridlint.proving.child.brief.construction import Construction, Neighbour

#: A container of layers that functions return.
_CONTAINER = "HybridSequential"
#: Libraries whose classes a proof need not build, "" being the module itself.
_LIBRARIES = frozenset(("", "mxnet", "numpy", *sys.stdlib_module_names))
#: Most other modules that a brief tells of.
_MOST_NEIGHBOURS = 12


def construction(own: ProjectText, module: str, reader: ProjectReader, *, neighbours: bool) -> Construction:
    """Return how the project builds and calls the blocks of a file, which Python imports under a dotted name.

    Other modules that build them are left out unless `neighbours` are asked for.
    """
    depth = module.count(".") + (os.path.basename(own.path) == "__init__.py")
    texts, namespace = reader.around(own, depth), global_names(own.tree)
    classes = [node.name for node in ast.walk(own.tree) if isinstance(node, ast.ClassDef)]
    functions = [node.name for node in own.tree.body if isinstance(node, ast.FunctionDef)]
    imported = [dotted.rpartition(".")[2] for dotted in namespace.values() if dotted.split(".")[0] not in _LIBRARIES]
    others = _neighbours(texts, classes, depth, reader) if neighbours else []
    inside = [name for neighbour in others for name in neighbour.classes]
    known = [name for name in (*imported, *inside) if name[:1].isupper()]
    effects = ImportedEffects(own.path, reader).of(own.tree)
    calls = {name: calls_of(texts, name, namespace) for name in dict.fromkeys([*classes, *functions, *known])}
    written = {name: literal_calls(texts, name, namespace) for name in classes}
    return Construction(
        calls={name: sites for name, sites in calls.items() if sites},
        written={name: found for name, found in written.items() if found},
        builders=builders(own, effects, [*classes, _CONTAINER]),
        makers=makers(own, effects),
        neighbours=tuple(each for each in others if each.module != module),
    )


def _neighbours(texts: list[ProjectText], names: list[str], depth: int, reader: ProjectReader) -> list[Neighbour]:
    """Return the other modules of the package that mention one of `names`, shortest source first."""
    top = texts[0].path
    for _ in range(depth + 1):
        top = os.path.dirname(top)
    found = [text for text in texts[1:] if not text.words.isdisjoint(names)]
    return [
        _neighbour(text, names, _dotted(text.path, top), reader)
        for text in sorted(found, key=lambda text: len(text.text))[:_MOST_NEIGHBOURS]
    ]


def _dotted(path: str, top: str) -> str:
    parts = os.path.relpath(path, top)[: -len(".py")].split(os.sep)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _neighbour(text: ProjectText, names: list[str], module: str, reader: ProjectReader) -> Neighbour:
    own = text.classes
    effects = ImportedEffects(text.path, reader).of(text.tree)
    return Neighbour(
        module=module,
        mentions=text.words & set(names),
        builders=builders(text, effects, [*names, *own]),
        classes={name: names_used(node) & set(names) for name, node in own.items()},
    )
