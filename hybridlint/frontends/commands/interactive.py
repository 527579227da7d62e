"""The questions of ``hybridlint check --fix -i``: each change with its proof, and what is answered."""

from __future__ import annotations

import sys
from collections import Counter

import click

from hybridlint.core.review import Answer, ProposedChange
from hybridlint.report.diff import text_diff
from hybridlint.report.style import show_path

_KEYS = {answer.value[0]: answer for answer in Answer}
_HELP = (
    "y: apply this change\nn: leave it out\na: apply this one and all that follow\n"
    "s: ask about each fix of it\nq: leave this one out and all that follow\n"
)


def ask(shown: ProposedChange) -> Answer:
    """Show a change and return what is answered; the end of the input leaves the rest out."""
    click.echo(_head(shown), err=True)
    click.echo(text_diff(show_path(shown.path), shown.before, shown.after), err=True, nl=False)
    for outcome in shown.proof:
        click.echo(f"{click.style(outcome.status.value, bold=True)}: {outcome.reason}", err=True)
    keys = "y, n, a, s, q, ?" if len(shown.codes) > 1 else "y, n, a, q, ?"
    while True:
        click.echo(f"Apply? [{keys}] ", err=True, nl=False)
        line = sys.stdin.readline()
        if not line:
            click.echo(err=True)
            return Answer.QUIT
        answer = _KEYS.get(line.strip().lower()[:1])
        if answer is not None and (answer is not Answer.SPLIT or len(shown.codes) > 1):
            return answer
        click.echo(_HELP, err=True, nl=False)


def _head(shown: ProposedChange) -> str:
    what = f"class {shown.block}" if shown.block else "outside of classes"
    counted = ", ".join(code if n == 1 else f"{code} ({n} times)" for code, n in sorted(Counter(shown.codes).items()))
    return click.style(f"{show_path(shown.path)}, {what}: {counted}", bold=True)
