"""Hybrid code that no block of the file reaches: functions that take the operators, and methods that ask for them.

Distributions, losses and samplers keep the operators (``F = self.F``), or find them by what they are given
(``F = getF(x)``). What a caller would tell of the arguments stays unknown, except what annotations, docstrings and
their use say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from hybridlint.analysis.dispatch import member
from hybridlint.analysis.flow.default_settings import constant_defaults
from hybridlint.analysis.model.execution_log import ExecutionLog
from hybridlint.analysis.model.values import CapturedArray, Function, Namespace, SelfRef, Unknown, Value
from hybridlint.analysis.mxnet.blocks.eager_by_choice import stays_eager
from hybridlint.analysis.mxnet.inputs.declared_kinds import declared_kinds
from hybridlint.analysis.mxnet.inputs.unknown_calls import shown_argument
from hybridlint.analysis.mxnet.operators.unreached_calls import ARRAYS, FUNCTIONS
from hybridlint.analysis.project.instances import Instance
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.syntax.functions import enter
from hybridlint.text.definitions import definition_at
from hybridlint.text.parameters import names_of
from hybridlint.text.screening import names_library
from hybridlint.text.syntax import each, walk


def unreached_activations(run: AnalysisRun, without: frozenset[str]) -> Iterator[Activation]:
    """Yield an activation, ready to run, of each hybrid function of the file that nothing has entered so far.

    Those in the definitions of the module called `without` are left out.
    """
    module = run.module
    if FUNCTIONS not in module.source.text or not names_library(module.source.text):
        return
    for node in module.source.tree.body:
        if (
            isinstance(node, ast.FunctionDef)
            and node.name not in without
            and _asks_for_functions(node, None)
            and not _serves_eager_blocks(module, node)
            and not _gets_arrays_alone(module, node)
        ):
            yield from _ready(run, node, None)
    for one in module.survey.classes:
        info = module.class_info(one)
        asking = [method for method in info.methods.values() if not info.block and _asks_for_functions(method, info)]
        concerned = bool(asking) and definition_at(module.source.tree, one.lineno) not in without
        if concerned and not _serves_eager_blocks(module, one):
            for method in asking:
                yield from _ready(run, method, info)


def _serves_eager_blocks(
    module: ProjectFile, node: ast.FunctionDef | ast.ClassDef, within: frozenset[str] = frozenset()
) -> bool:
    """Return whether blocks that stay eager use a function or class, by themselves or through others, and nothing else.

    `within` holds those whose users are being examined.
    """
    within |= {node.name}
    users = [
        one
        for one in module.source.tree.body
        if one is not node and any(isinstance(n, ast.Name) and n.id == node.name for n in walk(one))
    ]
    return bool(users) and all(_is_eager(module, one) or _leads_to_eager(module, one, within) for one in users)


def _gets_arrays_alone(module: ProjectFile, node: ast.FunctionDef) -> bool:
    """Return whether each use of a function in its file calls it with the functions of arrays: ``table(nd, 3)``."""
    tree = module.source.tree
    uses = [read for read in each(tree, ast.Name) if read.id == node.name]
    calls = [call for call in each(tree, ast.Call) if call.func in uses]
    return bool(uses) and len(calls) == len(uses) and all(map(_passes_arrays, calls))


def _passes_arrays(call: ast.Call) -> bool:
    """Return whether a call passes ``nd`` or ``mx.nd`` as the operators."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == FUNCTIONS]
    return any(
        isinstance(value, ast.Name | ast.Attribute) and _last(value) in ARRAYS for value in named or call.args[:1]
    )


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _is_eager(module: ProjectFile, node: ast.stmt) -> bool:
    """Return whether a statement defines blocks that stay eager."""
    info = module.class_info(node) if isinstance(node, ast.ClassDef) else None
    return info is not None and info.block and stays_eager(info)


def _leads_to_eager(module: ProjectFile, node: ast.stmt, within: frozenset[str]) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name in within:
        return False
    plain = isinstance(node, ast.FunctionDef) or not module.class_info(node).block
    return plain and _serves_eager_blocks(module, node, within)


