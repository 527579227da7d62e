"""Fixers of classes that no graph can hold: they stay eager with all that holds them, and compile their children."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from hybridlint.analysis.model.events import (
    ITERATING,
    AttributeRead,
    Binary,
    BlockCall,
    CodeContext,
    Concretize,
    Event,
    GuardEvent,
    InPlace,
    MethodCall,
    OpCall,
    Return,
    ScopeEvent,
    SettingChangedOutside,
    SideEffect,
    TensorStore,
    TraceConstant,
)
from hybridlint.analysis.model.values import CapturedArray, ContainerValue, DataDependentValue, StaticValue
from hybridlint.analysis.mxnet.blocks.eager_by_choice import stays_eager
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.mxnet.operators.unreached_calls import FUNCTIONS
from hybridlint.fixers.evidence.cross_file_uses import why_only_shown
from hybridlint.fixers.evidence.eager.holders import Holder, Holders, holders_in
from hybridlint.fixers.evidence.eager.never_right_compiled import is_never_right_compiled, suits_own_graphs
from hybridlint.fixers.evidence.eager.optional_child_inputs import parts_with_left_out_inputs
from hybridlint.fixers.evidence.eager.sequences import COMPILED_EACH, MadeSequence
from hybridlint.fixers.evidence.unconditional_code import function_around
from hybridlint.fixers.toolkit.class_hierarchy import methods_of
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.signature_edits import method_added
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import each

#: What compiled children do not allow: hooks of their parts, gradients of gradients.
_EAGER_PARTS = re.compile(r"\b(?:register_forward_(?:pre_)?hook|create_graph)\b")

_SIZES = re.compile(r"\b(?:shape|size)_array\b")

#: The sources of random numbers that are not operators.
DRAWS = ("random.", "numpy.random.", "secrets.", "uuid.", "os.urandom")

_METHOD = """
def hybridize(self, active=True, **kwargs):
    # {why}: only the children are compiled.
    for child in self._children.values():
        child.hybridize(active, **kwargs)
