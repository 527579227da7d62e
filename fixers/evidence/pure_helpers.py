"""Helpers that compute one array from their arguments and from settings: they draw nothing and change nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from hybridlint.analysis.dataflow.scopes import names_of
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.tables import CHANGING, CHANGING_ARRAYS
from hybridlint.fixers.evidence.helper_calls import entered_by
from hybridlint.fixers.toolkit.imports import import_roots
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.syntax import each, is_self, own

#: Statements and expressions that may change what outlives the call, or run when it is over.
_EFFECTS = (
    *(ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.With, ast.Try, ast.Delete, ast.Lambda),
    *(ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Match, ast.NamedExpr, ast.Starred),
)
#: Libraries whose functions compute, except those that draw, read files or ask for the time.
_LIBRARIES = frozenset({"itertools", "math", "mxnet", "numpy", "operator", "scipy"})
_OUTSIDE = ("load", "from", "open", "save", "gen", "mem", "set")
#: Parts of a dotted name that read what changes: the values of parameters, the mode, random numbers, the device.
_STATEFUL = frozenset({"autograd", "context", "data", "grad", "is_recording", "is_training", "list_data", "random"})
#: Functions of Python that give one value for the same arguments.
_PURE = frozenset(
    {"abs", "bool", "divmod", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min", "range"}
    | {"reversed", "round", "sorted", "sum", "tuple", "zip"}
)
#: Functions and methods that return a new array of what they get.
_COPYING = frozenset({"array", "astype", "copy"})
#: Methods that change their object.
_CHANGING = CHANGING | CHANGING_ARRAYS | {"attach_grad"}
#: The longest chain of helpers that call each other.
_DEEPEST = 4


@record(frozen=True, slots=True)
class PureHelpers:
    """Tells the calls of helpers that compute the same from the same arguments; `is_setting` knows the attributes."""

    frame: CodeContext
    is_setting: Callable[[str], bool]
    depth: int = 0

    def enters(self, call: ast.Call) -> bool:
        """Return whether a call surely enters such a helper of the file, whatever its arguments are."""
        entered = entered_by(self.frame, call)
        if entered is None or self.depth >= _DEEPEST:
            return False
        helper, given = entered
        passed = (name for name, node in given.items() if isinstance(node, ast.Name) and node.id == self._functions)
        frame = replace(self.frame, function=helper, functions=next(passed, None))
        return replace(self, frame=frame, depth=self.depth + 1)._computes(helper)

    @property
    def _functions(self) -> str | None:
        return self.frame.functions

    def _computes(self, helper: ast.FunctionDef) -> bool:
        nodes = [node for statement in helper.body for node in own(statement)]
        return (
            not any(isinstance(node, _EFFECTS) for node in nodes)
            and all(self._is_known(helper, name) for name in names_of(helper).free)
            and all(map(self._is_pure_call, each(helper, ast.Call)))
            and all(map(self._is_known_attribute, each(helper, ast.Attribute)))
            and all(self._is_new(helper, target) for target in _changed(nodes))
        )

    def _is_known(self, helper: ast.FunctionDef, name: str) -> bool:
        """Whether a name that a helper does not bind means a library, a constant of the module, or a helper."""
        if name in import_roots(self.frame.source):
            return import_roots(self.frame.source)[name] in _LIBRARIES
        if any(name == node.name for node in self.frame.source.tree.body if isinstance(node, ast.FunctionDef)):
            # Its calls are asked for one by one.
            return not any(read.id == name and read not in _called(helper) for read in each(helper, ast.Name))
        bound = [n for n in each(self.frame.source.tree, ast.Assign) if any(_binds(t, name) for t in n.targets)]
        if not bound:
            return name in _PURE
        value = bound[0].value
        return len(bound) == 1 and bound[0] in self.frame.source.tree.body and not isinstance(value, ast.Call)

    def _is_pure_call(self, call: ast.Call) -> bool:
        match call.func:
            case ast.Name(id=name):
                return (name in _PURE or self.enters(call)) and not any(map(is_self, call.args))
            case ast.Attribute(value=receiver, attr=name):
                if is_self(receiver):
                    return self.enters(call)
                path = dotted_parts(call.func) or ("", name)
                changing = any(lookup.draws(part) or part in _STATEFUL for part in path)
                given = [*call.args, *(keyword.value for keyword in call.keywords)]
                plain = not any(map(is_self, given)) and all(
                    keyword.arg not in {None, "out"} for keyword in call.keywords
                )
                return plain and not changing and not name.startswith(_OUTSIDE)
        return False

    def _is_known_attribute(self, node: ast.Attribute) -> bool:
        """Whether an attribute is read of a setting of the block, or of anything but the block."""
        if not is_self(node.value):
            return True
        return self.is_setting(node.attr) or entered_by(self.frame, ast.Call(node, [], [])) is not None

    def _is_new(self, helper: ast.FunctionDef, node: ast.expr) -> bool:
        """Whether a helper changes an object that it has made itself and bound to a local name."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if not isinstance(node, ast.Name) or any(argument.arg == node.id for argument in each(helper, ast.arg)):
            return False
        values = [binding.assigned for binding in self.frame.flow.bindings_of(node.id) if binding.is_plain]
        return bool(values) and all(value is not None and _makes(value) for value in values)


def _changed(nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """Yield the expressions that statements change in place: subscripts, attributes, objects of changing methods."""
    for node in nodes:
        match node:
            case ast.Assign(targets=targets):
                flat = (part for target in targets for part in getattr(target, "elts", [target]))
                yield from (part for part in flat if not isinstance(part, ast.Name))
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                yield target
            case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if name in _CHANGING:
                yield receiver
            case _:
                pass


def _makes(value: ast.expr) -> bool:
    """Whether an expression makes a new object, or a number, which cannot be changed."""
    match value:
        case ast.Call(func=ast.Attribute(value=receiver, attr=name), args=args):
            # A function may return a view of its argument, and a method one of its object.
            new = isinstance(receiver, ast.Call) and _makes(receiver)
            return new or name in _COPYING or lookup.makes_array(name) or (bool(args) and all(map(_makes, args)))
        case ast.Call() | ast.BinOp() | ast.Constant() | ast.List() | ast.ListComp() | ast.Dict() | ast.UnaryOp():
            return True
    return False


def _called(helper: ast.FunctionDef) -> list[ast.expr]:
    return [call.func for call in each(helper, ast.Call)]


def _binds(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name
