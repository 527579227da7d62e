"""``hybridlint test-rules``: rules of one's own, tried on the examples of their pages."""

from __future__ import annotations

import click

from hybridlint.checking.pipeline import try_rule
from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands import options
from hybridlint.rule import OWN_RULES, own_rules


@click.command("test-rules", short_help="Try rules of your own on their examples.")
@options.own_rules
def command() -> int:
    """Test your own rules on their pages: they find the marked lines under `Bad:`, and their fixes give `Good:`.

    The rules are those of the modules that --rules, or the environment variable HYBRIDLINT_RULES, names. The exit
    status is 1 if a rule differs from its page.
    """
    rules = own_rules()
    if not rules:
        raise UsageError(f"no rules are given: name their modules by `--rules MODULES` or {OWN_RULES}")
    wrong = 0
    for rule in rules:
        found = try_rule(rule)
        wrong += bool(found)
        mark = click.style("wrong", fg="red", bold=True) if found else click.style("right", fg="green")
        click.echo(f"{rule.code} {rule.name}: {mark}")
        for problem in found:
            click.echo("".join(f"    {line}\n" for line in problem.splitlines()), nl=False)
    click.echo(f"{len(rules) - wrong} of {len(rules)} rules do what their pages say.")
    return 1 if wrong else 0
