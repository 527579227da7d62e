"""Writes the brief of a proof from the source of its module."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from hybridlint.proving.brief.changed_settings import ChangedSettings
from hybridlint.proving.brief.code import code_facts
from hybridlint.proving.brief.construction import construction
from hybridlint.proving.brief.layer_stores import stored_in_layers
from hybridlint.proving.brief.mutators import Mutators
from hybridlint.proving.brief.pass_reads import dotted_calls, functions_read, number_tests, parameters_read, readings
from hybridlint.proving.brief.project_texts import ProjectReader, ProjectText
from hybridlint.proving.brief.stores import parse_stores
from hybridlint.proving.child.brief.brief import Brief
from hybridlint.proving.child.brief.changes import ClassChanges, ModuleChanges
from hybridlint.proving.child.brief.codec import to_json
from hybridlint.proving.read_set import ReadSet


def write_brief(path: Path, module: str, before: str, after: str | None, read: ReadSet) -> Any:
    """Return the brief of a file, before and after fixes, as JSON data. Raises SyntaxError.

    Python imports the file under a dotted name. While it is fixed, other modules still import its old text. The files
    that the brief depends on are added to `read`.
    """
    own, reader = ProjectText(str(path), before), ProjectReader(read)
    return to_json(
        Brief(
            construction(own, module, reader, neighbours=after is None),
            code_facts(own, reader),
            module_changes(before),
            None if after is None else module_changes(after),
        )
    )


def module_changes(text: str) -> ModuleChanges:
    """Return the changes that the code of a text makes. Raises SyntaxError."""
    tree = parse_stores(text.removeprefix("\ufeff"))
    settings, mutators = ChangedSettings(tree), Mutators(tree)
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    stores = mutators.stores()
    return ModuleChanges(
        classes={name: _class_changes(settings, mutators, name) for name in names},
        hooked=settings.hooked(),
        stores=tuple(stores),
        single=frozenset(store.name for store in stores if mutators.of_one(store.name)),
        layers=tuple(stored_in_layers(tree)),
    )


def _class_changes(settings: ChangedSettings, mutators: Mutators, name: str) -> ClassChanges:
    passes = settings.forward(name)
    changes, counted = settings.changes(name), settings.counted(name)
    places = [change.setting.plain for change in changes] + [place.plain for place in counted]
    return ClassChanges(
        settings=tuple(changes),
        counted=tuple(counted),
        limits=settings.limits(name, places),
        moved=settings.moved(name),
        lent=settings.lent(name),
        used=frozenset(place.name for place in settings.used(name) if not place.of),
        functions=tuple(functions_read(passes)),
        calls=tuple(dotted_calls(passes)),
        parameters=tuple(parameters_read(passes)),
        reads=frozenset(readings(passes)),
        tests=tuple(number_tests(passes)),
        mutators=tuple(mutators.ways(name)),
    )
