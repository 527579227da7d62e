"""The fixes as a libcst codemod: ``python -m libcst.tool codemod -x hybridlint.codemod.FixCommand PATH ...``.

libcst's tool finds and writes the files. The findings and fixes are those of ``hybridlint check --fix``, with the same
project settings and suppression comments.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession


class FixCommand(CodemodCommand):
    """Apply hybridlint's safe fixes to Gluon code, and the unsafe ones where that is asked for."""

    DESCRIPTION = "Rewrite Gluon code that fails, or silently changes, once a block is hybridized."

    def __init__(self, context: CodemodContext, unsafe_fixes: bool = False, verify: bool = False) -> None:
        super().__init__(context)
        self.pipeline = Pipeline(
            CheckSession(use_cache=False), PipelineSteps(fix=True, unsafe=unsafe_fixes, prove=verify)
        )

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Add the options ``--unsafe-fixes`` and ``--verify``."""
        text = "apply fixes too that rest on a guess of what an argument is"
        arg_parser.add_argument("--unsafe-fixes", action="store_true", help=text)
        text = "run the project's code, in a sandbox, and take back the fixes that running refutes"
        arg_parser.add_argument("--verify", action="store_true", help=text)

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Return the fixed module. Raises SkipFile if hybridlint cannot read the file."""
        path = Path(self.context.filename or "module.py")
        [result] = self.pipeline.of_text(path, tree.bytes).results
        if result.failure is not None:
            raise SkipFile(f"hybridlint: {result.failure}")
        fixed = result.fixed
        if fixed is None or not fixed.changed:
            return tree
        for drop in fixed.dropped:
            self.warn(f"line {drop.row_before}: {drop.code} is not fixed: {drop.reason}")
        return cst.parse_module(fixed.after.encode(fixed.encoding))
