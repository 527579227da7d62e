"""All that pyproject.toml cannot say: what an earlier build has left behind is no part of this one.

Rules and operators are found by walking their packages, so that a module which was deleted since must not come back.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class FreshBuild(build_py):
    """Copies the modules into an empty folder."""

    def run(self) -> None:
        """Empty the folder, then build."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib, "hybridlint"), ignore_errors=True)
        super().run()


setup(cmdclass={"build_py": FreshBuild})
