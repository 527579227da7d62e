"""The fixers of copies and detached tensors."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "a copy of a sum": ("return (x + 1).copy()", "return F.identity(x + 1)"),
    "detached": ("return (x + y).detach()", "return F.BlockGrad(x + y)"),
    "detached with a comment": (
        """
        return (
            x +  # left
            1
        ).detach()
        """,
        """
        return F.BlockGrad(x +  # left
            1)
        """,
    ),
    "a deep copy": (
        """
        import copy
        return copy.deepcopy(x) * 2
        """,
        """
        import copy
        return F.BlockGrad(x) * 2
        """,
    ),
    "moved": ("return x.as_in_context(mx.cpu())", "return x.as_in_context(mx.cpu()) if F is mx.nd else x"),
    "moved beside an operator": (
        "return -x.as_in_context(mx.gpu(0))",
        "return -(x.as_in_context(mx.gpu(0)) if F is mx.nd else x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


UNSAFE = {
    "a copy of an argument": (
        """
        return x.copy(  # mine
        ) * 2
        """,
        """
        return F.identity(
            x,  # mine
        ) * 2
        """,
    ),
    "copied into another": (
        """
        return x.copyto(  # there
            y)
        """,
        """
        return F.identity(
            x,  # there
        )
        """,
    ),
    "watched from here on": (
        """
        z = x * 1
        z.attach_grad()  # watch
        return z
        """,
        """
        z = x * 1
        z = F.BlockGrad(z)  # watch
        return z
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


NUMPY = {
    "a copy": ("return (x + 1).copy()", "return F.np.copy(x + 1)"),
    "detached": ("return (x + 1).detach() * 2", "return F.BlockGrad((x + 1).as_nd_ndarray()).as_np_ndarray() * 2"),
}


@pytest.mark.parametrize(("before", "after"), NUMPY.values(), ids=NUMPY.keys())
def test_numpy_mode(before: str, after: str) -> None:
    assert fixed(before, numpy=True) == lines(after)
