"""The fixer of Monte Carlo dropout: layers that drop out in every mode, in place of ``with autograd.train_mode()``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.events import ScopeEvent
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of, derives_from
from hybridlint.fixers.toolkit.names import class_around, dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import join_fixes, taken_out
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.abstract.layers import layer_of_any
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.parameters import names_of
from hybridlint.text.syntax import walk

_LAYER = "Dropout"
#: Functions of Python that enter no block.
_PLAIN = frozenset(
    {"range", "len", "list", "tuple", "zip", "enumerate", "sum", "reversed", "float", "int", "max", "min"}
)
#: Methods of lists.
_OF_LISTS = frozenset({"append", "extend"})
_NEW = "{nn}.HybridLambda(lambda F, x: F.{operator}(x, p={rate}, mode={mode}))"


def drop_out_always(event: ScopeEvent) -> Fix | None:
    """Write the Dropout layers that are called in ``with autograd.train_mode()`` as lambdas, and leave the scope out.

    ``nn.HybridLambda(lambda F, x: F.Dropout(x, p=rate, mode="always"))`` has no parameters either, and draws what the
    layer draws. None if anything else there asks for the mode, or if the layers are used outside of the scope too.
    """
    frame, node, owner = event.frame, event.node, class_around(event.frame)
    if event.name != "train_mode" or frame.mode != "legacy" or not isinstance(node, ast.With) or owner is None:
        return None
    if len(node.items) != 1 or any(derives_from(other, owner.name) for other in walk(frame.source.tree)):
        return None
    entered = _Entered(owner)
    if not entered.enter(node.body):
        return None
    made = {name: _dropouts(owner, name) for name in entered.children}
    layers = [call for calls in made.values() if calls is not None for call in calls]
    dropping = {name for name, calls in made.items() if calls}
    if None in made.values() or not layers or not entered.alone(frame.source.tree, node, dropping):
        return None
    fixes = []
    for call in layers:
        rate = _rate(owner, call)
        if rate is None or not isinstance(call.func, ast.Attribute):
            return None
        parts = {"nn": frame.concrete(call.func.value), "rate": frame.concrete(rate)}
        new = expression(_NEW, operator=_LAYER, mode=expression('"always"'), **parts)
        fixes.append(rewrite(frame, call, new, Applicability.SAFE))
    message = "Drop out in every mode, without the scope"
    return join_fixes(message, [taken_out(frame, node, Applicability.SAFE, message=message), *fixes])


class _Entered:
    """The children and the methods of a class that a scope enters."""

    def __init__(self, owner: ast.ClassDef) -> None:
        self.owner = owner
        self.methods = {n.name: n for n in owner.body if isinstance(n, ast.FunctionDef)}
        self.children: set[str] = set()
        self.helpers: set[str] = set()

    def enter(self, nodes: Iterable[ast.stmt]) -> bool:
        """Add what some statements call; return whether each call is known, and no operator asks for the mode."""
        return all(self._call(n) for statement in nodes for n in walk(statement) if isinstance(n, ast.Call))

    def _call(self, call: ast.Call) -> bool:
        match call.func:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self.methods:
                if name in self.helpers:
                    return True
                self.helpers.add(name)
                return self.enter(self.methods[name].body)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                self.children.add(name)
                return True
            case ast.Name(id=name):
                return name in _PLAIN
            case ast.Attribute(attr=name) as function:
                path = dotted_parts(function) or ("", name)
                operator = lookup.function(path[1:-1], name) if path[0] == "F" else lookup.of_tensors(name)
                return name in _OF_LISTS if operator is None else not operator.modal
        return False

    def alone(self, tree: ast.Module, scope: ast.With, dropping: set[str]) -> bool:
        """Return whether only a scope reads the children that drop out, and calls the methods that reach them."""
        init = self.methods.get("__init__")
        inside = {id(n) for part in (scope, init, *(self.methods[m] for m in self.helpers)) if part for n in walk(part)}
        names = dropping | self.helpers
        return not any(isinstance(n, ast.Attribute) and n.attr in names and id(n) not in inside for n in walk(tree))


def _dropouts(owner: ast.ClassDef, name: str) -> list[ast.Call] | None:
    """Return the calls that make the Dropout layers of a child; None if other parts may ask for the mode."""
    init = constructor_of(owner)
    path = ("self", name)
    stores = [n for n in walk(owner) if isinstance(n, ast.Assign) and any(dotted_parts(t) == path for t in n.targets)]
    if init is None or len(stores) != 1 or stores[0] not in list(walk(init)):
        return None
    value = stores[0].value
    parts = [value, *_added(init, path)]
    others = (n for n in walk(init) if isinstance(n, ast.Attribute) and dotted_parts(n) == path)
    known = {id(n) for n in walk(stores[0])}
    for read in others:
        if id(read) not in known and not _is_opened(init, read):
            return None
    found: list[ast.Call] = []
    for part in parts:
        made = layer_of_any((dotted_parts(part.func) or ("",))[-1]) if isinstance(part, ast.Call) else None
        if made is None or not isinstance(part, ast.Call) or (made.holds_others and part is not value):
            return None
        if (dotted_parts(part.func) or ("",))[-1] == _LAYER:
            found.append(part)
        elif not made.holds_others and made.asks_mode:
            return None
    return found


def _added(init: ast.FunctionDef, path: tuple[str, ...]) -> Iterator[ast.expr]:
    """Yield the blocks that a constructor adds to a container: the arguments of ``self.body.add(...)``."""
    for node in walk(init):
        match node:
            case ast.Call(func=ast.Attribute(value=taker, attr="add"), args=args) if dotted_parts(taker) == path:
                yield from args


def _is_opened(init: ast.FunctionDef, read: ast.AST) -> bool:
    """Return whether a container is read for ``self.body.add(...)`` or ``with self.body.name_scope()``."""
    outer = (n for n in walk(init) if isinstance(n, ast.Attribute) and n.value is read)
    return all(n.attr in {"add", "name_scope"} for n in outer) and any(
        isinstance(n, ast.Attribute) and n.value is read for n in walk(init)
    )


def _rate(owner: ast.ClassDef, call: ast.Call) -> ast.expr | None:
    """Return a Dropout layer's rate if a lambda may read it later: a number or an unchanging argument."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "rate")]
    if len(given) != 1 or len(call.keywords) + len(call.args) != 1:
        return None
    match given[0]:
        case ast.Constant(value=int() | float()):
            return given[0]
        case ast.Name(id=name):
            init = constructor_of(owner)
            if init is None or name not in names_of(init.args):
                return None
            return None if flow_of(init).rebindings_of(name) else given[0]
        case _:
            return None
