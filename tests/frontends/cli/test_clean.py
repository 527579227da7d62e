"""``hybridlint clean``: caches go, and nothing else does."""

from __future__ import annotations

import os

from .conftest import CommandLine


def test_caches_below_the_folder_go(cli: CommandLine) -> None:
    cli.write("pyproject.toml", "[tool.hybridlint]\n")
    cli.write("net.py", "from mxnet.gluon import HybridBlock\n")
    cli("check")
    assert (cli.folder / ".hybridlint_cache").is_dir()
    elsewhere = cli.write("elsewhere/kept.txt", "kept")
    cli.write("inner/net.py", "")
    os.symlink(elsewhere.parent, cli.folder / "inner" / ".hybridlint_cache")
    outcome = cli("clean")
    assert (outcome.status, outcome.out) == (0, "Removed 1 cache.\n")
    assert not (cli.folder / ".hybridlint_cache").exists()
    assert elsewhere.exists()
