"""The fixes as a codemod of libcst: ``python -m libcst.tool codemod -x hybridlint.codemod.FixCommand PATH ...``.

libcst's tool finds the files and writes them. What is found and fixed is what ``hybridlint check --fix`` would, by the
settings of the project that a file belongs to, and with its comments that silence findings.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from hybridlint.checking.session import Session


class FixCommand(CodemodCommand):
    """Apply hybridlint's safe fixes to Gluon code, and the unsafe ones where that is asked for."""

    DESCRIPTION = "Rewrite Gluon code that fails, or silently changes, once a block is hybridized."

    def __init__(self, context: CodemodContext, unsafe_fixes: bool = False) -> None:
        super().__init__(context)
        self.session = Session(fix=True, unsafe=unsafe_fixes, use_cache=False)

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Add the option that hybridlint itself has."""
        text = "apply fixes too that rest on a guess of what an argument is"
        arg_parser.add_argument("--unsafe-fixes", action="store_true", help=text)

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Return the module after the fixes. Raises SkipFile where hybridlint cannot read the file."""
        path = Path(self.context.filename or "module.py")
        result = self.session.check_text(path, tree.bytes)
        if result.failure is not None:
            raise SkipFile(f"hybridlint: {result.failure}")
        fixed = result.fixed
        if fixed is None or fixed.before == fixed.after:
            return tree
        for drop in fixed.dropped:
            self.warn(f"line {drop.row_before}: {drop.code} is not fixed: {drop.reason}")
        return cst.parse_module(fixed.after.encode(fixed.encoding))
