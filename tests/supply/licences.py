"""Writes the table of licences in docs/releasing.md from what the newest packages say of themselves.

    python -m tests.supply.licences [--check]

What `pyproject.toml` names is installed in an environment of its own, without what it needs in turn. With `--check`
nothing is written, and the exit status is 1 if the table is another one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "releasing.md"
#: Extras of those who work on it; what users install is listed with its licence.
OURS = {"test", "docs", "browser"}
#: What older metadata says, as the expression that newer metadata would have.
_CLASSIFIED = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
_HEAD = "| package | licence | for |\n|---|---|---|\n"
#: Run in the other environment: the names are arguments.
_READ = """
import json, sys
from importlib.metadata import metadata
told = {name: metadata(name) for name in sys.argv[1:]}
print(json.dumps({name: [m.get("License-Expression"), m.get_all("Classifier") or []] for name, m in told.items()}))
"""


def project() -> Any:
    """Return the table `project` of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def uses(told: Any) -> dict[str, str]:
    """Return what users install, by name: when it is needed."""
    found: dict[str, str] = {}
    for requirement in told["dependencies"]:
        marker = requirement.partition(";")[2].strip()
        found[name_of(requirement)] = f"`{marker}`" if marker else "always"
    for extra, requirements in told["optional-dependencies"].items():
        if extra not in OURS:
            found.update((name_of(each), f"`[{extra}]`") for each in requirements)
    return found


def name_of(requirement: str) -> str:
    """Return the name of the package that a requirement asks for."""
    return re.split(r"[<>=\[; ]", requirement)[0].lower()


def licence(name: str, expression: str | None, classifiers: list[str]) -> str:
    """Return a package's licence. Raises SystemExit with a sentence where its metadata has none that is known."""
    if expression:
        return expression
    named = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")]
    if not named or any(each not in _CLASSIFIED for each in named):
        raise SystemExit(f"the licence of {name} is not clear from {named}: read it, and add it to _CLASSIFIED")
    return " OR ".join(_CLASSIFIED[each] for each in named)


def table(needed: Mapping[str, str], licences: Mapping[str, str]) -> str:
    """Return the table of the page."""
    return _HEAD + "".join(f"| {name} | {licences[name]} | {when} |\n" for name, when in needed.items())


def written(page: str) -> str:
    """Return the table that a page has."""
    found = re.search(re.escape(_HEAD) + r"(?:\|.*\n)*", page)
    if found is None:
        raise SystemExit(f"{PAGE.name} has no table of licences: write its head, {_HEAD.splitlines()[0]}")
    return found[0]


def main(arguments: list[str]) -> int:
    """Install, read, and write or compare."""
    needed = uses(project())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *needed], check=True)
        told = json.loads(subprocess.run([python, "-c", _READ, *needed], check=True, capture_output=True).stdout)
    page = PAGE.read_text(encoding="utf-8")
    now = table(needed, {name: licence(name, *says) for name, says in told.items()})
    if "--check" in arguments:
        print("The table of licences is up to date." if written(page) == now else f"The table should be:\n{now}")
        return int(written(page) != now)
    PAGE.write_text(page.replace(written(page), now), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
