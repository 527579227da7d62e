"""The base of all rules: a code, a name, a documentation page, and pure handlers of semantic events."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from hybridlint.runtime.facts.records import record, replace

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import CallSite, Event
    from hybridlint.text.edits import Fix
    from hybridlint.text.source import SourceFile

HOME_URL = "https://github.com/hybridlint/hybridlint"
DOCS_URL = f"{HOME_URL}/blob/main/docs/rules.md"

#: The environment variable that names modules with rules of one's own, separated by commas.
OWN_RULES = "HYBRIDLINT_RULES"
#: A code, or the beginning of one.
CODE = re.compile(r"[A-Z]{3}\d*")

E = TypeVar("E", bound="Event")


class Severity(Enum):
    """The certainty of a finding: an *error* fails or silently changes once hybridized, a *warning* may.

    *possible* marks findings that the analysis can neither prove nor refute. They are shown only on request, and
    running the block decides them.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    POSSIBLE = "possible"


class Family(Enum):
    """The families of rules, by the hundreds digit of the code. A code is never reused."""

    FILE = 0
    ATTRIBUTES = 1
    SUBSCRIPTS = 2
    ARITHMETIC = 3
    CONTROL_FLOW = 4
    FUNCTIONS = 5
    FROZEN = 6
    SIDE_EFFECTS = 7
    CLASSES = 8
    EXPORT = 9


#: Families of what runs once, at the trace.
_SILENT = frozenset({Family.FROZEN, Family.SIDE_EFFECTS})


@record(frozen=True, slots=True)
class CalleeFinding:
    """What a rule found in a function of another file, and the calls that lead there, outermost first."""

    source: SourceFile
    node: ast.AST
    message: str
    calls: tuple[CallSite, ...]


@record(frozen=True, slots=True)
class Finding:
    """One place where a rule applies. The span of `node` is underlined."""

    rule: Rule
    node: ast.AST
    message: str
    severity: Severity
    fix: Fix | None = None
    #: Makes the fix of a finding that is rarely asked for, whose `fix` is None until then.
    later: Callable[[], Fix | None] | None = None
    #: What to do if there is no fix, or in addition to it.
    help: str | None = None
    #: Other places that explain the finding: (node, what happens there).
    notes: tuple[tuple[ast.AST, str], ...] = ()
    #: If the place is in a called function: the calls in this file that lead to it, outermost first.
    calls: tuple[CallSite, ...] = ()
    #: The place of the problem if it is in another file; `node` is then the call in this file that leads there.
    callee: CalleeFinding | None = None
    #: A fix of last resort, tried where `fix` is a step after which no other fix applies, or is not permitted.
    otherwise: Fix | None = None

    def ways(self) -> Iterator[Finding]:
        """Yield the finding with each of its fixes, the last resort last."""
        yield self
        if self.otherwise is not None:
            yield replace(self, fix=self.otherwise, otherwise=None)


class Rule:
    """A rule, created once at the top of its module. The module's docstring is the rule's page.

    The readable name comes from the module's name: ``rules/tensor_shape.py`` gives ``tensor-shape``. A rule that is not
    a `default` one is used only if its code or its name selects it. `needs_values` means that a finding without a fix
    keeps a block from becoming hybrid: it computes with the numbers in its tensors, which a graph does not have. Rules
    with the same `topic` give one finding for a place: what raises hides what is silent. `url` is the address of the
    page of a rule that is not hybridlint's own. `eager` means that the code is wrong eagerly too, so that a fix is
    worth its change in a block that does not compile.
    """

    def __init__(
        self,
        module: str,
        *,
        code: str,
        summary: str,
        severity: Severity = Severity.ERROR,
        default: bool = True,
        needs_values: bool = False,
        topic: str | None = None,
        url: str | None = None,
        eager: bool = False,
    ) -> None:
        self.module = module
        self._url = url
        self.code = code
        self.summary = summary
        self.severity = severity
        self.default = default
        self.needs_values = needs_values
        self.topic = topic or code
        self.eager = eager
        self.name = module.rpartition(".")[2].replace("_", "-")
        self.handlers: list[tuple[type[Event], Callable[..., Iterable[Finding]]]] = []

    @property
    def family(self) -> Family:
        """The family of the rule's code."""
        return Family(int(self.code[3]))

    @property
    def url(self) -> str:
        """The address of the rule's page."""
        if self._url is not None or not self.code.startswith("HYB"):
            return self._url or HOME_URL
        return f"{DOCS_URL}#{self.name}-{self.code.lower()}"

    @property
    def page(self) -> str:
        """The rule's documentation: the docstring of its module."""
        return inspect.cleandoc(importlib.import_module(self.module).__doc__ or "")

    @property
    def silent(self) -> bool:
        """Whether findings of the rule may change a result without raising. Its page then has a measured example."""
        page = getattr(sys.modules.get(self.module), "__doc__", None) or ""
        return self.family in _SILENT or "\nMeasured:\n" in page

    def selected_by(self, selector: str) -> bool:
        """Whether a selector includes the rule: ``ALL``, a code, a prefix of one (``HYB3``), or a readable name."""
        if selector in {self.code, self.name}:
            return True
        return self.default and (
            selector == "ALL" or (bool(CODE.fullmatch(selector)) and self.code.startswith(selector))
        )

    def on(self, kind: type[E]) -> Callable[[Callable[[E], Iterable[Finding]]], Callable[[E], Iterable[Finding]]]:
        """Register the decorated function as the handler of one kind of event."""

        def subscribe(handler: Callable[[E], Iterable[Finding]]) -> Callable[[E], Iterable[Finding]]:
            self.handlers.append((kind, handler))
            return handler

        return subscribe

    def at(
        self,
        node: ast.AST,
        message: str,
        *,
        fix: Fix | None = None,
        later: Callable[[], Fix | None] | None = None,
        severity: Severity | None = None,
        help: str | None = None,  # noqa: A002
        notes: tuple[tuple[ast.AST, str], ...] = (),
        otherwise: Callable[[], Fix | None] | None = None,
    ) -> Finding:
        """Create a finding of this rule. `otherwise` makes the fix of last resort, asked for if `fix` is no repair.

        A fix that names a safer one has that as the last resort.
        """
        found = Finding(self, node, message, severity or self.severity, fix, help=help, notes=notes, later=later)
        if fix is not None and fix.safer is not None:
            return replace(found, otherwise=fix.safer)
        if otherwise is None or not (fix is None or fix.kind.is_tentative):
            return found
        return replace(found, fix=otherwise()) if fix is None else replace(found, otherwise=otherwise())


