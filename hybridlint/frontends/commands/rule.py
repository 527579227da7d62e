"""``hybridlint rule``: the pages of the rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import click

from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands.options import output_format, rule_names
from hybridlint.project.settings.selection import nearest_rule
from hybridlint.report.rule_page import as_json, page
from hybridlint.rule import Rule, all_rules, find_rule


@click.command("rule", short_help="Explain a rule, or list all.")
@click.argument("code", required=False, metavar="[CODE | NAME]", shell_complete=rule_names)
@click.option("--all", "everything", is_flag=True, help="Print the pages of all rules.")
@output_format()
def command(code: str | None, everything: bool, output_format: str) -> int:
    """Print the page of a rule by code or name, or the list of all rules or a code's family.

    In JSON every rule has its page.
    """
    if code and everything:
        raise UsageError("give a rule or --all, not both")
    family = [rule for rule in all_rules() if code and rule.code.startswith(code.upper()) and rule.code != code.upper()]
    rules = all_rules() if code is None else family or [_find(code)]
    if output_format == "json":
        click.echo(as_json(rules))
    elif family or (code is None and not everything):
        click.echo("".join(_list(rules)), nl=False)
    else:
        _show("\n".join(map(page, rules)))
    return 0


def _find(code: str) -> Rule:
    rule = find_rule(code) or find_rule(code.upper())
    if rule is None:
        raise UsageError(f"there is no rule `{code}`; `hybridlint rule` lists them all.{nearest_rule(code)}")
    return rule


def _list(rules: Iterable[Rule]) -> Iterator[str]:
    for rule in rules:
        yield f"{click.style(rule.code, bold=True)}  {rule.name:<32} {rule.summary}\n"


def _show(markdown: str) -> None:
    """Print Markdown, formatted if the output is a terminal."""
    if not sys.stdout.isatty():
        click.echo(markdown, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown))
