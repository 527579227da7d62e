"""Which blocks a class calls with inputs that are None in some calls, and tensors in others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef, ProjectClass, StaticValue, Tensor, Unknown
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.text.syntax import walk


def parts_with_left_out_inputs(frame: CodeContext, owner: ast.ClassDef) -> list[str]:
    """Return the classes of called blocks whose inputs may be None at first and tensors later.

    States that a block keeps between calls are such inputs. The called block tests for None itself. Compiled by itself,
    it accepts inputs of one structure only: MXNet raises at the first call with another structure.
    """
    methods = (n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name != "__init__")
    calls = (n for method in methods for n in walk(method) if isinstance(n, ast.Call))
    return list(dict.fromkeys(name for call in calls for name in _asking(frame, call)))


def _asking(frame: CodeContext, call: ast.Call) -> Iterator[str]:
    """Yield the classes of a called block that test for None an input that the call may omit."""
    block = frame.seen.value(call.func)
    doubtful = {place for place, node in enumerate(call.args) if _may_be_left_out(frame, node)}
    for one in block.known if doubtful and isinstance(block, BlockRef) else ():
        if one.info is not None and doubtful & _asked_for_none(one.info):
            yield one.info.node.name


def _may_be_left_out(frame: CodeContext, node: ast.expr) -> bool:
    held = frame.seen.value(node)
    # A name that holds None before the first call has been made may hold something else in later ones.
    first = isinstance(held, StaticValue) and held.value is None and not isinstance(node, ast.Constant)
    return first or isinstance(held, Unknown) or (isinstance(held, Tensor) and held.optional)


def _asked_for_none(info: ProjectClass) -> set[int]:
    """Return the places of the inputs that a class compares with None."""
    found = info.method(ENTRY)
    if found is None:
        return set()
    names = [each.arg for each in found[0].args.args[2:]]
    asked = set()
    for node in walk(found[0]):
        match node:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]):
                asked.add(name)
    return {place for place, name in enumerate(names) if name in asked}
