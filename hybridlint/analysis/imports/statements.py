"""Import statements: the names that they bind, of syntax nodes or of a text alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

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
_IMPORT = "import"
#: The word by itself: no part of another one, as of ``absolute_import`` or ``importlib``.
_WORD = re.compile(r"\bimport\b")
#: What stands before the word in ``from module import``, and what it may import.
_FROM = re.compile(r"\bfrom\b((?:[\w. \t\f]|\\\n)*)$")
_IMPORTED = re.compile(r"\b(?:[ \t\f]|\\\n)*(\((?:[^)#]|#[^\n]*)*\)|(?:[^\n;#\\]|\\\n)*)")
_AROUND_DOTS = re.compile(r"\s*\.\s*")


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


def possible_imports(text: str) -> Iterator[tuple[str, int]] | None:
    """Return the dotted names, with their leading dots, of all that a text may import, found without parsing.

    Words in strings and comments may add some; none is left out. None for a text that only its syntax tells.
    """
    if "\r" in text:
        return None
    found: list[tuple[str, str]] = []
    at = text.find(_IMPORT)
    while at >= 0:
        begin, end = text.rfind("\n", 0, at), at + len(_IMPORT)
        while begin > 0 and text[begin - 1] == "\\":
            begin = text.rfind("\n", 0, begin)
        base, names = _FROM.search(text, begin + 1, at), _IMPORTED.match(text, end)
        is_word = _WORD.match(text, at) is not None
        at = text.find(_IMPORT, end)
        if is_word and names is not None:
            # What follows one word may hold another, which begins a statement of its own.
            if _WORD.search(names[1]) or not names[1].isascii() or not (base is None or base[1].isascii()):
                return None
            found.append(("" if base is None else base[1], names[1]))
    return _possible_names(found)


def _possible_names(matches: Sequence[tuple[str, str]]) -> Iterator[tuple[str, int]]:
    for base, names in matches:
        # Without the blanks that Python allows around its dots.
        dotted = "".join(base.replace("\\", " ").split())
        module = dotted.lstrip(".")
        level = len(dotted) - len(module)
        if dotted:
            yield module, level
        for part in _COMMENT.sub(" ", names).strip("() \t\n").split(","):
            words = _AROUND_DOTS.sub(".", part).split()
            if words:
                yield f"{module}.{words[0]}".strip("."), level
