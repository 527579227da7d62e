"""``hybridlint server``: the language server of editors, on standard input and output."""

from __future__ import annotations

import click

from hybridlint.errors import UsageError


@click.command("server", short_help="Serve editors (Language Server Protocol).")
def command() -> int:
    """Serve one editor by the Language Server Protocol, on standard input and output, until it ends."""
    try:
        from hybridlint.server.language import create
    except ImportError as error:
        raise UsageError(
            f"the language server needs {error.name}: install it with `pip install 'hybridlint[server]'`"
        ) from error
    create().start_io()
    return 0
