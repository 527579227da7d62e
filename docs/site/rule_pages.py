"""One page for each rule, from its docstring, its findings on its own example, and what MXNet does."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from docs.make import FAMILIES
from docs.site.evidence import Evidence, by_rule
from hybridlint.checking.examples import Example, marks, module_of, section
from hybridlint.checking.findings import analyze_file
from hybridlint.core.mxnet_message import Message
from hybridlint.core.mxnet_messages import MESSAGES
from hybridlint.report.rule_page import fence_examples
from hybridlint.rule import Family, Finding, Rule, all_rules
from hybridlint.text.edits import level_of

_SECTION = re.compile(r"^(Bad|Good|Measured):$", re.MULTILINE)
_FIXES = {
    "safe": "`--fix` repairs the example below",
    "unsafe": "`--fix --unsafe-fixes` repairs the example below",
    "keep-eager": "none; `--fix --keep-eager` keeps the class of the example below eager",
}
_SEVERITIES = {
    "error": "error: it fails, or silently changes, once hybridized",
    "warning": "warning: it may fail or change once hybridized",
    "info": "info: worth knowing",
    "possible": "possible: it can be proved neither way",
}


class Said(NamedTuple):
    """What the linter says of the bad example of a page."""

    findings: tuple[str, ...]
    level: str | None


def index() -> str:
    """Return the page that lists all rules."""
    known = all_rules()
    tables = "\n".join(_family(family, members) for family, members in groupby(known, key=lambda rule: rule.family))
    names = "\n".join(rule.name for rule in known)
    return (
        f"# Rules\n\n{len(known)} rules. Codes (`HYB101`), beginnings of codes (`HYB1`) and names (`tensor-shape`) "
        f"select and suppress them.\n\n{tables}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )


def _family(family: Family, members: Iterable[Rule]) -> str:
    rows = "\n".join(map(_row, members))
    return f"## {FAMILIES[family]}\n\n| code | name | severity | what |\n| --- | --- | --- | --- |\n{rows}\n"


def _row(rule: Rule) -> str:
    address = f"{rule.name}.md"
    return f"| [{rule.code}]({address}) | [{rule.name}]({address}) | {rule.severity.value} | {_cell(rule.summary)} |"


def page(rule: Rule) -> str:
    """Return the page of a rule."""
    parts = (_head(rule), _example(rule), _measured(rule), _printed(rule), _silencing(rule))
    return "\n".join(part for part in parts if part)


def _head(rule: Rule) -> str:
    prose = _SECTION.split(rule.page, maxsplit=1)[0].rstrip()
    first, _, rest = prose.partition("\n\n")
    rows = [("severity", _SEVERITIES[rule.severity.value])]
    rows += [("family", FAMILIES[rule.family])]
    rows += [("on by default", "yes" if rule.default else f"no: `--extend-select {rule.code}` turns it on")]
    rows += [("fix", _fix(rule))] if runnable(rule) else []
    table = "".join(f"| {name} | {text} |\n" for name, text in rows)
    why = f"## Why\n\n{fence_examples(rest)}\n" if rest else ""
    return f"# {rule.name} ({rule.code})\n\n{first}\n\n| | |\n| --- | --- |\n{table}\n{why}"


def _fix(rule: Rule) -> str:
    level = said_of(rule).level
    return "by hand" if level is None else _FIXES.get(level, "by hand")


def runnable(rule: Rule) -> bool:
    """Whether the examples of a rule's page are code of a block: those of rules about files are files."""
    return rule.family is not Family.FILE


def said_of(rule: Rule) -> Said:
    """Return what the linter says of the rule's own bad example."""
    code, _ = marks(section(rule, "Bad"))
    example = module_of(code)
    shift = example.rows.start - 1 - (code.startswith("# hybridlint: shapes") and "\nclass " not in code)
    findings = analyze_file(example.source, None if rule.default else [rule])
    fixes = [finding.fix for finding in findings if finding.rule is rule and finding.fix is not None]
    level = level_of(fixes[0].kind, fixes[0].applicability) if fixes else None
    return Said(tuple(_told(finding, example, shift) for finding in findings), level)


def _told(finding: Finding, example: Example, shift: int) -> str:
    row, column = example.source.location(example.source.span(finding.node).start)
    help_line = f"\n    help: {finding.help}" if finding.help else ""
    place = f"{row - shift}:{column - example.indent}"
    severity = "note" if finding.severity.value == "info" else finding.severity.value
    return f"{place}: {finding.rule.code} {severity}: {' '.join(finding.message.split())}{help_line}"


