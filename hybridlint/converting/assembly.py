"""The text of the new module: imports, helpers, and the definitions that were kept, in their order."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from hybridlint.converting.gluon_names import ImportedNames
from hybridlint.converting.survey import bound_names
from hybridlint.runtime.torch_code.helpers import helpers_of
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

#: Modules that PyTorch's code uses, by the pattern of their use.
_IMPORTS = (
    ("import math", re.compile(r"\bmath\.")),
    ("import torch", re.compile(r"\btorch\.")),
    ("import torch.nn.functional as F", re.compile(r"\bF\.")),
    ("from torch import nn", re.compile(r"\bnn\.")),
)
_STANDARD = ("import math",)


def assemble_module(module: libcst.Module, kept: Collection[str], names: ImportedNames) -> str:
    """Return the text of a converted module with the definitions `kept` alone."""
    imports: list[libcst.SimpleStatementLine] = []
    body: list[libcst.BaseStatement | libcst.SimpleStatementLine] = []
    docstring = module.get_docstring() is not None
    for k, statement in enumerate(module.body):
        if k == 0 and docstring:
            continue
        if _is_import(statement):
            own = _foreign_import(statement, names)
            imports += [] if own is None else [own]
        elif _keeps(statement, kept):
            body.append(statement)
    code = "".join(module.with_changes(body=[statement], header=[], footer=[]).code for statement in body)
    code = "".join(f"{text}\n\n\n" for text in helpers_of(code)) + code
    code = re.sub(r"^[ \t]*# hybridlint:[^\n]*\n", "", code, flags=re.MULTILINE)
    head = module.with_changes(body=module.body[:1] if docstring else [], footer=[]).code
    parts = [head.strip(), _import_text(module, imports, code), _spaced(code).strip()]
    return "\n\n".join(part for part in parts if part).replace("\n\n\n\n", "\n\n\n") + "\n"


def with_imports(code: str) -> str:
    """Return code of PyTorch with the helpers and imports that it uses."""
    code = "\n\n\n".join([*helpers_of(code), code.strip()])
    standard = [text for text, pattern in _IMPORTS if text in _STANDARD and pattern.search(code)]
    ours = [text for text, pattern in _IMPORTS if text not in _STANDARD and pattern.search(code)]
    return "\n\n".join(["\n".join(group) for group in (standard, ours) if group]) + f"\n\n\n{code.strip()}\n"


def _import_text(module: libcst.Module, imports: list[libcst.SimpleStatementLine], code: str) -> str:
    own = [
        module.with_changes(body=[line.with_changes(leading_lines=[])], header=[], footer=[]).code.strip()
        for line in imports
    ]
    own = [text for text in own if _is_used(text, code)]
    future = [text for text in own if text.startswith("from __future__")]
    standard = [text for text, pattern in _IMPORTS if pattern.search(code) and text in _STANDARD and text not in own]
    ours = [text for text, pattern in _IMPORTS if pattern.search(code) and text not in _STANDARD]
    rest = [text for text in own if text not in future]
    groups = ["\n".join(future), "\n".join([*standard, *rest]), "\n".join(ours)]
    return "\n\n".join(group for group in groups if group) + "\n"


def _is_used(text: str, code: str) -> bool:
    """Whether code uses a name that an import binds."""
    if text.startswith("from __future__"):
        return "unicode_literals" not in text and "absolute_import" not in text and "division" not in text
    bound = re.findall(r"[\w.]+", text.rpartition("import ")[2].rpartition(" as ")[2])
    return any(re.search(rf"\b{re.escape(name.partition('.')[0])}\b", code) for name in bound)


def _spaced(code: str) -> str:
    """Return code with two empty lines before each definition."""
    return re.sub(r"\n{2,}((?:#[^\n]*\n)*(?:@[^\n]*\n)*(?:class|def|async def) )", r"\n\n\n\1", code)


def _is_import(statement: libcst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Import | cst.ImportFrom)


def _foreign_import(
    statement: libcst.BaseStatement | libcst.SimpleStatementLine, names: ImportedNames
) -> libcst.SimpleStatementLine | None:
    """Return an import of something else than MXNet, None if there is nothing else in it."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return None
    part = statement.body[0]
    if isinstance(part, cst.ImportFrom):
        origin = "" if part.module is None else _text(part.module)
        return None if origin.partition(".")[0] == "mxnet" else statement
    if isinstance(part, cst.Import):
        others = [alias for alias in part.names if _text(alias.name).partition(".")[0] != "mxnet"]
        if not others:
            return None
        others[-1] = others[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return statement.with_changes(body=[part.with_changes(names=others)])
    return None


def _text(node: libcst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def _keeps(statement: libcst.CSTNode, kept: Collection[str]) -> bool:
    if isinstance(statement, cst.ClassDef | cst.FunctionDef):
        return statement.name.value in kept
    if isinstance(statement, cst.SimpleStatementLine):
        return not bound_names(statement.body[0]).isdisjoint({*kept, "__all__"})
    return False
