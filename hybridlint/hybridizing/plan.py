"""The plan of a file's conversion: the classes, methods, parameters and constants to change."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from hybridlint.analysis import grammar  # noqa: F401
from hybridlint.analysis.model.values import ForeignTensor
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.run.run import Run
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.hybridizing.candidates import classes
from hybridlint.hybridizing.optional import optional_of
from hybridlint.hybridizing.outcome import Reason
from hybridlint.hybridizing.reach import Reach, families, this_of
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo, Module


@record(frozen=True, slots=True)
class Helper:
    """A method or function that gets new arguments: F, and the `parameters` of the block that it reads.

    With `last` they are added at the end with default values, so that other callers need not change.
    """

    parameters: tuple[str, ...] = ()
    last: bool = False


@record(frozen=True)
class Plan:
    """The plan for the `chosen` classes of one file. All mappings are keyed by qualified class name, unless noted.

    `parameters` are the parameters that `hybrid_forward` gets as arguments, `inherited` those that the base class's
    gets, `optional` those among them that a block may lack. `constants` are attributes with arrays that become constant
    parameters. `helpers` are the methods of a class
    that get F, by name; `functions` are the functions of the module that get F. `traced` has (class, or "" for the
    module; name) for each method and function that runs during a trace. `networks` are functions that build containers.
    `renamed` maps (class, method) to new names for variables that have the name of a parameter.
    """

    module: Module
    chosen: tuple[str, ...]
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inherited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: Mapping[str, frozenset[str]] = field(default_factory=dict)
    constants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    helpers: Mapping[str, Mapping[str, Helper]] = field(default_factory=dict)
    functions: Mapping[str, Helper] = field(default_factory=dict)
    traced: frozenset[tuple[str, str]] = frozenset()
    networks: frozenset[str] = frozenset()
    renamed: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)


@record(frozen=True)
class Planned:
    """A plan, and the chosen classes that cannot be converted, each with the reason."""

    plan: Plan
    refused: Mapping[str, Reason]


def plan_of(
    module: Module,
    chosen: Collection[str],
    public: Collection[str] = (),
    networks: Collection[str] = (),
    wanting: Collection[str] = (),
) -> Planned:
    """Return the plan for the classes `chosen` and the functions `networks`; `public` methods are called elsewhere.

    `wanting` names functions and methods that get F for the sake of a repair.
    """
    known = dict(classes(module))
    names = {id(info): name for name, info in known.items()}
    run = Run(module.project, module)
    refused: dict[str, Reason] = {}
    parameters: dict[str, tuple[str, ...]] = {}
    constants: dict[str, tuple[str, ...]] = {}
    inherited: dict[str, tuple[str, ...]] = {}
    optional: dict[str, frozenset[str]] = {}
    helpers: dict[str, dict[str, Helper]] = {}
    functions: dict[str, Helper] = {}
    traced: set[tuple[str, str]] = set()
    renamed: dict[tuple[str, str], dict[str, str]] = {}
    for family in families(known.values()):
        members = [info for info in family if names[id(info)] in chosen]
        if not members:
            continue
        for info in members:
            name = names[id(info)]
            constants[name] = tuple(_constants(run, info))
            parameters[name] = tuple(dict.fromkeys([*instance_of(run, info).parameters, *constants[name]]))
            optional[name] = frozenset(optional_of(instance_of(run, info), parameters[name]))
            above = info.method_after("forward", info) or info.method_after(ENTRY, info)
            inherited[name] = () if above is None else tuple(instance_of(run, above[1]).parameters)
        reach = Reach(module, members, {id(info): parameters[names[id(info)]] for info in members}, wanting)
        for info in members:
            reason = _refusal(info, reach, parameters[names[id(info)]], constants[names[id(info)]])
            if reason is not None:
                refused[names[id(info)]] = reason
        every = frozenset(name for info in members for name in parameters[names[id(info)]])
        for owner, name in reach.methods:
            if id(owner) in names:
                renamed[names[id(owner)], name] = _other_names(owner.methods[name], every)
        found = {name: Helper(tuple(sorted(needs)), name in public) for name, needs in reach.helpers.items()}
        helpers |= {names[id(info)]: found for info in family}
        traced |= {(names[id(owner)], name) for owner, name in reach.methods if id(owner) in names}
        functions |= dict.fromkeys(reach.functions, Helper((), last=True))
        traced |= {("", name) for name in reach.functions}
    plan = Plan(
        module,
        tuple(chosen),
        parameters,
        inherited,
        optional,
        constants,
        helpers,
        functions,
        frozenset(traced),
        frozenset(networks),
        renamed,
    )
    return Planned(plan, refused)


def _constants(run: Run, info: ClassInfo) -> Iterator[str]:
    """Yield the attributes to which `__init__` assigns an array; traced methods may read them."""
    if "__init__" not in info.methods:
        return
    held = instance_of(run, info).attributes
    made = {node.attr for node in _own_stores(info.methods["__init__"])}
    yield from (name for name, value in held.items() if isinstance(value, ForeignTensor) and name in made)


def _own_stores(method: ast.FunctionDef) -> Iterator[ast.Attribute]:
    """Yield the nodes of the attributes of self that a method assigns."""
    for node in walk(method):
        match node:
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if name == this_of(method):
                yield node
            case _:
                continue


def _refusal(info: ClassInfo, reach: Reach, parameters: Collection[str], constants: Collection[str]) -> Reason | None:
    """Return the reason why a class's parameters or constants cannot become arguments, or a method cannot get F.

    None means that there is no such obstacle.
    """
    hidden = next((name for name in parameters if name.startswith("__")), None)
    if hidden is not None:
        text = f"the parameter `{hidden}` has a name that no argument can have: write one underscore"
        return Reason(text, info.node.lineno)
    for owner, name in reach.methods:
        if owner not in info.lineage:
            continue
        method = owner.methods[name]
        reason = _of_names(method, parameters) or _of_stores(method, constants)
        if reason is not None:
            return reason
    return _of_setters(info, constants) or reach.unfit(info)


def _of_names(method: ast.FunctionDef, parameters: Collection[str]) -> Reason | None:
    """Return a reason if an argument of a method has the name of a parameter, None otherwise."""
    for argument in [*method.args.args, *method.args.kwonlyargs]:
        if argument.arg in parameters:
            text = f"`{method.name}` has an input of the same name as the parameter `{argument.arg}`: rename the input"
            return Reason(text, argument.lineno)
    return None


def _other_names(method: ast.FunctionDef, parameters: Collection[str]) -> dict[str, str]:
    """Return new names for a method's variables that have the name of a parameter but hold another value."""
    this = this_of(method)
    plain = {
        id(node.targets[0])
        for node in walk(method)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and _reads(node.value, this, node.targets[0].id)
    }
    named = [node for node in walk(method) if isinstance(node, ast.Name)]
    stored = {node.id for node in named if isinstance(node.ctx, ast.Store) and id(node) not in plain}
    taken = {node.id for node in named} | set(parameters)
    return {name: _free(name, taken) for name in sorted(stored & set(parameters))}


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _reads(value: ast.expr, this: str, name: str) -> bool:
    """Whether an expression is ``self.name.data()`` or ``self.name``."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=owner), attr=attr), attr="data")):
            return owner == this and attr == name
        case ast.Attribute(value=ast.Name(id=owner), attr=attr):
            return owner == this and attr == name
        case _:
            return False


def _of_setters(info: ClassInfo, constants: Collection[str]) -> Reason | None:
    """Return a reason if a method other than `__init__` gives a constant another array, None otherwise."""
    for name, method in info.methods.items():
        for node in _own_stores(method) if name != "__init__" else ():
            if node.attr in constants:
                text = (
                    f"`{name}` changes `self.{node.attr}`, and a graph keeps what it was: make it an input of `forward`"
                )
                return Reason(text, node.lineno)
    return None


def _of_stores(method: ast.FunctionDef, constants: Collection[str]) -> Reason | None:
    for node in _own_stores(method):
        if node.attr in constants:
            return Reason(f"`self.{node.attr}` changes from call to call, which no graph keeps: return it", node.lineno)
    return None
