"""Changes rules in small ways, one at a time, and prints the changes that no example and no construct notices.

    python -m tests.mutation [RULE ...]

A rule is named by its code or its name; without one, all are tried, in a minute or two. Comparisons, booleans,
conditions, returns and findings of `rules/*.py` are changed. Each changed rule runs on the examples of its page and on
the constructs of `tests/constructs` that reach the changed statement: all on which the rule finds something, and
the first hundred others. It is noticed if it raises, takes too long, or finds other lines, severities or fixes than
the rule itself. Messages are not compared: a change that shows only in them survives, marked as words. Rules of whole
files have no events of code, and are not tried. The exit status is 2 for a name that is no rule's, and otherwise 0.
"""

from __future__ import annotations

import ast
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
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


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that nothing notices. `words` tells that it changes a message, which is not compared."""

    mutant: Mutant
    words: bool


@dataclass(slots=True)
class Trial:
    """A rule, its source, and the cases that reach each of its statements: whether it finds something in them."""

    rule: Rule
    tree: ast.Module
    reached: dict[int, dict[SourceFile, bool]] = field(default_factory=dict)
    _found: dict[SourceFile, list[Finding]] = field(default_factory=dict)

    def survivors(self) -> tuple[int, list[Survivor]]:
        """Return the number of changes, and those that no case notices."""
        made = list(mutants(self.tree))
        return len(made), [left for left in map(self._left, made) if left is not None]

    def _left(self, mutant: Mutant) -> Survivor | None:
        reaching = self.reached.get(mutant.row, {})
        loud = [source for source, finds in reaching.items() if finds]
        silent = [source for source, finds in reaching.items() if not finds]
        changed = loaded(self.rule, compile(mutant.tree, self.rule.module, "exec"))
        words = False
        for source in (*loud, *silent[:_SILENT]):
            try:
                with _within(_SECONDS):
                    found = analyze_file(source, [changed])
                    if told(found) != told(self._finds(source)):
                        return None
            except Exception:
                return None
            words = words or [f.message for f in found] != [f.message for f in self._finds(source)]
        return Survivor(mutant, words)

    def _finds(self, source: SourceFile) -> list[Finding]:
        if source not in self._found:
            self._found[source] = analyze_file(source, [self.rule])
        return self._found[source]


def trials(rules: Sequence[Rule], sources: Iterable[SourceFile]) -> list[Trial]:
    """Run rules on files once, to see which statements each file reaches."""
    made, marked, rows = [], [], []
    for rule in rules:
        path = sys.modules[rule.module].__file__
        assert path is not None
        made.append(Trial(rule, ast.parse(Path(path).read_text(encoding="utf-8"))))
        rows.append(set[int]())
        code = compile(with_marks(made[-1].tree, _MARK), rule.module, "exec")
        marked.append(loaded(rule, code, **{_MARK: rows[-1].add}))
    for source in sources:
        codes = {finding.rule.code for finding in analyze_file(source, marked)}
        for trial, reached in zip(made, rows, strict=True):
            for row in reached:
                trial.reached.setdefault(row, {})[source] = trial.rule.code in codes
            reached.clear()
    return made


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
    pages = [source for rule in chosen.values() for source in examples(rule)]
    for trial in trials(list(chosen.values()), [*pages, *common]):
        count, left = trial.survivors()
        words = sum(each.words for each in left)
        print(
            f"{trial.rule.code} {trial.rule.name:28} {count:4} changes {len(left):3} survive, {words} of them in words",
            flush=True,
        )
        for each in left:
            print(f"    line {each.mutant.row}: {each.mutant.change}{' (words)' if each.words else ''}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
