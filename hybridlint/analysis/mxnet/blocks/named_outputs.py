"""Field names of namedtuples that blocks return. Compilation turns a namedtuple into a list, which lacks them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.dataflow.scopes import names_in_body
from hybridlint.analysis.model.events import CodeContext, LostName, Return
from hybridlint.analysis.model.records import class_record
from hybridlint.analysis.model.values import ClassRef, ContainerValue, RecordType, Unknown, Value
from hybridlint.analysis.mxnet.blocks.eager_by_choice import stays_eager
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.syntax import each, is_dotted, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.analysis.run.run import AnalysisRun

#: What every namedtuple has and no list does.
_OF_NAMEDTUPLES = frozenset({"_asdict", "_replace", "_fields", "_make"})


@record(frozen=True)
class _Named:
    """The names of a namedtuple that a block returns, and where."""

    names: tuple[str, ...]
    place: ast.AST


def regroup_value(value: Value) -> Value:
    """Return an input or output as a compiled block passes it on: with lists in place of namedtuples."""
    match value:
        case ContainerValue(kind="tuple" | "list" as kind, items=tuple() as items):
            named = kind == "tuple" and value.keys is not None
            return replace(value, kind="list" if named else kind, items=tuple(map(regroup_value, items)))
        case _:
            return value


def note_lost(act: Activation, value: ContainerValue, place: ast.Attribute) -> None:
    """Report a field read on a namedtuple that compilation turned into a list, if an analysis collects such reads."""
    lost = act.run.blocks.lost_names
    if lost is None or value.kind != "list" or value.keys is None or hasattr(list, place.attr):
        return
    if act.module is act.run.module:
        lost.append(LostName(place, act.frame(), place.attr, maker=_maker(act.module, value.keys)))


def builders(module: ProjectFile, info: ClassInfo) -> Iterator[ClassInfo]:
    """Yield the other classes of the file that create blocks of this class."""
    return (module.class_info(other) for other in module.survey.users(info.node.name) if other is not info.node)


def is_part(module: ProjectFile, info: ClassInfo) -> bool:
    """Return whether another hybrid block builds blocks of a class, so that its graph contains their outputs."""
    return any(one.hybrid and not stays_eager(one) for one in builders(module, info))


def lost_by_functions(run: AnalysisRun, classes: Sequence[ClassInfo]) -> Iterator[LostName]:
    """Yield the reads of lost field names in functions of the file that no trace and no analysis has entered.

    Their operand is the unknown result of a call, but all namedtuples with these names come from blocks.
    """
    named = _returned(run, classes)
    for function in each(run.module.source.tree, ast.FunctionDef) if named else ():
        if function.name == ENTRY or any(part in run.seen.values for one in function.body for part in walk(one)):
            continue
        for name in dict.fromkeys((*_results(run.module, function), *_parameters(run.module, function))):
            reads = [n for n in each(function, ast.Attribute) if isinstance(n.value, ast.Name) and n.value.id == name]
            yield from _lost(run, named, function, reads)
        reads = [n for n in each(function, ast.Attribute) if _is_result(run.module, n.value)]
        for read in reads:
            yield from _lost(run, named, function, [read])


def _returned(run: AnalysisRun, classes: Sequence[ClassInfo]) -> list[_Named]:
    """Return the namedtuples that blocks of the file return to code outside of graphs, if nothing else makes them."""
    whole = {one.node.name for one in classes if one.hybrid and not is_part(run.module, one)}
    found: list[_Named] = []
    for event in run.events:
        if isinstance(event, Return) and event.frame.class_name in whole:
            found += [_Named(names, event.node) for names in _names_in(event.value)]
    return [one for one in found if not _made_elsewhere(run, one.names)]


def _made_elsewhere(run: AnalysisRun, names: tuple[str, ...]) -> bool:
    """Return whether code of the file makes namedtuples with these names that is part of no graph."""
    module = run.module
    for call in module.survey.calls:
        kind = _record_of(module, call.func)
        if kind is None or kind.fields != names:
            continue
        around = [node for node in module.survey.classes if node.lineno <= call.lineno <= (node.end_lineno or 0)]
        if call not in run.seen.values or not all(module.class_info(node).hybrid for node in around):
            return True
    return False


def _names_in(value: Value) -> Iterator[tuple[str, ...]]:
    if not isinstance(value, ContainerValue) or value.items is None:
        return
    if value.kind == "tuple" and value.keys is not None:
        yield value.keys
    for item in value.items:
        yield from _names_in(item)


def _results(module: ProjectFile, function: ast.FunctionDef) -> Iterator[str]:
    """Yield the names of a function that are bound once, to the result of a call of an unknown function."""
    for node in each(function, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_result(module, value):
                if len(names_in_body(function).stores[name]) == 1:
                    yield name
            case _:
                pass


def _parameters(module: ProjectFile, function: ast.FunctionDef) -> Iterator[str]:
    """Yield the parameters annotated as a namedtuple, and parameters that receive a result in the file."""
    arguments = function.args.args
    for argument in arguments:
        if argument.annotation is not None and _record_of(module, argument.annotation) is not None:
            yield argument.arg
    for caller in each(module.source.tree, ast.FunctionDef):
        calls = [call for call in each(caller, ast.Call) if _names_function(call, function)]
        results = set(_results(module, caller)) if calls else set()
        for call in calls:
            for argument, given in zip(arguments, call.args, strict=False):
                if _is_result(module, given) or (isinstance(given, ast.Name) and given.id in results):
                    yield argument.arg


def _names_function(call: ast.Call, function: ast.FunctionDef) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == function.name


def _record_of(module: ProjectFile, node: ast.expr) -> RecordType | None:
    """Return the namedtuple or record that an expression names as a class; None for all else."""
    made = module.expression(node) if is_dotted(node) else None
    if isinstance(made, ClassRef):
        return class_record(made.info)
    return made if isinstance(made, RecordType) else None


def _is_result(module: ProjectFile, node: ast.expr) -> bool:
    """Return whether an expression calls a possible block, not a known function, class or method of the file."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            unknown = isinstance(module.value(name) or Unknown(), Unknown) and not hasattr(builtins, name)
            return unknown and name not in module.survey.functions
        case ast.Call(func=ast.Attribute(attr="__call__")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            return name not in module.survey.functions
        case _:
            return False


def _lost(
    run: AnalysisRun, named: Sequence[_Named], function: ast.FunctionDef, reads: Sequence[ast.Attribute]
) -> Iterator[LostName]:
    """Yield the first read, if all are of names of one namedtuple."""
    asked = {read.attr for read in reads}
    fitting = [one for one in named if asked & {*one.names} and asked <= {*one.names} | _OF_NAMEDTUPLES]
    called = {id(call.func) for call in each(function, ast.Call)}
    telling = [read for read in reads if id(read) not in called or read.attr in _OF_NAMEDTUPLES]
    if fitting and telling:
        owner = next((one.name for one in run.module.survey.classes if function in one.body), None)
        frame = CodeContext(run.module.source, owner, function, None, run.module.mode)
        maker = _maker(run.module, fitting[0].names)
        yield LostName(telling[0], frame, telling[0].attr, fitting[0].place, maker)


def _maker(module: ProjectFile, names: tuple[Any, ...]) -> str | None:
    """Return the only global name of a file for a namedtuple with these names; None if there is none."""
    found: set[str] = set()
    for node in module.source.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.ClassDef(name=name):
                found.add(name)
            case ast.ImportFrom(names=imported):
                found |= {one.asname or one.name for one in imported}
            case _:
                pass
    kinds = ((name, _record_of(module, ast.Name(name, ast.Load()))) for name in sorted(found))
    made = [name for name, kind in kinds if kind is not None and kind.kind == "tuple" and kind.fields == names]
    return made[0] if len(made) == 1 else None
