"""Item assignment: the new tensor for which key and value, with comments, precedence and long lines."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

ROWS = "F.contrib.arange_like(z, axis=0)"
COLUMNS = "F.contrib.arange_like(z, axis=1)"
SAFE = {
    "everything": ("z[:] = 0", "z = F.zeros_like(z)"),
    "everything, to a negative number": ("z[:] = -1e9", "z = F.ones_like(z) * -1e9"),
    "first row": ("z[0] = 1", f"z = F.where({ROWS} == 0, F.ones_like(z), z)"),
    "last row": ("z[-1] = 2", f"z = F.where(F.flip({ROWS}, axis=0) == 0, F.ones_like(z) * 2, z)"),
    "from a row on": ("z[1:] = 0", f"z = F.where({ROWS} >= 1, F.zeros_like(z), z)"),
    "up to a row": ("z[:2] = 0", f"z = F.where({ROWS} < 2, F.zeros_like(z), z)"),
    "some rows, on a long line": (
        "z[1:3] = 0",
        f"""
        z = F.where(
            ({ROWS} >= 1) * ({ROWS} < 3), F.zeros_like(z), z
        )
        """,
    ),
    "a column": (
        "z[:, 0] = 0",
        f"""
        z = F.swapaxes(
            F.where({COLUMNS} == 0, F.zeros_like(F.swapaxes(z, 0, 1)), F.swapaxes(z, 0, 1)), 0, 1
        )
        """,
    ),
    "changed in place": ("z[:] *= 2", "z = z * 2"),
    "a row changed in place": ("z[0] += 1", f"z = F.where({ROWS} == 0, z + 1, z)"),
    "of an alias": ("w = z\nz[0] = 1", f"w = z\nz = w = F.where({ROWS} == 0, F.ones_like(z), z)"),
    "a comment behind it": ("z[:] = 0  # nothing", "z = F.zeros_like(z)  # nothing"),
    "a comment in the key": ("z[  # all\n    :\n] = 0", "# all\nz = F.zeros_like(z)"),
    "beside another statement": ("w = z * 2; z[:] = 0", "w = z * 2; z = F.zeros_like(z)"),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(f"z = x * 1\n{before}\nreturn z") == f"z = x * 1\n{lines(after)}\nreturn z"


UNSAFE = {
    "everything, to a sum": ("z[...] = y + 1", "z = F.broadcast_add(F.zeros_like(z), y + 1)"),
    "a row": ("z[0] = y", f"z = F.where({ROWS} == 0, F.broadcast_add(F.zeros_like(z), y), z)"),
    "a column, on a long line": (
        "z[:, 1] = y",
        f"""
        z = F.swapaxes(
            F.where(
                {COLUMNS} == 1,
                F.broadcast_add(F.zeros_like(F.swapaxes(z, 0, 1)), F.expand_dims(y, axis=0)),
                F.swapaxes(z, 0, 1),
            ),
            0,
            1,
        )
        """,
    ),
    "a row with a comment": (
        """
        z[0] = F.relu(
            y,  # the new row
        )
        """,
        f"""
        z = F.where({ROWS} == 0, F.broadcast_add(F.zeros_like(z), F.relu(
            y,  # the new row
        )), z)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(f"z = x * 1\n{lines(before)}\nreturn z", unsafe=True) == f"z = x * 1\n{lines(after)}\nreturn z"


MASK = f"F.broadcast_like(({COLUMNS} == 1).reshape((1, -1)), z)"
RANKED = {
    "a column": ("z[:, 1] = 0", f"z = F.where({MASK}, F.zeros_like(z), z)"),
    "a column changed in place": ("z[:, 1] += 5", f"z = F.where({MASK}, z + 5, z)"),
    "a column, to a tensor": (
        "z[:, 1] = w",
        f"""
        z = F.where(
            {MASK},
            F.broadcast_add(F.zeros_like(z), F.expand_dims(w, axis=1)),
            z,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), RANKED.values(), ids=RANKED.keys())
def test_of_known_rank(before: str, after: str) -> None:
    head = "z = F.ones((2, 3))\nw = F.ones((2,))\n"
    assert fixed(f"{head}{before}\nreturn x * 2, z * x", unsafe=True) == f"{head}{lines(after)}\nreturn x * 2, z * x"


NUMPY = {
    "everything": ("z[:] = 0", "z = F.np.zeros_like(z)"),
    "first row": ("z[0] = 0", "z = F.np.concatenate([F.np.zeros_like(z[:1]), z[1:]], axis=0)"),
    "some rows": ("z[1:3] = 7", "z = F.np.concatenate([z[:1], F.np.full_like(z[1:3], 7), z[3:]], axis=0)"),
    "some columns, to a sum": (
        "z[:, 1:] = 1 + 2",
        "z = F.np.concatenate([z[:, :1], F.np.full_like(z[:, 1:], 1 + 2)], axis=1)",
    ),
    "a mask": ("z[z > 0] = 0", "z = F.np.where(z > 0, F.np.zeros_like(z), z)"),
    "a comment in the key": (
        "z[  # why\n    1] = 3",
        "# why\nz = F.np.concatenate([z[:1], F.np.full_like(z[1:2], 3), z[2:]], axis=0)",
    ),
    "everything, to a sum of tensors": ("z[:] = y + 1", "z = F.np.zeros_like(z) + (y + 1)"),
    "a column, to a tensor": (
        "z[:, 1] = y",
        """
        z = F.np.concatenate([z[:, :1], F.np.zeros_like(z[:, 1:2]) + F.np.expand_dims(y, axis=1), z[:, 2:]], axis=1)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), NUMPY.values(), ids=NUMPY.keys())
