"""Children that a block never calls under some of its settings: ``if self.aux: y = self.head(x)``."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from hybridlint.analysis.flow.constant_tests import Values
from hybridlint.analysis.flow.default_settings import constant_defaults, kept_argument
from hybridlint.analysis.flow.default_unreachable import depends_on_settings, is_off
from hybridlint.analysis.model.values import ProjectClass
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.project.program import ProjectFile
from hybridlint.text.syntax import each, is_own


def leaving_setting(info: ProjectClass, attribute: str) -> str:
    """Return the settings under which a block never calls an attribute's value, such as "aux=False".

    A call of the file gives the block these settings, or they are its defaults, which nobody changes. An empty text if
    there are none.
    """
    entry, init = info.methods.get(ENTRY), info.methods.get("__init__")
    if entry is None or init is None or not isinstance(info.module, ProjectFile):
        return ""
    reads = [node for node in each(entry, ast.Attribute) if _reads(node, attribute)]
    if not reads or not all(depends_on_settings(entry, node) for node in reads):
        return ""
    if len(reads) != _mentions(info.module.source.tree)[attribute]:
        return ""
    for given in _given(info.module, info, init):
        settings = _Settings(info, init, given)
        if all(is_off(entry, node, settings.of) for node in reads):
            return ", ".join(f"{name}={known.value!r}" for name, known in settings.asked.items())
    return ""


class _Settings:
    """The values of attributes that keep arguments of ``__init__``; records the arguments that were asked for."""

    def __init__(self, info: ProjectClass, init: ast.FunctionDef, given: Mapping[str, ast.Constant]) -> None:
        self._info, self._init, self._given = info, init, given
        self.asked: dict[str, ast.Constant] = {}

    def of(self, name: str) -> Values:
        """Return the constant that an attribute is, None if that is not known."""
        argument = kept_argument(self._info, self._init, name)
        known = None if argument is None else self._given.get(argument)
        if argument is not None and known is not None:
            self.asked[argument] = known
        return None if known is None else (known.value,)


def _given(module: ProjectFile, info: ProjectClass, init: ast.FunctionDef) -> Iterator[Mapping[str, ast.Constant]]:
    """Yield the arguments that are constants in each call of a class, and its defaults if there is no call."""
    defaults = constant_defaults(init)
    names = [argument.arg for argument in init.args.args[1:]]
    calls = module.survey.calls_of(info.node.name)
    if not calls:
        yield defaults
    for call in calls:
        if any(isinstance(one, ast.Starred) for one in call.args):
            continue
        given = dict(zip(names, call.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
        constants = {name: value for name, value in given.items() if isinstance(value, ast.Constant)}
        # What is handed on as a dict may hold any other argument.
        known = {} if any(keyword.arg is None for keyword in call.keywords) else defaults
        yield {name: value for name, value in known.items() if name not in given} | constants


def _reads(node: ast.AST, attribute: str) -> bool:
    return is_own(node) and node.attr == attribute and isinstance(node.ctx, ast.Load)


@lru_cache(maxsize=4)
def _mentions(tree: ast.Module) -> Mapping[str, int]:
    """Return how often a file reads an attribute of each name, or has its name as a text."""
    read = (node.attr for node in each(tree, ast.Attribute) if isinstance(node.ctx, ast.Load))
    texts = (node.value for node in each(tree, ast.Constant) if isinstance(node.value, str))
    return Counter([*read, *texts])
