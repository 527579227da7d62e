"""CONTRIBUTING.md: it is short, and its recipes do what they say."""

from __future__ import annotations
import __future__

import ast
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import hybridlint
from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import AttributeRead
from hybridlint.report.report_options import ReportOptions
from hybridlint.rules import tensor_transpose
from hybridlint.text.edits import Fix, apply_edits
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import module as source_of

PAGE = Path(hybridlint.__file__).parents[1] / "CONTRIBUTING.md"
#: The most lines that a newcomer is asked to read.
MOST = 220


def _recipes() -> dict[str, str]:
    """Return the first Python of each section that has some, by the section's title."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    code = {text.partition("\n")[0]: re.findall(r"```python\n(.*?)```", text, re.DOTALL) for text in sections}
    return {title: found[0] for title, found in code.items() if found}


def _run(title: str, **names: Any) -> ModuleType:
    module = ModuleType("recipe")
    vars(module).update(names)
    code = compile(_recipes()[title], str(PAGE), "exec", flags=__future__.annotations.compiler_flag)
    exec(code, vars(module))
    return module


def _reads(body: str) -> tuple[SourceFile, list[AttributeRead]]:
    source = source_of(body)
    return source, [event for event in module_events(source) if isinstance(event, AttributeRead)]


def test_it_stays_short() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= MOST


def test_every_recipe_with_code_is_run_below() -> None:
    assert set(_recipes()) == {"A new rule", "A new fixer", "A new output format"}


def test_the_rule_reports_what_its_page_calls_bad() -> None:
    recipe = _run("A new rule", **{**vars(tensor_transpose), "__name__": tensor_transpose.__name__})
    _, reads = _reads("return F.dot(x.T, x)")
    assert [finding.message for event in reads for finding in recipe.check(event)] == ["a Symbol has no `T`"]
    _, right = _reads("return F.dot(x.transpose(), x)")
    assert [finding for event in right for finding in recipe.check(event)] == []


def test_the_fixer_writes_what_it_says() -> None:
    recipe = _run("A new fixer", ast=ast, AttributeRead=AttributeRead, Fix=Fix)
    source, reads = _reads("return x.reshape(y.shape)")
    (fix,) = filter(None, map(recipe.reshape_like, reads))
    assert apply_edits(source.text, fix.edits).endswith("return F.reshape_like(x, y)\n")


def test_the_format_prints_the_codes_of_findings() -> None:
    result = hybridlint.check_source(source_of("return F.dot(x.T, y)").text, "net.py")
    assert _run("A new output format").render([result], ReportOptions()) == "HYB104\n"
