"""The plan of a file's conversion: the classes, methods, parameters and constants to change."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from itertools import chain
from typing import TYPE_CHECKING

from hybridlint.analysis import grammar  # noqa: F401
from hybridlint.analysis.model.values import CapturedArray
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.hybridizing import obstacles
from hybridlint.hybridizing.candidates import classes
from hybridlint.hybridizing.optional_parameters import optional_of
from hybridlint.hybridizing.outcome import Reason
from hybridlint.hybridizing.reachable_methods import Reach, families, own_stores, this_of
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo, ProjectFile


@record(frozen=True, slots=True)
class Helper:
    """A method or function that gets new arguments: F, and the `parameters` of the block that it reads.

    With `last` they are added at the end with default values, so that other callers need not change.
    """

    parameters: tuple[str, ...] = ()
    last: bool = False


@record(frozen=True)
class ConversionPlan:
    """The plan for the `chosen` classes of one file. All mappings are keyed by qualified class name, unless noted.

    `parameters` are the parameters that `hybrid_forward` gets as arguments, `inherited` those that the base class's
    gets, `optional` those among them that a block may lack. `constants` are attributes with arrays that become constant
    parameters. `helpers` are the methods of a class
    that get F, by name; `functions` are the functions of the module that get F. `traced` has (class, or "" for the
    module; name) for each method and function that runs during a trace. `networks` are functions that build containers.
    `renamed` maps (class, method) to new names for variables that have the name of a parameter.
    """

    module: ProjectFile
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
class PlannedClass:
    """A plan, and the chosen classes that cannot be converted, each with the reason."""

    plan: ConversionPlan
    refused: Mapping[str, Reason]


def plan_of(
    module: ProjectFile,
    chosen: Collection[str],
    public: Collection[str] = (),
    networks: Collection[str] = (),
    wanting: Collection[str] = (),
) -> PlannedClass:
    """Return the plan for the classes `chosen` and the functions `networks`; `public` methods are called elsewhere.

    `wanting` names functions and methods that get F for the sake of a repair.
    """
    run = AnalysisRun(module.project, module)
    known = dict(classes(module))
    members = {name: info for name, info in known.items() if name in chosen}
    constants = {name: tuple(_constants(run, info)) for name, info in members.items()}
    parameters = {name: _parameters(run, info, constants[name]) for name, info in members.items()}
    related = list(_related(module, known, parameters, wanting))
    functions = list(chain.from_iterable(family.reach.functions for family in related))
    plan = ConversionPlan(
        module,
        tuple(chosen),
        parameters,
        {name: _inherited(run, info) for name, info in members.items()},
        {name: frozenset(optional_of(instance_of(run, info), parameters[name])) for name, info in members.items()},
        constants,
        helpers={name: family.helpers(public) for family in related for name in family.names},
        functions=dict.fromkeys(functions, Helper((), last=True)),
        traced=frozenset(chain((("", name) for name in functions), *(family.methods for family in related))),
        networks=frozenset(networks),
        renamed={
            place: _other_names(method, family.parameters)
            for family in related
            for place, method in family.methods.items()
        },
    )
    found = {
        name: obstacles.of_conversion(info, family.reach, parameters[name], constants[name])
        for family in related
        for name, info in family.members.items()
    }
    return PlannedClass(plan, {name: reason for name, reason in found.items() if reason is not None})


@record(frozen=True, slots=True)
class _Family:
    """The classes of a file that are related by inheritance (`names`), and those among them that are converted."""

    names: tuple[str, ...]
    members: Mapping[str, ClassInfo]
    #: What runs during a trace of the members.
    reach: Reach
    #: The methods among that, by class and name.
    methods: Mapping[tuple[str, str], ast.FunctionDef]
    #: The parameters of all members.
    parameters: frozenset[str]

    def helpers(self, public: Collection[str]) -> dict[str, Helper]:
        """Return the methods that get F, by name."""
        return {name: Helper(tuple(sorted(needs)), name in public) for name, needs in self.reach.helpers.items()}


def _related(
    module: ProjectFile,
    known: Mapping[str, ClassInfo],
    parameters: Mapping[str, Collection[str]],
    wanting: Collection[str],
) -> Iterator[_Family]:
    """Yield the families of classes that have members to convert, which are those with an entry in `parameters`."""
    names = {id(info): name for name, info in known.items()}
    for family in families(known.values()):
        members = {names[id(info)]: info for info in family if names[id(info)] in parameters}
        if not members:
            continue
        every = frozenset(chain.from_iterable(parameters[name] for name in members))
        reach = Reach(module, list(members.values()), every, wanting)
        methods = {(names[id(owner)], name): owner.methods[name] for owner, name in reach.methods if id(owner) in names}
        yield _Family(tuple(names[id(info)] for info in family), members, reach, methods, every)


def _parameters(run: AnalysisRun, info: ClassInfo, constants: Collection[str]) -> tuple[str, ...]:
    """Return the parameters that `hybrid_forward` gets as arguments; constants become parameters too."""
    return tuple(dict.fromkeys([*instance_of(run, info).parameters, *constants]))


def _inherited(run: AnalysisRun, info: ClassInfo) -> tuple[str, ...]:
    """Return the parameters that the `forward` of the base class gets."""
    above = info.method_after("forward", info) or info.method_after(ENTRY, info)
    return () if above is None else tuple(instance_of(run, above[1]).parameters)


def _constants(run: AnalysisRun, info: ClassInfo) -> Iterator[str]:
    """Yield the attributes to which `__init__` assigns an array; traced methods may read them."""
    if "__init__" not in info.methods:
        return
    held = instance_of(run, info).attributes
    made = {node.attr for node in own_stores(info.methods["__init__"])}
    yield from (name for name, value in held.items() if isinstance(value, CapturedArray) and name in made)


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
