"""Tests a rule on the examples of its page: it finds the marked code and fixes it as shown."""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.checking.examples import Example, marks, module_of, places, section
from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.rule import Finding, Rule
from hybridlint.text.edits import Applicability
from hybridlint.text.source import SourceError, SourceFile


def problems(rule: Rule) -> list[str]:
    """Return a sentence for each way in which a rule differs from its page."""
    try:
        code, expected = marks(section(rule, "Bad"))
        bad, good = module_of(code), module_of(section(rule, "Good"))
        # A declaration of shapes stands above the function that the example becomes the body of.
        above = int(code.startswith("# hybridlint: shapes") and "\nclass " not in code)
        marked = {(row - above, name) for row, name in expected if name == rule.code}
        return list(_problems(rule, bad, good, marked))
    except (ValueError, SyntaxError) as error:
        return [str(error)]
    except SourceError as error:
        return [f"an example does not parse: {error}"]


def _problems(rule: Rule, bad: Example, good: Example, expected: set[tuple[int, str]]) -> Iterator[str]:
    def found_in(source: SourceFile) -> list[Finding]:
        return analyze_file(source, [rule])

    findings = found_in(bad.source)
    found = places(bad, findings)
    if not expected:
        yield f"no line of the example `Bad:` is marked with `  # {rule.code}`"
    for row, _ in sorted(expected - found):
        yield f"line {row} of `Bad:` is marked, and nothing is found there"
    for row, _ in sorted(found - expected):
        yield f"line {row} of `Bad:` is not marked, and something is found there"
    for row, _ in sorted(places(good, found_in(good.source))):
        yield f"line {row} of `Good:` is good, and something is found there"
    if not any(f.fix is not None and f.fix.applicability is not Applicability.DISPLAY for f in findings):
        return
    outcome = fix_source(bad.source, found_in, unsafe=True, keep_eager=True)
    fixed, wanted = bad.taken_from(outcome.source.text), good.taken_from(good.text)
    if fixed != wanted:
        yield f"fixing `Bad:` gives\n\n{fixed}\n\nand not what stands under `Good:`"
