"""Constructs as people write them: blocks of Gluon code in readable files, many to a file.

A file of `cases/` is Python text cut by headers::

    # %% name: x=2x3 y=2x4|5x4 flags

Functions whose first argument is ``self`` become methods of the class ``Net`` (``init`` the rest of its ``__init__``);
everything else stands before it. Each argument has the shape of its values in both calls (``2x4|5x4``: the second call
has another one), ending in ``i`` where they are small integers, ``p`` where they are positive, ``d`` where they are
float64 and ``h`` where they are float16; ``[2x3,2x3]`` is a list, ``(2x3,2x3)`` a tuple, ``{a:2x3}`` a dict, ``none``
is None, and ``#2.5`` a number, or any other literal of Python. Flags: ``np`` (numpy mode), ``train`` (calls under
``autograd.record()``; ``train2`` the second only), ``shapes`` (the linter is told the shapes), ``skip`` (not judged:
the comment after the header says why), and, for the fixers' look-alikes, ``safe`` and ``unsafe`` (such fixes repair the
block, so that nothing is left to be found) and ``unsure`` (unsafe fixes may break it). This module runs in Python 3.8
too, where MXNet lives.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).parent / "cases"
LOOKALIKES = Path(__file__).parents[1] / "fixers" / "lookalikes"
FLAGS = frozenset({"np", "train", "train2", "shapes", "skip", "safe", "unsafe", "unsure"})
_HEADER = re.compile(r"# %% (\w+):(.*)")
_IMPORTS = """\
import math

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon, nd{npx}
from mxnet.gluon import Block, HybridBlock, nn, rnn
"""


@dataclass(frozen=True)
class Construct:
    """One construct: `arguments` are (name, specification of its values), in the order of the call."""

    name: str
    theme: str
    arguments: tuple[tuple[str, str], ...]
    flags: frozenset[str]
    text: str

    @property
    def module(self) -> str:
        """The construct as a module of somebody's project, with the class ``Net`` last."""
        numpy_mode = "np" in self.flags
        parts = [_IMPORTS.format(npx=", npx" if numpy_mode else "")]
        if numpy_mode:
            parts.append("npx.set_np()\n")
        before, methods = self._split()
        if before:
            parts.append("\n" + before)
        return "\n".join([*parts, "", self._class(methods)])

    def _split(self) -> tuple[str, dict[str, str]]:
        """Text before the class, and its methods by name."""
        lines = self.text.split("\n")
        before: list[str] = []
        methods: dict[str, str] = {}
        for node in ast.parse(self.text).body:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            code = "\n".join(lines[first - 1 : node.end_lineno])
            if isinstance(node, ast.FunctionDef) and node.args.args and node.args.args[0].arg == "self":
                methods[node.name] = code
            else:
                before.append(code + "\n" * (1 + 2 * isinstance(node, (ast.ClassDef, ast.FunctionDef))))
        return "".join(before), methods

    def _class(self, methods: dict[str, str]) -> str:
        base = "Base" if "class Base(" in self.text else "HybridBlock"
        lines = [f"class Net({base}):"]
        if "init" in methods:
            _, _, body = methods.pop("init").partition("\n")
            lines += ["    def __init__(self, **kwargs):", "        super().__init__(**kwargs)"]
            lines += ["        with self.name_scope():", textwrap.indent(body, " " * 8), ""]
        for name, code in methods.items():
            if name == "hybrid_forward" and "shapes" in self.flags:
                lines.append(f"    # hybridlint: shapes({self._directive()})")
            lines += [textwrap.indent(code, " " * 4), ""]
        return "\n".join(lines)

    def _directive(self) -> str:
        found = ((name, re.match(r"[\dx]+", spec)) for name, spec in self.arguments)
        shapes = {name: m.group().split("x") for name, m in found if m}
        return ", ".join(f"{name}=({', '.join(dims)}{',' * (len(dims) == 1)})" for name, dims in shapes.items())


def constructs(folder: Path = CASES) -> Iterator[Construct]:
    """Iterate over constructs. Raises ValueError where two have one name or a header is not understood."""
    seen: set[str] = set()
    for path in sorted(folder.glob("*.txt")):
        for construct in read(path):
            if construct.name in seen:
                raise ValueError(f"{path.name}: a second {construct.name}")
            seen.add(construct.name)
            yield construct


def read(path: Path) -> Iterator[Construct]:
    """Iterate over the constructs of one file. Raises ValueError where a header is not understood."""
    pieces = re.split(r"(?m)^(?=# %%)", path.read_text(encoding="utf-8"))
    for piece in pieces[1:]:
        header, _, text = piece.partition("\n")
        match = _HEADER.match(header)
        if match is None:
            raise ValueError(f"{path.name}: {header}")
        words = match.group(2).split()
        flags = frozenset(w for w in words if "=" not in w)
        if not flags <= FLAGS:
            raise ValueError(f"{path.name}: {header}: {sorted(flags - FLAGS)}")
        arguments = tuple((w.partition("=")[0], w.partition("=")[2]) for w in words if "=" in w)
        yield Construct(match.group(1), path.stem, arguments, flags, text.strip("\n") + "\n")
