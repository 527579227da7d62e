"""Import statements: the names that they bind, of syntax nodes or of a text alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hybridlint.runtime.facts.records import record

_STAR = re.compile(r"import[ \t]*\*")
_STAR_IMPORT = re.compile(r"^[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*\*", re.MULTILINE)

_NAMES = r"(?:[^\n;#\\]|\\\r?\n)+"
#: A statement that imports: the dots, the module and its names, or modules.
_STATEMENT = re.compile(
    rf"(?:^|[;:])[ \t]*(?:from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|{_NAMES})|import[ \t]+({_NAMES}))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"\\\r?\n|#[^\n]*")


@record(frozen=True, slots=True)
class ImportStatement:
    """One imported name: its module, the name inside it (None: the module itself), and the number of leading dots.

    `inner` is the rest of ``import package.inner``, which binds the package.
    """

    module: str
    name: str | None
    level: int = 0
    inner: str = ""

    @property
    def dotted(self) -> str:
        """The full dotted name, without the dots of a relative import."""
        return self.module if self.name is None else f"{self.module}.{self.name}".lstrip(".")


def imports(body: Iterator[ast.AST]) -> Iterator[tuple[str, ImportStatement]]:
    """Yield each name that import statements among the nodes bind, with its `ImportStatement`."""
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first, _, rest = alias.name.partition(".")
                yield (
                    alias.asname or first,
                    ImportStatement(alias.name, None) if alias.asname else ImportStatement(first, None, 0, rest),
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, ImportStatement(node.module or "", alias.name, node.level)


def star_imports(text: str) -> list[ImportStatement]:
    """Return the modules that a text imports with ``import *``, found without parsing."""
    # Most files have none, which a search for a fixed word tells seven times as fast.
    found = _STAR_IMPORT.findall(text) if _STAR.search(text) else []
    return [ImportStatement(dotted, None, len(dots)) for dots, dotted in found]


def imports_in_text(text: str) -> Iterator[ImportStatement]:
    """Yield what a text imports, found without parsing: statements in strings and comments count too."""
    for dots, module, names, modules in _STATEMENT.findall(text):
        for part in (names or modules).strip("() \t\r\n").split(","):
            words = _COMMENT.sub("", part).split()
            if not words:
                continue
            if modules:
                yield ImportStatement(words[0], None)
            else:
                yield ImportStatement(module, None if words[0] == "*" else words[0], len(dots))
