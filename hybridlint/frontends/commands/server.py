"""``hybridlint server``: the language server of editors, on standard input and output."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO, cast

import click

from hybridlint.core.errors import UsageError


@click.command("server", short_help="Serve editors (Language Server Protocol).")
def command() -> int:
    """Serve one editor by the Language Server Protocol, on standard input and output, until it ends."""
    try:
        from hybridlint.frontends.server.bounded_input import BoundedInput
        from hybridlint.frontends.server.language_server import create
    except ImportError as error:
        raise UsageError(
            f"the language server needs {error.name}: install it with `pip install 'hybridlint[server]'`"
        ) from error
    # The server closes its streams when it ends; those of the process are still flushed then.
    messages = BoundedInput(os.fdopen(os.dup(sys.stdin.fileno()), "rb"))
    create().start_io(cast("BinaryIO", messages), os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    return 0