"""


def keep_eager(event: Event, *, always: bool = True) -> Fix | None:
    """Override ``hybridize`` in the class of an event, and in the classes that hold it, so that they stay eager.

    It is the last resort for what a graph cannot do: state that the forward changes, draws of Python, branches on data
    that no operator expresses. None if a block of the class may be part of something that is compiled as a whole, or
    if nothing would be left to compile. It is only shown if other files use the classes, or if there are many.

    It is safe if every compiled run raises there or silently differs. Eager runs are those of before, and no compiled
    run that was right is lost: there was none. `always` is False for what only some calls do.
    """
    frame = event.frame
    usual = frame.certain and not _is_size(event) and not _is_in_function_of_child(frame)
    reached = _reached(event) if usual else None
    if reached is None:
        return None
    new = [one for one in reached if not one.done]
    sequences = reached[0].sequences
    parts = [*(_override(frame, one, _why(one, event)) for one in new), *(_each(frame, one) for one in sequences)]
    fix = join_fixes(_message([one.node.name for one in new], sequences), parts)
    if fix is None:
        return None
    names = [one.node.name for one in reached]
    reserve = why_only_shown(frame.source, names, "would stay eager", "might compile them in a graph of its own")
    if reserve is None:
        safe = (
            always and all(suits_own_graphs(frame, one.node) for one in new) and is_never_right_compiled(event, reached)
        )
        safe = safe and not any(one.renamed for one in sequences)
        return replace(fix, applicability=safe_if(safe), kind=FixKind.KEEP_EAGER)
    message = f"{fix.message} Not applied: {reserve}."
    return replace(fix, message=message, applicability=Applicability.DISPLAY, kind=FixKind.KEEP_EAGER)


def _reached(event: Event) -> list[Holder] | None:
    """Return the classes that have to stay eager; None if they cannot, or if nothing would be left to compile."""
    frame, holders = event.frame, holders_in(event.frame.source)
    owner = holders.class_of(event.node, (call.node for call in frame.calls if call.source is frame.source))
    reached = None if owner is None else holders.reached(owner)
    if reached is None or any(one.compiled for one in reached) or _EAGER_PARTS.search(frame.source.text):
        return None
    reached = _with_asking_parts(frame, holders, reached)
    if any(_keeps_symbols(one.node) for one in reached):
        return None
    parts = bool(reached[0].sequences) or holders.have_other_parts(reached)
    return reached if parts and all(_children_take_tensors(frame, one.node) for one in reached) else None


def _with_asking_parts(frame: CodeContext, holders: Holders, reached: list[Holder]) -> list[Holder]:
    """Return the classes that have to stay eager with the parts that cannot be compiled by themselves then."""
    found, classes = list(reached), {n.name: n for n in each(frame.source.tree, ast.ClassDef)}
    for one in found:
        for name in parts_with_left_out_inputs(frame, one.node):
            more = holders.reached(classes[name]) if name in classes else None
            for other in more or ():
                same = next((k for k, held in enumerate(found) if held.node is other.node), None)
                if same is None:
                    found.append(replace(other, asks=True) if other.part is None else other)
                else:
                    found[same] = replace(found[same], containers=found[same].containers | other.containers)
    return found


def _keeps_symbols(owner: ast.ClassDef) -> bool:
    """Return whether methods outside of the trace create Symbols. Eager code cannot compute with them."""
    methods = (n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name != ENTRY)
    names = (dotted_parts(n) or () for method in methods for n in each(method, ast.Attribute))
    return any(not {"sym", "symbol"}.isdisjoint(path) for path in names)


def _is_in_function_of_child(frame: CodeContext) -> bool:
    """Return whether a child runs the event's code as its own function, as HybridLambda does.

    It would still be compiled.
    """
    inside = (function_around(frame.source.tree, call.node) for call in frame.calls if call.source is frame.source)
    return any(function is not None and function.name == "__init__" for function in inside)


def _is_size(event: Event) -> bool:
    """Return whether an event is about a size that another fix wrote as a tensor: no graph needs its data."""
    told = isinstance(event, SideEffect | TraceConstant | ScopeEvent | BlockCall | SettingChangedOutside)
    return not told and _SIZES.search(event.frame.source.code(event.node)) is not None


def _each(frame: CodeContext, one: MadeSequence) -> Fix | None:
    """Return the fix by which a sequence compiles each of its blocks by itself."""
    assert isinstance(one.kind, ast.Attribute)
    new = expression("{nn}.{kind}", nn=frame.concrete(one.kind.value), kind=COMPILED_EACH)
    return rewrite(frame, one.kind, new, Applicability.UNSAFE)


def _why(one: Holder, event: Event) -> str:
    """Return the reason why a class stays eager, in the words of a comment."""
    if one.asks:
        return "Its inputs are None in some calls, and a graph takes one structure alone"
    return _reason(event) if one.part is None else f"It holds `{one.part.name}`, which stays eager"


def _reason(event: Event) -> str:
    """Return why no graph can do what an event tells, in the words of a comment."""
    match event:
        case SideEffect(target=target):
            why = f"Each call changes `{target}`, which a graph would not"
        case TraceConstant(source_of_value=source) if source.startswith(DRAWS):
            why = "Each call draws anew in Python, which a graph would not"
        case TraceConstant(source_of_value=source):
            why = f"Each call reads `{source}` anew, which a graph would not"
        case SettingChangedOutside(name=name):
            why = f"`{name}` changes between calls, and a graph keeps the first value"
        case ScopeEvent(name=name):
            why = f"A graph does not keep `autograd.{name}()`"
        case Binary() | OpCall() | MethodCall() | BlockCall() if _takes_arrays(event):
            why = "It computes with arrays of its own, which a graph does not hold"
        case OpCall(namespace=namespace) if namespace.root != FUNCTIONS:
            why = f"Each call needs arrays for functions of `mx.{namespace.root}`, which a graph does not have"
        case BlockCall(block=block) if not any(one.info is not None and stays_eager(one.info) for one in block.known):
            why = "Each call makes states for its own batch, which a graph cannot"
        case Return():
            why = "A graph returns tensors alone, or lists of them"
        case BlockCall(block=block):
            names = (one.layer for one in block.known if one.info is not None and stays_eager(one.info))
            why = f"It holds `{next(names, block.layer)}`, which stays eager"
        case _:
            why = _reason_of_tensors(event)
    return why


def _reason_of_tensors(event: Event) -> str:
    """Return why no graph can do what an event does with tensors."""
    match event:
        case AttributeRead(name=name) if name not in {"shape", "size", "ndim"}:
            why = f"Each call reads the {name} of its tensors, which a graph does not know"
        case GuardEvent(moves=True):
            why = "Each call changes what later ones compute with, which a graph does not"
        case AttributeRead() | Concretize(how="len") | GuardEvent():
            why = "Each call computes with the sizes of its tensors, which a graph does not know"
        case MethodCall(name="attach_grad" | "backward"):
            why = "Each call takes gradients itself, which a graph does not"
        case TensorStore() | InPlace():
            why = "Each call writes into its tensors, which a graph does not"
        case Concretize(how=how) if how in ITERATING:
            why = "Each call takes a tensor apart row by row, which a graph does not"
        case _:
            why = "Each call reads the data of its tensors, which a graph does not have"
    return why


def _takes_arrays(event: Binary | OpCall | MethodCall | BlockCall) -> bool:
    """Return whether an operand or an argument is an array, or a list with an array, not a tensor."""
    if isinstance(event, Binary):
        return any(isinstance(side, CapturedArray) for side in (event.left, event.right))
    given = [*event.arguments.values, *event.arguments.keywords.values()]
    listed = [part for value in given if isinstance(value, ContainerValue) for part in value.items or (value.each,)]
    return any(isinstance(value, CapturedArray) for value in (*given, *listed))


def _message(names: Sequence[str], sequences: Sequence[MadeSequence]) -> str:
    makers = ", ".join(f"`{one.maker}`" for one in sequences)
    behind = f" The sequences of {makers} compile each part by itself." if makers else ""
    first, *others = names or ("it",)
    if not others:
        return f"Keep `{first}` eager: it runs operator by operator, and only its children are compiled.{behind}"
    listed = ", ".join(f"`{name}`" for name in others)
    held = f"Keep `{first}` and what holds it, {listed}, eager"
    return f"{held}: they run operator by operator, their children compiled.{behind}"


def _override(frame: CodeContext, one: Holder, why: str) -> Fix | None:
    """Add the override after ``__init__`` or at the end of the class, or add lines to an existing override."""
    lines = [line for name in sorted(one.missing) for line in _switched_off(name)]
    if one.method is not None:
        return insert_statements(frame, lines, Applicability.UNSAFE, message="", after=one.method.body[-1])
    (method,) = statements(_METHOD.replace("{why}", why))
    assert isinstance(method, cst.FunctionDef)
    whole = method.with_changes(body=method.body.with_changes(body=[*method.body.body, *lines]))
    return method_added(frame, one.node, whole)


def _switched_off(name: str) -> list[cst.BaseStatement]:
    return statements("self.{name}._active = False", name=name)


def _children_take_tensors(frame: CodeContext, owner: ast.ClassDef) -> bool:
    """Return whether all calls of attributes in a class pass only tensors, which a separately compiled block needs."""
    methods = (n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name != "__init__")
    own = methods_of(frame.source.tree, owner)
    for node in (part for method in methods for part in each(method, ast.Call)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=args):
                if name not in own and any(_is_plain(frame, arg) for arg in args):
                    return False
    return True


def _is_plain(frame: CodeContext, argument: ast.expr) -> bool:
    """Return whether an argument is known to be a Python value that a compiled block does not take."""
    if isinstance(argument, ast.Constant):
        return argument.value is not None
    if isinstance(argument, ast.Call) and (dotted_parts(argument.func) or ("",))[0] == FUNCTIONS:
        return False
    held = frame.seen.value(argument)
    if isinstance(held, ContainerValue):
        return held.kind == "dict"
    return isinstance(held, DataDependentValue) or (isinstance(held, StaticValue) and held.value is not None)
