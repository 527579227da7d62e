"""Bodies of `hybrid_forward` as modules, and what fixing makes of them: what tests of fixers speak about."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace
from pathlib import Path

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import CodeContext
from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import Analyze, fix_source
from hybridlint.rule import Finding
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\nfrom mxnet import autograd, nd\nfrom mxnet.gluon import HybridBlock\n\n\n"
NUMPY = "import mxnet as mx\nfrom mxnet.gluon import HybridBlock\n\nmx.npx.set_np()\n\n\n"


def module(body: str, *, numpy: bool = False) -> SourceFile:
    """Return a module with a block whose `hybrid_forward` has a body, and takes `x` and `y`."""
    head = f"{NUMPY if numpy else HEAD}class Net(HybridBlock):\n    def hybrid_forward(self, F, x, y):\n"
    return SourceFile(Path("net.py"), f"{head}{textwrap.indent(textwrap.dedent(body).strip(), ' ' * 8)}\n")


def remembering() -> Analyze:
    """Return `analyze_file` with a memory, for one module that is fixed in several ways: each text is analyzed once."""
    known: dict[str, list[Finding]] = {}

    def analyze(source: SourceFile) -> list[Finding]:
        if source.text not in known:
            known[source.text] = analyze_file(source)
        return known[source.text]

    return analyze


def fixed(body: str, *, unsafe: bool = False, numpy: bool = False) -> str:
    """Return the body after all fixes; fixing again changes nothing."""
    analyze = remembering()
    outcome = fix_source(module(body, numpy=numpy), analyze, unsafe=unsafe)
    assert fix_source(outcome.source, analyze, unsafe=unsafe).source.text == outcome.source.text
    return textwrap.dedent(outcome.source.text.partition("):\n")[2].partition("):\n")[2]).strip("\n")


def fixed_text(text: str, *, unsafe: bool = False) -> str:
    """Return a module after all fixes; fixing again changes nothing."""
    analyze = remembering()
    outcome = fix_source(SourceFile(Path("net.py"), text), analyze, unsafe=unsafe)
    assert fix_source(outcome.source, analyze, unsafe=unsafe).source.text == outcome.source.text
    return outcome.source.text


def fixed_or_kept_eager(text: str, *, unsafe: bool = False) -> str:
    """Return a module after all fixes with ``--keep-eager``; fixing again changes nothing."""
    analyze = remembering()
    outcome = fix_source(SourceFile(Path("net.py"), text), analyze, unsafe=unsafe, keep_eager=True)
    again = fix_source(outcome.source, analyze, unsafe=unsafe, keep_eager=True)
    assert again.source.text == outcome.source.text
    return outcome.source.text


def lines(text: str) -> str:
    """Return a text of several lines as a test writes it, without its indentation."""
    return textwrap.dedent(text).strip("\n")


def framed(text: str) -> CodeContext:
    """Return the frame of a text whose first statement is looked at."""
    source = SourceFile(Path("x.py"), text)
    return CodeContext(source, None, None, "F", "legacy", statement=source.tree.body[0])


def met(body: str, at: str | None = None) -> CodeContext:
    """Return the frame of a body that was interpreted, at the last statement or at the one of this text."""
    source = module(body)
    frame = next(event.frame for event in module_events(source) if isinstance(event.frame.function, ast.FunctionDef))
    assert isinstance(frame.function, ast.FunctionDef)
    statements = (node for node in ast.walk(frame.function) if isinstance(node, ast.stmt))
    last = frame.function.body[-1]
    return replace(frame, statement=last if at is None else next(s for s in statements if ast.unparse(s) == at))


def named(frame: CodeContext, text: str) -> ast.expr:
    """Return the first expression of a frame's file with a text."""
    nodes = (n for n in ast.walk(frame.source.tree) if isinstance(n, ast.expr))
    return next(n for n in nodes if ast.unparse(n) == text)