def _example(rule: Rule) -> str:
    bad, good = marks(section(rule, "Bad"))[0], section(rule, "Good")
    if not runnable(rule):
        return f"## Example\n\n{_block('python', bad)}\nThis is right:\n\n{_block('python', good)}"
    said = said_of(rule)
    applied = said.level in _FIXES
    intro = "This is what the fix changes:" if applied else "There is no automatic fix for this example. Write instead:"
    after = _block("diff", _difference(bad, good)) if applied else _block("python", good)
    told = _block("text", "\n".join(said.findings))
    link = f'<a href="../playground.html#example={rule.code}">Try it in the playground.</a>\n' if rule.default else ""
    return f"## Example\n\n{_block('python', bad)}\nhybridlint reports:\n\n{told}\n{intro}\n\n{after}\n{link}"


def _difference(bad: str, good: str) -> str:
    lines = difflib.unified_diff(bad.split("\n"), good.split("\n"), n=99, lineterm="")
    return "\n".join(list(lines)[3:])


def _measured(rule: Rule) -> str:
    parts = []
    if rule.code in by_rule() and runnable(rule):
        parts.append(_counts(by_rule()[rule.code]))
    if "\nMeasured:\n" in rule.page:
        code, _, session = section(rule, "Measured").partition("\n\n>>> ")
        parts.append(
            f"This block gives something else once hybridized, and nothing is raised:\n\n{_block('python', code)}"
        )
        parts.append(
            "`eager` and `hybridized` are two such blocks, built alike, on the real MXNet 1.9.1:\n\n"
            + _block("pycon", f">>> {session}")
        )
    return "## What was measured\n\n" + "\n".join(parts) if parts else ""


def _counts(evidence: Evidence) -> str:
    blocks = "one small block" if evidence.blocks == 1 else f"{evidence.blocks} small blocks"
    rest = evidence.blocks - evidence.failed - evidence.silent
    outcomes = [
        f"{number} {what}"
        for number, what in (
            (evidence.failed, "failed once hybridized"),
            (evidence.silent, "silently gave something else"),
            (rest, "gave the same"),
        )
        if number
    ]
    return (
        f"The tests hold {blocks} in which this rule alone finds something, each run on the real MXNet 1.9.1, eagerly "
        f"and hybridized: {', '.join(outcomes)}.\n"
    )


def _printed(rule: Rule) -> str:
    known = list(messages_of(rule))
    texts = by_rule()[rule.code].texts() if rule.code in by_rule() and runnable(rule) else []
    texts = [text for text in texts if all(message.example not in text for message in known)]
    if not known and not texts:
        return ""
    blocks = [f"{_block('text', message.example)}\n{message.meaning}\n" for message in known]
    also = f"Also seen, where only this rule finds something:\n\n{_block('text', chr(10).join(texts))}"
    return (
        "## What MXNet prints\n\n" + "\n".join(blocks) + (f"\n{also}" if texts else "") + "\n"
        "[All messages](../errors.md) are on one page, and `hybridlint explain` reads a whole traceback.\n"
    )


def texts_seen() -> str:
    """Return a list of the texts of errors that measured blocks raised, by the rule that finds the cause."""
    parts = [
        f"### {rule.name}\n\n[{rule.code}](rules/{rule.name}.md)\n\n{_block('text', chr(10).join(texts))}"
        for rule in all_rules()
        if runnable(rule) and rule.code in by_rule() and (texts := by_rule()[rule.code].texts(most=8))
    ]
    return (
        "## Texts that were seen\n\nWhat the real MXNet 1.9.1 raised for the blocks of the tests in which one rule "
        "alone finds something, the most frequent first. Names of nodes, shapes and types are those of the blocks.\n\n"
        + "\n".join(parts)
    )


def messages_of(rule: Rule) -> Iterator[Message]:
    """Yield the messages of MXNet whose cause this rule finds."""
    return (message for message in MESSAGES if rule.code in message.rules)


def _silencing(rule: Rule) -> str:
    settings = (
        f'[tool.hybridlint]\nignore = ["{rule.name}"]  # everywhere\n\n'
        f'[tool.hybridlint.per-file-ignores]\n"legacy/**" = ["{rule.code}"]  # in some files'
    )
    comment = ""
    if runnable(rule):
        comment = f"On one line, with a comment:\n\n{_block('python', silenced_line(rule))}\n"
    return (
        f"## How to silence it\n\n{comment}In the settings:\n\n{_block('toml', settings)}\n"
        "[Suppressing findings](../configuration.md#suppressing-findings) has other ways: a range, a class, a file.\n"
    )


def silenced_line(rule: Rule) -> str:
    """Return the first line of the bad example that the rule finds, with the comment that silences it."""
    code, found = marks(section(rule, "Bad"))
    row = min(row for row, name in found if name == rule.code)
    return f"{code.split(chr(10))[row - 1].strip()}  # noqa: {rule.code}"


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
