"""Tensors at hand that have a shape: those of its sizes, those beside what is made, and none that are bound later."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.tensors_of_shape import Alike, tensor_of_shape
from tests.fixers.bodies import met, named

SIZES = "b, t = x.shape\n"
MADE = "F.zeros((b, t, 3))"


def found(body: str, made: str = MADE) -> Alike | None:
    """Return the tensor of the shape of what is made in a body, the first argument of that call."""
    frame = met(body)
    call = named(frame, made)
    assert isinstance(call, ast.Call)
    assert isinstance(call.args[0], ast.Tuple)
    return tensor_of_shape(frame, call, call.args[0].elts)


WHOLE = {
    "reshaped to it": f"{SIZES}z = y.reshape((b, t, 3))\nreturn z + {MADE}",
    "moved to it": f"{SIZES}z = y.reshape((b, 3, t)).transpose((0, 2, 1))\nreturn z + {MADE}",
    "halved": f"{SIZES}z = y.reshape((b, t, 3)) / 2\nreturn z + {MADE}",
    "counted from the end": f"{SIZES}z = y.reshape((b, -1, 3)).reshape((0, t, 0))\nreturn z + {MADE}",
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE.keys())
def test_of_the_whole_shape(body: str) -> None:
    alike = found(body)
    assert alike is not None
    assert (alike.read.id, alike.sure, alike.places) == ("z", True, None)


def test_an_operand_of_a_choice_has_the_shape_and_the_dtype() -> None:
    beside = found(f"{SIZES}return F.where(x > 0, y, {MADE})")
    assert beside is not None
    assert (beside.read.id, beside.of_its_dtype) == ("y", True)
    condition = found(f"{SIZES}return F.where(x, y + 1, {MADE})")
    assert condition is not None
    assert (condition.read.id, condition.of_its_dtype) == ("x", False)


def test_sizes_that_the_data_have_need_no_tensor() -> None:
    frame = met(f"{SIZES}return F.where(x, x, y.sum(), {MADE})")
    call = named(frame, MADE)
    assert isinstance(call, ast.Call)
    assert isinstance(call.args[0], ast.Tuple)
    alike = tensor_of_shape(frame, call, call.args[0].elts, {1})
    assert alike is not None
    assert alike.places == {0: 0}


def test_sizes_of_one_tensor() -> None:
    alike = found(f"{SIZES}return x, {MADE}")
    assert alike is not None
    assert (alike.read.id, alike.places, alike.singles) == ("x", {0: 0, 1: 1}, None)


def test_a_part_of_one_tensor() -> None:
    alike = found("b, t, c = x.shape\nreturn x, F.zeros((b, 1, c))", "F.zeros((b, 1, c))")
    assert alike is not None
    assert (alike.read.id, alike.places, alike.singles) == ("x", {0: 0, 2: 2}, (1,))


def test_a_size_in_another_place() -> None:
    alike = found("b, t, c = x.shape\nreturn x, F.zeros((b, c, c))", "F.zeros((b, c, c))")
    assert alike is not None
    assert (alike.places, alike.singles) == ({0: 0, 1: 2, 2: 2}, None)


OTHERS = {
    "bound later": f"{SIZES}x = {MADE}\nz = y.reshape((b, t, 3))\nreturn z + x",
    "bound in a branch": f"{SIZES}if y is None:\n    z = y.reshape((b, t, 3))\nw = {MADE}\nreturn w + z",
    "bound again": f"{SIZES}z = y.reshape((b, t, 3))\nz = z + 1\nz = z.sum(axis=0)\nreturn z + {MADE}",
    "of another shape": f"{SIZES}z = y.reshape((t, b, 3))\nreturn z + {MADE}",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_none_of_the_whole_shape(body: str) -> None:
    alike = found(body)
    assert alike is None or alike.read.id != "z" or alike.places is not None


def test_a_size_that_is_not_known() -> None:
    assert found("b, t = x.shape\nb = y\nreturn F.zeros((b, t, 3))") is None
    assert found("return F.zeros((2, 3))", "F.zeros((2, 3))") is None
