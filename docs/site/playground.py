"""What the playground loads: the wheel of this checkout, and settings that say where Python and libcst are."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from docs.site import rule_pages
from docs.site.plan import ROOT
from docs.site.pyodide import PYODIDE
from hybridlint.checking.examples import marks, module_of, section
from hybridlint.rule import all_rules

#: Pyodide with Python 3.13. Its distribution has libcst, the only library that a check with fixes imports.
CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
#: What is read of a local distribution of Pyodide, besides the packages.
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
PACKAGES = ("libcst",)


def add_playground(static: Path, pyodide: Path | None) -> None:
    """Write what the playground loads into the folder of static files.

    With the folder of a distribution of Pyodide, the site holds Python itself and needs no other server.
    """
    base = CDN if pyodide is None else _copied(pyodide, static / "pyodide")
    archives = [_wheel(static), _installed("click", static)]
    settings = {"pyodide": base, "packages": PACKAGES, "archives": archives, "examples": examples()}
    (static / "playground.json").write_text(json.dumps(settings), encoding="utf-8")


def examples() -> dict[str, str]:
    """Return the texts that the playground offers by their names: the README's example, and one of each rule."""
    first = (ROOT / "examples" / "attention_pooling.py").read_text(encoding="utf-8")
    found = {"attention pooling": first}
    for rule in all_rules():
        if rule_pages.runnable(rule) and rule.default:
            found[f"{rule.name} ({rule.code})"] = _tidied(module_of(marks(section(rule, "Bad"))[0]).text)
    return found


def _tidied(text: str) -> str:
    """Return a module whose imports are those that it uses."""
    tree = ast.parse(text)
    body = [node for node in tree.body if not _keeps_imports(node)]
    used = {node.id for top in body for node in ast.walk(top) if isinstance(node, ast.Name)}
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in imports:
        node.names = [name for name in node.names if (name.asname or name.name) in used]
    rest = next(node for node in body if node not in imports)
    first = min([rest.lineno, *(decorator.lineno for decorator in getattr(rest, "decorator_list", []))])
    head = "\n".join(ast.unparse(node) for node in imports if node.names)
    return f"{head}\n\n\n" + "\n".join(text.split("\n")[first - 1 :])


def _keeps_imports(node: ast.stmt) -> bool:
    """Whether a statement is the one of the examples that keeps all imports in use."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "IMPORTED"


def _copied(source: Path, target: Path) -> str:
    lock = json.loads((source / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted, names = list(PACKAGES), list(CORE)
    while wanted:
        about = lock[wanted.pop()]
        names.append(about["file_name"])
        wanted += about["depends"]
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        if not (source / name).is_file():
            raise FileNotFoundError(f"{source} has no {name}: unpack a full distribution of Pyodide there")
        shutil.copy(source / name, target)
    return "pyodide/"


def _installed(name: str, static: Path) -> str:
    """Pack an installed package of plain Python beside the site, and return the name of the archive."""
    package = importlib.util.find_spec(name)
    assert package is not None
    assert package.origin is not None
    file = f"{name}-{importlib.metadata.version(name)}.zip"
    with zipfile.ZipFile(static / file, "w", zipfile.ZIP_DEFLATED) as archive:
        for module in sorted(Path(package.origin).parent.rglob("*.py")):
            archive.write(module, Path(name, module.relative_to(Path(package.origin).parent)))
    return file


def _wheel(static: Path) -> str:
    """Make the wheel of the checkout from a copy, which no build can leave anything in; return its name."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "source"), Path(folder, "out")
        for part in ("hybridlint", "rules", "fixers", "runtime"):
            shutil.copytree(ROOT / part, source / part, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, source)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(source)]
        subprocess.run(command, check=True)
        [wheel] = out.glob("*.whl")
        shutil.copy(wheel, static)
        return wheel.name
