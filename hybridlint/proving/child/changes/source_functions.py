"""The names, reads and writes of each function of a source, as terms; nothing runs.

`FunctionSource` is plain data: whoever has the source may make it, and whoever has the live objects resolves it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.changes.source_nodes import DEFINITIONS, LOOPS, assigned_names, is_self, last_name, traces
from hybridlint.proving.child.changes.source_terms import (
    ANY,
    ATTRIBUTE,
    CALL,
    CLASS,
    CODE,
    FRESH,
    IMPORT,
    NAME,
    NOTHING,
    SLICE,
    SOMETHING,
    Term,
    bindings,
    item_of,
    key_of,
    operands,
    root_of,
    term_of,
    text_of,
)
from hybridlint.proving.child.word_tables import words

if TYPE_CHECKING:
    from hybridlint.proving.child.changes.source_terms import Key

#: Kinds of writes: into an attribute, into an item, in place by an operator, to a shared variable, by a method, by a
#: function that gets the object, and by a text that code makes and executes.
STORE, PUT, OPERATE, BIND, METHOD, GIVE, EXECUTE = ("store", "put", "operate", "bind", "method", "give", "execute")
#: What the statement of a call prints, and never computes with.
_REPORTING = words("print log logger logging warnings warn debug info warning error")
#: Methods of Python's own that set attributes by name.
_SETTERS = ("setattr", "__setattr__", "delattr", "__delattr__")


#: The name of the top level of a module.
MODULE = "<module>"


class Write(NamedTuple):
    """A change of `target`: `name` is the attribute, key, operator, variable or method, None for any.

    For an argument of a function, it is the position or keyword; `by` is the call, or the stored value. `row` is the
    row, `until` the last row of the loop around, 0 if there is none, and `missing` says that the code fills in a value
    that does not exist yet. `branches` are the rows of the conditions around.
    """

    kind: str
    target: Term
    name: Key
    row: int
    until: int = 0
    missing: bool = False
    by: Term = NOTHING
    branches: tuple[int, ...] = ()

    @property
    def last(self) -> int:
        """The row up to which the code may run."""
        return max(self.row, self.until)


class SourceCall(NamedTuple):
    """A call of a source: its term, its row, and the rows of the conditions around."""

    term: Term
    row: int
    branches: tuple[int, ...] = ()


class FunctionSource(NamedTuple):
    """One function or lambda of a source, or the top level of a module, whose name is that of `MODULE`.

    `owner` is the class that it is a method of, `outer` the number of the function around it. `bound` says that a call
    of the method gives its first argument. The first `positional` of the `parameters` can be given by position; `rest`
    are the names of its star parameters. `traced` are the calls by which it has a block traced again. `decorators` are
    the last names of its decorators, and `decorating` those of the decorators that it uses. It returns at the rows
    `ends`.
    """

    number: int
    name: str
    row: int
    last: int
    owner: str
    outer: int
    bound: bool
    parameters: tuple[str, ...]
    positional: int
    rest: tuple[str, ...]
    defaults: dict[str, Term]
    assigned: dict[str, list[Term]]
    shared: frozenset[str]
    returned: list[Term]
    read: list[Term]
    writes: list[Write]
    calls: list[SourceCall]
    traced: list[SourceCall]
    decorating: list[str]
    seen: dict[str, set[str]]
    ends: list[int]
    decorators: tuple[str, ...] = ()
    module: str = ""

    @property
    def is_module(self) -> bool:
        """Whether it is the top level of a module."""
        return self.name == MODULE

    def has(self, name: str) -> bool:
        """Whether a name is a local variable."""
        return name not in self.shared and (name in self.parameters or name in self.rest or name in self.assigned)


class ModuleSource(NamedTuple):
    """The functions of a source, and by the names of its classes, their bases and all attributes of their objects."""

    functions: list[FunctionSource]
    bases: dict[str, list[str]]
    attributes: dict[str, set[str]]

    def method(self, cls: str, name: str) -> FunctionSource | None:
        """Return a method of a class, or of the classes of the source that it inherits from."""
        for owner in self.order(cls):
            for function in self.functions:
                if function.owner == owner and function.name == name:
                    return function
        return None

    def order(self, cls: str) -> list[str]:
        """Return a class with its bases, as far as the source defines them."""
        found: list[str] = []
        pending = [cls]
        while pending:
            name = pending.pop(0)
            if name in self.bases and name not in found:
                found.append(name)
                pending += self.bases[name]
        return found


def read_module(
    tree: ast.Module, module: str = "", first: int = 0, taken: frozenset[str] = frozenset()
) -> ModuleSource:
    """Return the names, reads and writes of a module's functions, with numbers from `first` on.

    A class whose name another module has `taken` gets the name of this module in its name.
    """
    reader = _Reader(module, first, taken)
    reader.function(tree, MODULE, "", -1)
    reader.read()
    bases = {
        reader.class_name(node.name): [
            str(name) for base in node.bases if (name := getattr(base, "id", getattr(base, "attr", "")))
        ]
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = ModuleSource([reader.functions[number] for number in sorted(reader.functions)], bases, {})
    own = {
        reader.class_name(node.name): set(_attributes(node))
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found.attributes.update({name: {each for base in found.order(name) for each in own[base]} for name in bases})
    return found


def _attributes(node: ast.ClassDef) -> Iterator[str]:
    """Yield the attributes that a class, or its objects, get in the class itself."""
    for child in node.body:
        if isinstance(child, (*DEFINITIONS, ast.ClassDef)):
            yield child.name
            inner = (part for part in ast.walk(child) if isinstance(part, ast.Attribute))
            yield from (part.attr for part in inner if isinstance(part.ctx, ast.Store) and is_self(part.value, child))
        else:
            yield from assigned_names(child)


class _Reader:
    """Numbers the functions of a tree, and reads each of them."""

    def __init__(self, module: str, first: int, taken: frozenset[str]) -> None:
        self._taken = taken
        self.functions: dict[int, FunctionSource] = {}
        self.module = module
        self._first = first
        self._numbers: dict[int, int] = {}
        self._pending: list[tuple[ast.AST, tuple[str, str], int]] = []

    def class_name(self, name: str) -> str:
        """Return the name of a class of the module, which no class of another one has."""
        return f"{self.module}.{name}" if name in self._taken else name

    def function(self, node: ast.AST, name: str, owner: str, outer: int) -> int:
        """Return the number of a function, which is read later."""
        if id(node) not in self._numbers:
            self._numbers[id(node)] = self._first + len(self._numbers)
            self._pending.append((node, (name, owner), outer))
        return self._numbers[id(node)]

    def read(self) -> None:
        """Read all functions that are pending, and those inside of them."""
        while self._pending:
            node, names, outer = self._pending.pop(0)
            number = self._numbers[id(node)]
            self.functions[number] = _Function(self, node, number, names, outer).source()


class _Function:
    """Reads one function; those inside of it are read on their own."""

    def __init__(self, reader: _Reader, node: ast.AST, number: int, names: tuple[str, str], outer: int) -> None:
        self._reader = reader
        self._node = node
        self._number = number
        self._name, self._owner = names
        self._outer = outer
        self._assigned: dict[str, list[Term]] = {}
        self._shared: set[str] = set()
        self._returned: list[Term] = []
        self._read: list[Term] = []
        self._writes: list[Write] = []
        self._calls: list[SourceCall] = []
        self._traced: list[SourceCall] = []
        self._decorating: list[str] = []
        self._seen: dict[str, set[str]] = {}
        self._ends: list[int] = []
        self._until = self._missing = 0
        self._branches: tuple[int, ...] = ()
        self._row = 0

    def source(self) -> FunctionSource:
        """Return the names, reads and writes of the function."""
        node = self._node
        arguments = getattr(node, "args", None)
        if isinstance(node, ast.Lambda):
            self._row = node.lineno
            self._returned.append(self._expression(node.body))
        else:
            self._body(getattr(node, "body", []))
        parameters, rest, defaults = _parameters(arguments, self._term) if arguments is not None else ((), (), {})
        decorators = getattr(node, "decorator_list", [])
        called = [each.func if isinstance(each, ast.Call) else each for each in decorators]
        names = [str(getattr(each, "id", getattr(each, "attr", ""))) for each in called]
        return FunctionSource(
            number=self._number,
            name=self._name,
            row=min([getattr(node, "lineno", 0), *(each.lineno for each in decorators)]),
            last=getattr(node, "end_lineno", 0) or 0,
            owner=self._owner,
            outer=self._outer,
            bound=bool(self._owner) and "staticmethod" not in names,
            parameters=parameters,
            positional=0 if arguments is None else len(parameters) - len(arguments.kwonlyargs),
            rest=rest,
            defaults=defaults,
            assigned=self._assigned,
            shared=frozenset(self._shared),
            returned=self._returned,
            read=self._read,
            writes=self._writes,
            calls=self._calls,
            traced=self._traced,
            decorating=self._decorating,
            seen=self._seen,
            ends=self._ends,
            decorators=tuple(names),
            module=self._reader.module,
        )

    def _term(self, node: ast.AST | None) -> Term:
        return term_of(node, lambda inner: self._reader.function(inner, "<lambda>", "", self._number))

    # -- statements

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._row = statement.lineno
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, DEFINITIONS):
            self._define(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            self._assign(node.targets if isinstance(node, ast.Assign) else [node.target], node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            # What is drawn from an iterator is no longer in it.
            self._write(METHOD, self._term(node.iter), "__next__")
            self._store(node.target, item_of(self._expression(node.iter)))
            self._inside(node, node.body)
            self._body(node.orelse)
        elif isinstance(node, (ast.If, ast.While)):
            self._branch(node)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            self._with(node)
        elif isinstance(node, ast.ClassDef):
            self._class(node)
        else:
            self._simple(node)

    def _simple(self, node: ast.stmt) -> None:
        if isinstance(node, ast.AugAssign):
            self._augment(node)
        elif isinstance(node, ast.Expr):
            self._plain(node.value)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, ast.Return):
            self._ends.append(self._row)
            self._returned.append(self._expression(node.value))
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            self._shared.update(node.names)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._store(target, NOTHING)
        elif isinstance(node, (ast.Assert, ast.Raise)):
            self._effects(node)
            if isinstance(node, ast.Raise) and node.exc is not None:
                self._calls.append(SourceCall(Term(CALL, (NOTHING, self._term(node.exc))), self._row, self._branches))
        else:
            self._others(node)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        code = Term(CODE, (), self._reader.function(node, node.name, "", self._number))
        self._bind_name(node.name, code)
        self._decorate(node.decorator_list, code)
        for part in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self._expression(part)

    def _decorate(self, decorators: list[ast.expr], decorated: Term) -> None:
        for decorator in decorators:
            self._effects(decorator)
            self._decorating.append(last_name(decorator.func if isinstance(decorator, ast.Call) else decorator))
            self._calls.append(SourceCall(Term(CALL, (self._term(decorator), decorated)), self._row, self._branches))

    def _branch(self, node: ast.If | ast.While) -> None:
        if isinstance(node, ast.If) and _only_reports(node):
            self._effects(node.test)
        else:
            self._expression(node.test)
        self._inside(node, node.body, missing=_asks_if_missing(node.test))
        self._inside(node, node.orelse)

    def _others(self, node: ast.stmt) -> None:
        """Read the statements and expressions inside any other statement, such as ``try``."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child)
        for name in ("body", "orelse", "finalbody"):
            self._body([part for part in getattr(node, name, []) if isinstance(part, ast.stmt)])
        for handler in getattr(node, "handlers", []):
            if handler.name:
                self._bind_name(handler.name, SOMETHING)
            self._inside(handler, handler.body)
        for case in getattr(node, "cases", []):
            names = [str(getattr(part, "name", getattr(part, "rest", None)) or "") for part in ast.walk(case.pattern)]
            subject = self._term(getattr(node, "subject", None))
            for name in filter(None, names):
                # What a pattern takes out of its subject is there at some depth.
                for part in (subject, item_of(subject), item_of(item_of(subject)), SOMETHING):
                    self._bind_name(name, part)
            self._inside(node, case.body)

    def _inside(self, around: ast.AST, statements: list[ast.stmt], *, missing: bool = False) -> None:
        """Read the statements of a loop or branch."""
        until, branches = self._until, self._branches
        if isinstance(around, (*LOOPS, ast.AsyncFor)):
            self._until = until or (around.end_lineno or 0)
        self._branches = (*branches, statements[0].lineno if statements else 0)
        self._missing += missing
        self._body(statements)
        self._missing -= missing
        self._until, self._branches = until, branches

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                self._bind_name(alias.asname or whole, Term(IMPORT, (), whole))
            else:
                start = Term(IMPORT, (), f"{'.' * node.level}{node.module or ''}")
                self._bind_name(alias.asname or alias.name, Term(ATTRIBUTE, (start,), alias.name))

    def _class(self, node: ast.ClassDef) -> None:
        name = self._reader.class_name(node.name)
        self._bind_name(node.name, Term(CLASS, (), name))
        self._decorate(node.decorator_list, Term(CLASS, (), name))
        for part in (*node.bases, *(keyword.value for keyword in node.keywords)):
            self._expression(part)
        for child in node.body:
            if isinstance(child, DEFINITIONS):
                kind = " =" if any(getattr(each, "attr", "") == "setter" for each in child.decorator_list) else ""
                self._reader.function(child, f"{child.name}{kind}", name, self._number)
            elif isinstance(child, ast.ClassDef):
                self._class(child)
            elif isinstance(child, (ast.Assign, ast.AnnAssign, ast.Expr)) and child.value is not None:
                self._row = child.lineno
                self._term(child.value)
                self._effects(child.value)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self._expression(item.context_expr)
            if item.optional_vars is not None:
                # The context may be the object that is given, or made of it.
                self._store(item.optional_vars, Term(ANY, (value, item_of(value))))
        self._body(node.body)

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        own = {ast.dump(target).replace("Store()", "Load()") for target in targets}
        term = self._term(value)
        self._effects(value)
        parts = operands(value) if isinstance(value, ast.BinOp) else []
        if any(ast.dump(part) in own for part in parts):
            # What is only counted on is not read.
            for part in parts:
                if ast.dump(part) not in own:
                    self._reads(part, self._term(part))
        else:
            self._reads(value, term)
        for target in targets:
            self._store(target, term)

    def _augment(self, node: ast.AugAssign) -> None:
        self._expression(node.value)
        operator = f"__i{_OPERATORS.get(type(node.op).__name__, 'add')}__"
        self._write(OPERATE, self._term(node.target), operator)
        if not isinstance(node.target, ast.Name) or node.target.id in self._shared:
            self._store(node.target, NOTHING)

    def _plain(self, node: ast.expr) -> None:
        """Read a statement that is an expression. The receiver of its call is not used for anything."""
        self._effects(node)
        if isinstance(node, (ast.Yield, ast.Await)):
            self._reads(node, self._term(node.value))
        elif isinstance(node, ast.Call):
            if root_of(self._term(node.func)) not in _REPORTING:
                for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                    self._reads(argument, self._term(argument))
        else:
            self._reads(node, self._term(node))

    # -- expressions

    def _expression(self, node: ast.expr | None) -> Term:
        """Read an expression whose value is used, and return its term."""
        if node is None:
            return NOTHING
        term = self._term(node)
        self._effects(node)
        self._reads(node, term)
        return term

    def _reads(self, node: ast.expr, term: Term) -> None:
        """Note what an expression reads; parts that its term has not are noted on their own."""
        self._read.append(term)
        for part in _unnamed(node):
            self._reads(part, self._term(part))

    def _effects(self, node: ast.AST) -> None:
        """Note what the calls, comprehensions and stores inside an expression do."""
        called: set[int] = set()
        for part in _within(node):
            called.add(id(part.func) if isinstance(part, ast.Call) else 0)
            if isinstance(part, ast.comprehension):
                self._store(part.target, item_of(self._term(part.iter)))
            elif isinstance(part, ast.NamedExpr):
                self._store(part.target, self._term(part.value))
            elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
                if id(part) not in called:
                    self._write(METHOD, self._term(part.value), part.attr)
                self._seen.setdefault(text_of(self._term(part.value)), set()).add(part.attr)
            elif isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load):
                self._write(METHOD, self._term(part.value), "__missing__")
            elif isinstance(part, ast.Call):
                self._call(part)
            elif isinstance(part, ast.Lambda):
                self._term(part)
            elif isinstance(part, (ast.Yield, ast.YieldFrom)) and part.value is not None:
                value = self._term(part.value)
                items = item_of(value) if isinstance(part, ast.YieldFrom) else value
                place = f"{part.lineno}:{part.col_offset}"
                self._returned.append(Term(FRESH, (items,), place, ("*",)))

    def _call(self, node: ast.Call) -> None:
        term = self._term(node)
        if getattr(node.func, "id", "") in ("exec", "eval") and node.args:
            self._execute(node)
        if term.kind == ATTRIBUTE:
            self._write(METHOD, term.owner, term.name)
        if term.kind != CALL:
            return
        self._calls.append(SourceCall(term, self._row, self._branches))
        if traces(node):
            self._traced.append(self._calls[-1])
        name = term.owner.name if term.owner.kind in (NAME, ATTRIBUTE) else None
        if name in _SETTERS:
            self._set_by_name(term, node.args)
            return
        if term.owner.kind == ATTRIBUTE:
            self._write(METHOD, term.owner.owner, term.owner.name, by=term)
        if name in ("getattr", "hasattr") and len(node.args) > 1 and isinstance(node.args[0], ast.Name):
            self._seen.setdefault(node.args[0].id, set()).update(filter(None, [_text(node.args[1])]))
        self._write(METHOD, term.owner, "__call__", by=term)
        for place, argument in enumerate(term.arguments):
            self._write(GIVE, argument, place, by=term)
        for keyword, argument in term.named.items():
            self._write(GIVE, argument, keyword, by=term)

    def _set_by_name(self, call: Term, arguments: list[ast.expr]) -> None:
        """Read ``setattr(x, "name", value)``, or the method that it calls."""
        needed = 1 + (not str(call.owner.name).strip("_").startswith("del"))
        on_object = call.owner.kind == ATTRIBUTE and len(arguments) == needed
        target = call.owner.owner if on_object else self._term(arguments[0]) if arguments else NOTHING
        name = arguments[0 if on_object else 1] if len(arguments) > (not on_object) else None
        if name is not None:
            value = self._term(arguments[-1]) if needed == 2 else NOTHING
            self._write(STORE, target, key_of(name), by=value)

    def _execute(self, call: ast.Call) -> None:
        """Read a text that code executes as if it were code at that place. An unknown text may change anything."""
        text = key_of(call.args[0])
        try:
            tree = ast.parse(text.strip() if isinstance(text, str) else "")
        except SyntaxError:
            return
        if not isinstance(text, str):
            self._write(EXECUTE, NOTHING, None)
        row = self._row
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                node.lineno = node.end_lineno = row  # type: ignore[attr-defined]
        shared = self._shared
        if len(call.args) > 1:
            # In the namespace that it gets, the names are no local ones.
            self._shared = shared | {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self._body(tree.body)
        self._row, self._shared = row, shared

    # -- stores

    def _store(self, target: ast.expr, value: Term) -> None:
        for place, term in bindings(target, value):
            if isinstance(place, ast.Name):
                self._bind_name(place.id, term)
            elif isinstance(place, ast.Attribute):
                self._write(STORE, self._term(place.value), place.attr, by=term)
                self._effects(place.value)
            elif isinstance(place, ast.Subscript):
                key = None if self._term(place).kind == SLICE else key_of(place.slice)
                self._write(PUT, self._term(place.value), key, by=term)
                self._effects(place.value)
                self._expression(place.slice if isinstance(place.slice, ast.expr) else None)

    def _bind_name(self, name: str, value: Term) -> None:
        if name in self._shared:
            self._write(BIND, value, name)
        else:
            self._assigned.setdefault(name, []).append(value)

    def _write(self, kind: str, target: Term, name: Key, by: Term = NOTHING) -> None:
        write = Write(kind, target, name, self._row, self._until, self._missing > 0, by, self._branches)
        if write not in self._writes:
            self._writes.append(write)


_OPERATORS = {
    **{"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv", "Mod": "mod"},
    **{"Pow": "pow", "MatMult": "matmul", "LShift": "lshift", "RShift": "rshift"},
    **{"BitOr": "or", "BitAnd": "and", "BitXor": "xor"},
}


def _parameters(arguments: ast.arguments, term: object) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, Term]]:
    """Return the names of the parameters and of the star parameters, and the default values."""
    plain = [argument.arg for argument in (*getattr(arguments, "posonlyargs", ()), *arguments.args)]
    named = [argument.arg for argument in arguments.kwonlyargs]
    rest = [argument.arg for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    defaults = dict(zip(reversed(plain), reversed(arguments.defaults)))  # noqa: B905 - runs under Python 3.8 too
    defaults.update((name, value) for name, value in zip(named, arguments.kw_defaults) if value is not None)  # noqa: B905
    return (*plain, *named), tuple(rest), {name: term(value) for name, value in defaults.items()}  # type: ignore[operator]


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """Yield an expression and what is inside of it, except the bodies of lambdas."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, (ast.Lambda, *DEFINITIONS)):
            pending += ast.iter_child_nodes(part)


def _unnamed(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of an expression that its term leaves out: operands, conditions, subscripts and the like."""
    if isinstance(node, (ast.Lambda, ast.Name, ast.Constant)):
        return
    if isinstance(node, ast.IfExp):
        yield node.test
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.expr):
        yield node.slice
    elif isinstance(node, ast.BinOp):
        yield from operands(node)
        return
    elif isinstance(node, (ast.UnaryOp, ast.Compare, ast.JoinedStr, ast.Slice)):
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        return
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        for part in node.generators:
            yield from (part.iter, *part.ifs)
        yield from [node.key] if isinstance(node, ast.DictComp) else []
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword):
            child_value: ast.AST = child.value
        else:
            child_value = child
        if isinstance(child_value, ast.expr):
            yield from _unnamed(child_value)


def _only_reports(node: ast.If) -> bool:
    """Whether a condition only prints, checks or raises."""

    def reports(statement: ast.stmt) -> bool:
        if isinstance(statement, (ast.Raise, ast.Pass, ast.Assert)):
            return True
        call = statement.value if isinstance(statement, ast.Expr) else None
        return isinstance(call, ast.Call) and root_of(term_of(call.func, lambda _: -1)) in _REPORTING

    return all(map(reports, (*node.body, *node.orelse)))


def _asks_if_missing(test: ast.expr) -> bool:
    """Whether a condition asks if something is there at all."""
    if isinstance(test, ast.Compare):
        is_none = any(isinstance(part, ast.Constant) and part.value is None for part in test.comparators)
        return isinstance(test.ops[0], ast.NotIn) or (isinstance(test.ops[0], (ast.Is, ast.Eq)) and is_none)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _text(node: ast.AST) -> str:
    value = key_of(node)
    return value if isinstance(value, str) else ""
