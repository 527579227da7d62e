"""What is advertised is what is then fixed: the number behind `[*]`, with the cache and without."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.checking.examples import marks, module_of, section
from hybridlint.fixing.findings_request import Asking, FindingsRequest, run_with_findings
from hybridlint.fixing.loop import FixOutcome, fixing
from hybridlint.fixing.offered_fixes import Allowed, mark_offered
from hybridlint.project.settings.config import Config
from hybridlint.rule import Family, Finding, Rule, all_rules
from hybridlint.text.edits import Applicability, Edit, Fix, FixKind
from hybridlint.text.source import SourceFile

RULE = Rule("hybridlint.rules.for_tests", code="HYB999", summary="for tests")


def fix(source: SourceFile, node: ast.AST, content: str, *, kind: FixKind = FixKind.REPAIR) -> Fix:
    return Fix("m", (Edit(source.span(node), content),), Applicability.SAFE, kind)


def offers(text: str, contents: dict[str, str], *, kind: FixKind = FixKind.REPAIR) -> dict[str, str | None]:
    """Return the applicability of the fix of each name in a text, None where it has no fix."""
    source = SourceFile(Path("x.py"), text)

    def analyze(now: SourceFile) -> Sequence[Finding]:
        nodes = [n for n in ast.walk(now.tree) if isinstance(n, ast.expr) and ast.unparse(n) in contents]
        return [RULE.at(n, ast.unparse(n), fix=fix(now, n, contents[ast.unparse(n)], kind=kind)) for n in nodes]

    def fixer(allowed: Allowed, without: frozenset[str]) -> Asking[FixOutcome]:
        return fixing(source, unsafe=allowed.unsafe, without=without, keep_eager=allowed.keep_eager)

    found = run_with_findings(mark_offered(analyze(source), source, fixer), lambda asked: analyze(asked.source))
    return {f.message: None if f.fix is None else f.fix.applicability.value for f in found}


def test_fixes_that_do_not_meet_are_offered() -> None:
    assert offers("a + b\n", {"a": "c", "b": "d"}) == {"a": "safe", "b": "safe"}


def test_of_fixes_that_meet_those_are_offered_that_repair() -> None:
    assert offers("f(a)\n", {"f(a)": "g(a)", "a": "b"}) == {"f(a)": "safe", "a": "safe"}
    assert offers("f(a)\n", {"f(a)": "g(", "a": "a + a"}) == {"f(a)": "display", "a": "display"}


def test_a_step_that_leads_nowhere_is_not_offered() -> None:
    assert offers("a\n", {"a": "a + 0"}, kind=FixKind.STEP) == {"a": None}


def test_only_the_definitions_in_which_fixes_meet_are_fixed_in_memory() -> None:
    source = SourceFile(Path("x.py"), "def one():\n    f(a)\ndef two():\n    b\ndef three():\n    return one\n")
    texts: set[str] = set()

    def analyze(asked: FindingsRequest) -> Sequence[Finding]:
        texts.add(asked.source.text)
        assert asked.without == {"two"}
        body = ast.Module([node for node in asked.source.tree.body if getattr(node, "name", "") != "two"], [])
        return found(asked.source, body)

    def found(now: SourceFile, tree: ast.AST) -> Sequence[Finding]:
        new = {"f(a)": "g(a)", "a": "c", "b": "d"}
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.expr) and ast.unparse(n) in new]
        return [RULE.at(n, ast.unparse(n), fix=fix(now, n, new[ast.unparse(n)])) for n in nodes]

    def fixer(allowed: Allowed, without: frozenset[str]) -> Asking[FixOutcome]:
        return fixing(source, unsafe=allowed.unsafe, without=without, keep_eager=allowed.keep_eager)

    told = run_with_findings(mark_offered(found(source, source.tree), source, fixer), analyze)
    offered_now = {f.message: f.fix is not None and f.fix.applicability.value for f in told}
    assert offered_now == {"f(a)": "safe", "a": "safe", "b": "safe"}
    assert len(texts) > 1


def test_a_fix_that_loses_a_comment_is_for_display() -> None:
    assert offers("f(  # why\n)\n", {"f()": "g()"}) == {"f()": "display"}


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("rule", [r for r in all_rules() if r.family is not Family.FILE], ids=lambda rule: rule.name)
def test_the_number_behind_the_star_is_the_number_that_is_fixed(rule: Rule, unsafe: bool) -> None:
    data = module_of(marks(section(rule, "Bad"))[0]).text.encode()
    path, config = Path("example.py"), Config(root=Path())
    seen = check(Job(path, data, config))
    after = check(Job(path, data, config, fix=True, unsafe=unsafe))
    fixed = after.fixed
    assert fixed is not None
    marked = Counter(d.code for d in seen.diagnostics if d.fixable(unsafe=unsafe))
    assert marked == Counter(fixed.repaired)
    gone = len(seen.diagnostics) - len(after.diagnostics)
    assert gone == len(fixed.repaired) + fixed.along - fixed.new


STEP = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        rows = x.shape[0]
        return F.slice_axis(x, axis=0, begin=0, end=rows - self.kept)
"""


def test_a_safe_step_is_offered_with_the_unsafe_fix_behind_it() -> None:
    (found,) = check(Job(Path("net.py"), STEP.encode(), Config(root=Path()))).diagnostics
    assert found.hidden_fix
