"""What a rule is: a code, a name, a page, and pure handlers of semantic events."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import CallSite, Event
    from hybridlint.text.edits import Fix
    from hybridlint.text.source import SourceFile

DOCS_URL = "https://github.com/hybridlint/hybridlint/blob/main/docs/rules.md"

E = TypeVar("E", bound="Event")


class Severity(Enum):
    """How sure and how bad: *error* will fail or silently change once hybridized, *warning* may.

    *possible* is what cannot be proved either way: it is told on demand only, and running the block settles it.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    POSSIBLE = "possible"


class Family(Enum):
    """The hundreds of rule codes. A code is never reused."""

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


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a rule applies. `node` gives the span that is underlined."""

    rule: Rule
    node: ast.AST
    message: str
    severity: Severity
    fix: Fix | None = None
    #: What a person should do where there is no fix, or beside it.
    help: str | None = None
    #: Other places that explain it: (node, what happens there).
    notes: tuple[tuple[ast.AST, str], ...] = ()
    #: The calls in this file that lead to it, outermost first, where the place is in a function that others call.
    calls: tuple[CallSite, ...] = ()
    #: Where in another file it happens; `node` is then the call in this file that leads there.
    elsewhere: tuple[SourceFile, ast.AST] | None = None


class Rule:
    """A rule, made once at the top of its module; the module's docstring is its page.

    The readable name is the module's name: ``rules/tensor_shape.py`` is ``tensor-shape``.
    """

    def __init__(self, module: str, *, code: str, summary: str, severity: Severity = Severity.ERROR) -> None:
        self.module = module
        self.code = code
        self.summary = summary
        self.severity = severity
        self.name = module.rpartition(".")[2].replace("_", "-")
        self.handlers: list[tuple[type[Event], Callable[..., Iterable[Finding]]]] = []

    @property
    def family(self) -> Family:
        """The family that the code belongs to."""
        return Family(int(self.code[3]))

    @property
    def url(self) -> str:
        """Address of the rule's page."""
        return f"{DOCS_URL}#{self.name}-{self.code.lower()}"

    @property
    def page(self) -> str:
        """The rule's documentation: the docstring of its module."""
        return inspect.cleandoc(importlib.import_module(self.module).__doc__ or "")

    def meant_by(self, selector: str) -> bool:
        """Whether a selector means the rule: ``ALL``, a code, the beginning of one (``HYB3``), or a readable name."""
        return selector in {"ALL", self.name} or (selector.startswith("HYB") and self.code.startswith(selector))

    def on(self, kind: type[E]) -> Callable[[Callable[[E], Iterable[Finding]]], Callable[[E], Iterable[Finding]]]:
        """Subscribe the decorated handler to a kind of event."""

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
        severity: Severity | None = None,
        help: str | None = None,  # noqa: A002
        notes: tuple[tuple[ast.AST, str], ...] = (),
    ) -> Finding:
        """Make a finding of this rule."""
        return Finding(self, node, message, severity or self.severity, fix, help, notes)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Load every rule of `hybridlint.rules`, by code.

    Raises TypeError where a module has no rule or a code stands twice.
    """
    package = importlib.import_module("hybridlint.rules")
    rules: dict[str, Rule] = {}
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        rule = getattr(importlib.import_module(info.name), "rule", None)
        if not isinstance(rule, Rule):
            raise TypeError(f"{info.name} defines no `rule`")
        if rule.code in rules:
            raise TypeError(f"{rule.code} is the code of {rules[rule.code].name} and of {rule.name}")
        rules[rule.code] = rule
    return tuple(rules[code] for code in sorted(rules))


def find_rule(code_or_name: str) -> Rule | None:
    """Return the rule with this code or readable name."""
    return next((r for r in all_rules() if code_or_name in {r.code, r.name}), None)


def matching(selector: str) -> Iterator[Rule]:
    """Iterate over the rules that a selector means."""
    return (rule for rule in all_rules() if rule.meant_by(selector))