@cache
def all_rules() -> tuple[Rule, ...]:
    """Load every rule of `hybridlint.rules`, and the user's own, sorted by code.

    Raises TypeError if a module has no rule or two rules share a code.
    """
    rules: dict[str, Rule] = {}
    for rule in (*map(_rule_of, _modules(importlib.import_module("hybridlint.rules"))), *own_rules()):
        if rule.code in rules:
            raise TypeError(f"{rule.code} is the code of {rules[rule.code].name} and of {rule.name}")
        rules[rule.code] = rule
    return tuple(rules[code] for code in sorted(rules))


@cache
def own_rules() -> tuple[Rule, ...]:
    """Load the rules that the environment variable `OWN_RULES` names: those of modules, packages, or entry points.

    Raises ImportError for a name that leads nowhere, and TypeError for a module without a rule or with a wrong code.
    """
    found = tuple(_rule_of(module) for module in _own_modules() if hasattr(module, "rule"))
    for rule in found:
        if not re.fullmatch(r"(?!HYB|ALL)[A-Z]{3}\d{3}", rule.code):
            raise TypeError(
                f"{rule.module} has the code {rule.code!r}: three capitals, not HYB, and three digits make one"
            )
    return found


@cache
def own_operators() -> Mapping[str, str]:
    """Return the operators that the modules of the user's own rules declare as `operators`: name -> shapes.

    Raises ImportError as `own_rules` does, and TypeError for what is no dictionary of texts.
    """
    found: dict[str, str] = {}
    for module in _own_modules():
        declared = getattr(module, "operators", {})
        texts = isinstance(declared, dict) and all(isinstance(part, str) for item in declared.items() for part in item)
        if not texts:
            raise TypeError(f"`operators` of {module.__name__} is no dictionary from names to shapes, both as strings")
        found |= declared
    return found


@cache
def _own_modules() -> tuple[ModuleType, ...]:
    names = [name.strip() for name in os.environ.get(OWN_RULES, "").split(",") if name.strip()]
    found = tuple(module for name in names for module in _modules(_module(name)))
    for module in found:
        if not hasattr(module, "rule") and not hasattr(module, "operators"):
            raise TypeError(f"{module.__name__} defines neither a `rule` nor `operators`")
    return found


def own_rules_digest() -> str:
    """Return a text that changes with the user's own rules and operators; "" without any."""
    files = (getattr(module, "__file__", None) for module in _own_modules())
    states = ((file, os.stat(file)) for file in files if file is not None)
    return " ".join(f"{file} {state.st_mtime_ns} {state.st_size}" for file, state in states)


def _module(name: str) -> ModuleType:
    """Import a module by its dotted path, from the current folder too, or by the name of an entry point."""
    folder = os.getcwd()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in {name, name.partition(".")[0]}:
            raise
    # Last among the places of modules, so that no file of a project stands for one of Python's.
    sys.path.append(folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        from importlib.metadata import entry_points

        found = [entry for entry in entry_points(group="hybridlint.rules") if entry.name == name]
        if not found:
            raise ImportError(f"`{name}` is no module, and no entry point of `hybridlint.rules`: {error}") from error
        module: ModuleType = found[0].load()
        return module
    finally:
        sys.path.remove(folder)


def _modules(module: ModuleType) -> Iterator[ModuleType]:
    """Yield a module, or all modules of a package."""
    if not hasattr(module, "__path__"):
        yield module
        return
    for info in pkgutil.iter_modules(module.__path__, module.__name__ + "."):
        yield importlib.import_module(info.name)


def _rule_of(module: ModuleType) -> Rule:
    rule = getattr(module, "rule", None)
    if not isinstance(rule, Rule):
        raise TypeError(f"{module.__name__} defines no `rule`")
    return rule


@cache
def default_rules() -> tuple[Rule, ...]:
    """Return the rules that are used where none is selected."""
    return tuple(rule for rule in all_rules() if rule.default)


def find_rule(code_or_name: str) -> Rule | None:
    """Return the rule with this code or readable name, or None."""
    return next((r for r in all_rules() if code_or_name in {r.code, r.name}), None)


def matching(selector: str) -> Iterator[Rule]:
    """Yield the rules that a selector includes."""
    return (rule for rule in all_rules() if rule.selected_by(selector))
