"""The pages of rules in Markdown, from the docstrings of their modules."""

from __future__ import annotations

import json
from collections.abc import Iterable

from hybridlint.core.mxnet_messages import MESSAGES
from hybridlint.rule import Rule


def page(rule: Rule) -> str:
    """Return the page of a rule in Markdown."""
    family = rule.family.name.lower().replace("_", " ")
    return (
        f"# {rule.name} ({rule.code})\n\nSeverity: {rule.severity.value}. Family: {family}. "
        f"`# noqa: {rule.code}` at the end of a line silences it there.\n\n"
        f"{fence_examples(rule.page)}\n{_printed(rule)}"
    )


def as_json(rules: Iterable[Rule]) -> str:
    """Return rules with their pages as a JSON list, in the keys of Ruff where it has them."""
    told = [
        {
            "code": rule.code,
            "name": rule.name,
            "summary": rule.summary,
            "linter": "hybridlint",
            "family": rule.family.name.lower().replace("_", "-"),
            "severity": rule.severity.value,
            "default": rule.default,
            "explanation": fence_examples(rule.page),
            "url": rule.url,
        }
        for rule in rules
    ]
    return json.dumps(told, indent=2)


def _printed(rule: Rule) -> str:
    """Return MXNet's error messages for code that a rule finds, so that a search for them finds the page."""
    texts = [message.example for message in MESSAGES if rule.code in message.rules]
    lines = "".join(f"- `{text}`\n" if "`" not in text else f"- {text}\n" for text in texts)
    return f"\nWhere this fails, MXNet prints one of these messages:\n\n{lines}" if texts else ""


def fence_examples(text: str) -> str:
    """Turn the indented examples of a docstring into fenced Python blocks."""
    lines: list[str] = []
    code: list[str] = []
    for line in [*text.split("\n"), "."]:
        if line.startswith("    ") or (code and not line):
            code.append(line[4:])
            continue
        if code:
            blanks = len(code) - len("\n".join(code).rstrip("\n").split("\n"))
            lines += ["```python", *code[: len(code) - blanks], "```", *[""] * blanks]
            code = []
        lines.append(line)
    return "\n".join(lines[:-1]).rstrip()
