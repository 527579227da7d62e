"""Changes rules in small ways, one at a time, and prints the changes that no example and no construct notices.

    python -m tests.mutation [RULE ...]

A rule is named by its code or its name; without one, all are tried, which takes long. Comparisons, booleans,
conditions, returns and findings of `rules/*.py` are changed. Each changed rule runs on the examples of its page and on
the constructs of `tests/constructs` that reach the changed statement: all on which the rule finds something, and
the first hundred others. It is noticed if it raises, takes too long, or finds other lines, severities or fixes than
the rule itself. Messages are not compared. Rules of whole files have no events of code, and are not tried. The exit
status is 2 for a name that is no rule's, and otherwise 0.
"""

from __future__ import annotations

import ast
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from hybridlint.checking.examples import marks, module_of, section
from hybridlint.checking.findings import analyze_file
from hybridlint.rule import Family, Finding, Rule, all_rules
from hybridlint.text.source import SourceFile
from tests.constructs.sections import constructs

from .mutants import Mutant, mutants, with_marks

#: How many cases without a finding a changed rule runs on, and for how many seconds on each.
_SILENT, _SECONDS = 100, 10
_MARK = "__reached__"


@dataclass(slots=True)
class Trial:
    """A rule, its source, and the cases that reach each of its statements."""

    rule: Rule
    tree: ast.Module
    finds: dict[SourceFile, list[Any]] = field(default_factory=dict)
    reached: dict[int, dict[SourceFile, None]] = field(default_factory=dict)

    @classmethod
    def of(cls, rule: Rule, sources: Iterable[SourceFile]) -> Trial:
        """Run the rule on files."""
        path = sys.modules[rule.module].__file__
        assert path is not None
        trial = cls(rule, ast.parse(Path(path).read_text(encoding="utf-8")))
        rows: set[int] = set()
        marked = loaded(rule, compile(with_marks(trial.tree, _MARK), rule.module, "exec"), **{_MARK: rows.add})
        for source in sources:
            rows.clear()
            trial.finds[source] = told(analyze_file(source, [marked]))
            for row in rows:
                trial.reached.setdefault(row, {})[source] = None
        return trial

    def survivors(self) -> tuple[int, list[Mutant]]:
        """Return the number of changes, and those that no case notices."""
        made = list(mutants(self.tree))
        return len(made), [mutant for mutant in made if not self._notices(mutant)]

    def _notices(self, mutant: Mutant) -> bool:
        reaching = self.reached.get(mutant.row, {})
        loud = [source for source in reaching if self.finds[source]]
        silent = [source for source in reaching if not self.finds[source]]
        changed = loaded(self.rule, compile(mutant.tree, self.rule.module, "exec"))
        return any(self._differs(changed, source) for source in (*loud, *silent[:_SILENT]))

    def _differs(self, changed: Rule, source: SourceFile) -> bool:
        try:
            with _within(_SECONDS):
                return told(analyze_file(source, [changed])) != self.finds[source]
        except Exception:
            return True


def examples(rule: Rule) -> list[SourceFile]:
    """Return the examples of a rule's page."""
    return [module_of(marks(section(rule, name))[0]).source for name in ("Bad", "Good")]


def loaded(rule: Rule, code: CodeType, **names: Any) -> Rule:
    """Return the rule that a module makes which runs in the place of the rule's own."""
    scope = {"__name__": rule.module, "__doc__": sys.modules[rule.module].__doc__, **names}
    exec(code, scope)
    made: Rule = scope["rule"]
    return made


def told(findings: list[Finding]) -> list[Any]:
    """Return what tests compare of findings: places, severities, and what fixes write."""
    return [(f.node.__dict__.get("lineno"), f.severity, f.fix and (f.fix.applicability, f.fix.edits)) for f in findings]


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the main thread after a time."""

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def main(asked: list[str]) -> int:
    """Try the rules that are asked for, and print what survives."""
    known = {key: rule for rule in all_rules() if rule.family is not Family.FILE for key in (rule.code, rule.name)}
    for name in asked:
        if name not in known:
            print(f"{name} is no rule of code: name one as `hybridlint rule` lists it", file=sys.stderr)
            return 2
    chosen = {rule.code: rule for rule in map(known.__getitem__, asked or known)}
    common = [SourceFile(Path(f"{construct.name}.py"), construct.module) for construct in constructs()]
    for rule in chosen.values():
        trial = Trial.of(rule, [*examples(rule), *common])
        count, left = trial.survivors()
        print(f"{rule.code} {rule.name:28} {count:4} changes  {len(left):3} survive", flush=True)
        for mutant in left:
            print(f"    line {mutant.row}: {mutant.change}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