def _asks_for_functions(node: ast.FunctionDef, owner: ClassInfo | None) -> bool:
    """Return whether a function or method takes the operators, or finds them itself."""
    return node.name != "__init__" and (FUNCTIONS in _arguments(node, owner)[1][:1] or _found(node))


def _arguments(node: ast.FunctionDef, owner: ClassInfo | None) -> tuple[str | None, list[str]]:
    """Return the name of the object itself, None in functions and static methods, and those of the other arguments."""
    names = names_of(node.args)
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    return (None, names) if owner is None or static or not names else (names[0], names[1:])


def _ready(run: AnalysisRun, node: ast.FunctionDef, owner: ClassInfo | None) -> Iterator[Activation]:
    if _entered(run, node):
        return
    spec, (own, names) = node.args, _arguments(node, owner)
    act = Activation(run, run.module, node, owner, mode=run.module.mode, role=Role(inner=True, unreached=True))
    act.flow.names[FUNCTIONS] = Namespace("F")
    if own is not None and owner is not None:
        # The object is made for one trace, mostly: what it keeps is not frozen.
        act.flow.names[own] = Unknown()
        run.owners.add(own)
        act.flow.names[f"{own}.{FUNCTIONS}"] = Namespace("F")
        kept = {**_arrays_kept(run, owner), **_told(act, owner)}
        act.flow.names |= {f"{own}.{name}": value for name, value in kept.items()}
    declared = declared_kinds(run.module, node, owner)
    optional = {name for name, default in constant_defaults(node).items() if default.value is None}
    for name in names:
        if name != FUNCTIONS:
            tensor = declared.get(name) == "tensor" or (name not in declared and shown_argument(act, name))
            known = act.tensor(origin="argument", optional=name in optional) if tensor else Unknown()
            act.flow.names[name] = known
    for rest in (spec.vararg, spec.kwarg):
        if rest is not None:
            act.flow.names[rest.arg] = Unknown()
    yield act


def _arrays_kept(run: AnalysisRun, info: ClassInfo) -> Mapping[str, Value]:
    """Return the attributes of a plain object that hold arrays which its ``__init__`` makes, be it traced or not."""
    found = info.method("__init__")
    if found is None:
        return {}
    method, owner = found
    this = SelfRef(Instance(info, local=True))
    act = Activation(run, owner.module, None, owner=owner, this=this, mode=owner.mode, role=Role(building=True))
    # What runs here is no hybrid code, and tells nothing of what the methods are given.
    seen, run.seen = run.seen, ExecutionLog()
    with run.reporting.silently(), run.budget.afresh():
        enter(act, Function(method, owner, (this,)), None, method)
    run.seen = seen
    stored = ((name.removeprefix("self."), value) for name, value in act.flow.names.items())
    return {name: value for name, value in stored if isinstance(value, CapturedArray)}


def _told(act: Activation, owner: ClassInfo) -> Mapping[str, Value]:
    """Return the methods and properties that tell which operators the object keeps: ``return self.F is mx.nd``."""
    this = SelfRef(Instance(owner, {FUNCTIONS: Namespace("F")}, local=True))
    return {name: member(act, this, name) for name, (method, _) in owner.all_methods.items() if _tells(method)}


def _tells(method: ast.FunctionDef) -> bool:
    """Return whether all that a method does is to return something of the operators that its object keeps."""
    match method:
        case ast.FunctionDef(
            args=ast.arguments(args=[_], kwonlyargs=[]), body=[*_, ast.Return(value=ast.expr() as told)]
        ):
            alone = all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in method.body[:-1])
            return alone and any(isinstance(one, ast.Attribute) and one.attr == FUNCTIONS for one in walk(told))
        case _:
            return False


def _entered(run: AnalysisRun, node: ast.FunctionDef) -> bool:
    return any(part in run.seen.values for statement in node.body for part in walk(statement))


def _found(node: ast.FunctionDef) -> bool:
    """Return whether a function finds the operators itself: ``F = self.F``, ``F = getF(x)``."""
    for part in each(node, ast.Assign):
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr=attribute)) if name == FUNCTIONS:
                return attribute == FUNCTIONS
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[_, *_])) if name == FUNCTIONS:
                return True
            case _:
                continue
    return False
