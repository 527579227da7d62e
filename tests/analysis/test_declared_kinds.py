"""What annotations, comments of types and docstrings say of arguments."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from hybridlint.analysis import grammar  # noqa: F401
from hybridlint.analysis.interpret import new_project
from hybridlint.analysis.mxnet.inputs.declared_kinds import declared_kinds
from hybridlint.text.source import SourceFile

HEAD = """\
from typing import *
Tensor = Union[NDArray, Symbol]
Levels = "List[Tensor]"
"""


def said_of(signature: str, docstring: str = "", comment: str = "") -> str | None:
    """Return what is said of the argument x."""
    doc = textwrap.indent(f'"""{docstring}"""\n', "    ") if docstring else ""
    text = f"{HEAD}def hybrid_forward(self, F, {signature}):{comment}\n{doc}    return x\n"
    module = new_project().module(SourceFile(Path("net.py"), text))
    node = module.definitions["hybrid_forward"]
    assert isinstance(node, ast.FunctionDef)
    return declared_kinds(module, node, None).get("x")


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("List[NDArray]", "list"),
        ("tuple", "list"),
        ("'Sequence[mx.sym.Symbol]'", "list"),
        ("Tuple[NDArray, ...]", "list"),
        ("typing.List[Tensor]", "list"),
        ("Levels", "list"),
        ("Optional[List[NDArray]]", "list"),
        ("Annotated[List[NDArray], 3]", "list"),
        ("Tensor", "tensor"),
        ("mx.nd.NDArray", "tensor"),
        ("Optional[Tensor]", "tensor"),
        ("NDArray | None", "tensor"),
        ("int", "setting"),
        ("Optional[float]", "setting"),
        ("Literal['a', 'b']", "setting"),
        ("Union[NDArray, List[NDArray]]", "other"),
        ("'list[NDArray] | NDArray'", "other"),
        ("Dict[str, NDArray]", "other"),
        ("Union[int, NDArray]", "other"),
        ("Any", None),
        ("np.ndarray", None),
        ("Unheard", None),
    ],
)
def test_annotations(annotation: str, kind: str | None) -> None:
    assert said_of(f"x: {annotation}") == kind
    assert said_of("x", comment=f"\n    # type: (Any, {annotation}) -> NDArray") == kind
    assert said_of(f"\n    y,\n    x,  # type: {annotation}\n") == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("list of NDArray", "list"),
        ("List[NDArray]", "list"),
        ("tuple(NDArray)", "list"),
        ("a list of tensors, finest first", "list"),
        ("A tuple of three NDArrays (scores, boxes, ids).", "list"),
        ("[NDArray or Symbol]", "list"),
        ("[B, C, H] of the rows", None),
        ("NDArray", "tensor"),
        ("NDArray or Symbol", "tensor"),
        ("mx.nd.NDArray, shape (batch, list, length)", "tensor"),
        ("int, default 3", "setting"),
        ("number of lists", "setting"),
        ("NDArray or list of NDArray", "other"),
        ("int or NDArray", "other"),
        ("dict of NDArray", "other"),
        ("the rows of the batch", None),
    ],
)
def test_docstrings(text: str, kind: str | None) -> None:
    formats = {
        "numpy": f"Sum.\n\n    Parameters\n    ----------\n    x : {text}\n        The rows.\n    ",
        "shared": f"Sum.\n\n    Parameters\n    ----------\n    y, x : {text}\n        The rows.\n    ",
        "google": f"Sum.\n\n    Args:\n        x: {text}\n    ",
        "sphinx": f"Sum.\n\n    :param x: the rows\n    :type x: {text}\n    ",
        "epytext": f"Sum.\n\n    @type x: {text}\n    ",
        "gluon": f"Sum.\n\n    Inputs:\n        - **x**: {text}\n    ",
    }
    assert {name: said_of("x, y", docstring=doc) for name, doc in formats.items()} == dict.fromkeys(formats, kind)


def test_google_writes_the_type_in_parentheses() -> None:
    assert said_of("x", docstring="Args:\n        x (list(NDArray)): the rows\n    ") == "list"
    assert said_of("x", docstring="Args:\n        x (NDArray): a list of rows\n    ") == "tensor"


def test_what_code_says_outweighs_prose() -> None:
    assert said_of("x: NDArray", docstring=":type x: list") == "tensor"
