"""Finds the packages of the four parts, builds them into an empty folder, and describes them to package indexes.

pyproject.toml can find packages below one folder only. The parts beside `hybridlint/` become its sub-packages.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

PARTS = ("fixers", "rules", "runtime")


class FreshBuild(build_py):
    """Copies the modules into an empty folder.

    Rules and operators are found by walking their packages: a module that was deleted since the last build must not
    come back.
    """

    def run(self) -> None:
        """Empty the folder, then build."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib, "hybridlint"), ignore_errors=True)
        super().run()


def packages_below(folder: str, package: str, exclude: tuple[str, ...] = ()) -> list[str]:
    """Return the package of a folder and those below it."""
    return [package, *(f"{package}.{name}" for name in find_packages(folder, exclude=exclude))]


def description() -> str:
    """Return the README with links that lead somewhere on a package index too, which shows it beside no files."""
    home = "https://github.com/hybridlint/hybridlint"
    text = Path("README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\1{home}/raw/main/", text)
    return re.sub(r"(?<!!)(\[[^\]]*\]\()(?!https?:|#)", rf"\1{home}/blob/main/", text)


# The links `hybridlint/rules` and their like would be found as packages, too.
links = tuple(pattern for part in PARTS for pattern in (part, f"{part}.*"))
packages = packages_below("hybridlint", "hybridlint", exclude=links)
for part in PARTS:
    packages += packages_below(part, f"hybridlint.{part}")

setup(
    packages=packages,
    cmdclass={"build_py": FreshBuild},
    long_description=description(),
    long_description_content_type="text/markdown",
)