def test_numpy_mode(before: str, after: str) -> None:
    assert fixed(f"z = x * 1\n{before}\nreturn z", numpy=True, unsafe=True) == f"z = x * 1\n{lines(after)}\nreturn z"


REFUSED = {
    "every other row": "z[::2] = 0",
    "rows that a tensor picks": "z[y] = 0",
    "a column of unknown rank changed in place": "z[:, 0] += 1",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str) -> None:
    whole = f"z = x * 1\n{body}\nreturn z"
    assert fixed(whole, unsafe=True) == whole


CONSTANTS = """\
from mxnet.gluon import HybridBlock

START, STOP = 0, 1
LAST, COUNT = divmod(7, 2)


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        z = F.zeros_like(x) - 1
"""


def test_an_item_whose_number_a_constant_holds() -> None:
    after = fixed_text(f"{CONSTANTS}        z[STOP] = 1\n        return z\n")
    assert f"z = F.where({ROWS} == STOP, F.ones_like(z), z)" in after


def test_an_item_whose_number_is_not_known() -> None:
    text = f"{CONSTANTS}        z[LAST] = 1\n        return z\n"
    assert fixed_text(text, unsafe=True) == text


def test_an_item_whose_number_a_class_holds() -> None:
    held = CONSTANTS.replace("    def hybrid_forward", "    FIRST = 0\n\n    def hybrid_forward")
    after = fixed_text(f"{held}        z[self.FIRST] = 1\n        return z\n")
    assert f"z = F.where({ROWS} == self.FIRST, F.ones_like(z), z)" in after


def test_a_tensor_that_a_loop_binds_anew_behind_the_store() -> None:
    body = "z = F.zeros_like(x)\nz[0] = 1\nfor i in range(3):\n    z = z * i\nreturn z"
    assert f"z = F.where({ROWS} == 0, F.ones_like(z), z)\nfor" in fixed(body)


def test_an_item_whose_number_a_class_holds_in_a_row_of_constants() -> None:
    held = CONSTANTS.replace("    def hybrid_forward", "    FIRST, SECOND = 0, 1\n\n    def hybrid_forward")
    after = fixed_text(f"{held}        z[self.SECOND] = 1\n        return z\n")
    assert f"z = F.where({ROWS} == self.SECOND, F.ones_like(z), z)" in after


def test_an_item_whose_number_a_method_changes() -> None:
    changed = "    FIRST, SECOND = 0, 1\n\n    def reset(self):\n        self.SECOND, self.x = 2, 3\n\n"
    held = CONSTANTS.replace("    def hybrid_forward", f"{changed}    def hybrid_forward")
    text = f"{held}        z[self.SECOND] = 1\n        return z\n"
    assert "F.where" not in fixed_text(text)


SETTING = """
from mxnet.gluon import HybridBlock


class Smoothing(HybridBlock):
    def __init__(self, size, padding_idx{default}):
        super().__init__()
        self.size = size
        self.padding_idx = padding_idx

    def hybrid_forward(self, F, target):
        dist = F.one_hot(target, self.size)
        dist[:, :, self.padding_idx] = 0
        return dist
"""


def test_an_item_that_a_setting_names_in_an_axis_behind_the_first_two() -> None:
    after = fixed_text(SETTING.format(default="=0"), unsafe=True)
    assert "F.contrib.arange_like(dist, axis=2) == self.padding_idx," in after
    assert "F.swapaxes(dist, 0, 2)" in after
    assert "F.where" not in fixed_text(SETTING.format(default="=0"))
    assert fixed_text(SETTING.format(default=""), unsafe=True).count("F.where") == 1


@pytest.mark.parametrize("default", ["=-1", "=None", "=(0, 1)"])
def test_a_setting_that_is_no_position_from_the_front(default: str) -> None:
    assert "F.where" not in fixed_text(SETTING.format(default=default), unsafe=True)
