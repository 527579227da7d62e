"""A command whose help page lists its many options under titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


class GroupedCommand(click.Command):
    """A command with `groups`: titles, and the names of the parameters that the help page lists under each."""

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, each under its title; those that no group names come last."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        shown = ((option.name or "", option.get_help_record(ctx)) for option in options)
        left = {name: row for name, row in shown if row is not None}
        for title, names in self.groups.items():
            if rows := [left.pop(name) for name in names if name in left]:
                with formatter.section(title):
                    formatter.write_dl(rows)
        with formatter.section("Other options"):
            formatter.write_dl(list(left.values()))
