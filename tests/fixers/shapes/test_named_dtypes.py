"""The fixer of dtypes that are read from tensors."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

UNSAFE = {
    "a cast": ("return (y > 0).astype(x.dtype) * x", 'return (y > 0).astype("float32") * x'),
    "a cast to a name": (
        "kind = x.dtype\nz = (y > 0).astype(kind)\nreturn F.cast(z, dtype=kind) * x",
        'kind = "float32"\nz = (y > 0).astype(kind)\nreturn F.cast(z, dtype=kind) * x',
    ),
    "a cast by a function": ("return F.cast(y, dtype=x.dtype) * x", 'return F.cast(y, dtype="float32") * x'),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_of_an_unknown_dtype(before: str, after: str) -> None:
    assert fixed(before, unsafe=True).replace("F.broadcast_mul(", "").replace(", x)", " * x") == after
    assert fixed(before) == before


def test_of_a_known_dtype() -> None:
    before = 'z = F.cast(y, dtype="float16")\nreturn x.astype(z.dtype)'
    assert fixed(before) == 'z = F.cast(y, dtype="float16")\nreturn x.astype("float16")'


def test_a_comparison_of_dtypes_stays() -> None:
    body = "z = x.dtype == y.dtype\nreturn x if z else y"
    named = "kind = x.dtype\nz = kind == y.dtype\nreturn x.astype(kind) if z else y"
    assert '"float32"' not in fixed(named, unsafe=True)
    assert '"float32"' not in fixed(body, unsafe=True)


CASTS = {
    "by a method": 'if x.dtype != np.float32:\n    x = x.astype("float32")\nreturn x * 2',
    "by a function": 'if x.dtype != "float32":\n    x = F.cast(x, dtype="float32")\nreturn x * 2',
}


@pytest.mark.parametrize("body", CASTS.values(), ids=CASTS.keys())
def test_a_cast_of_other_dtypes_only(body: str) -> None:
    _, cast, last = body.splitlines()
    assert fixed(body) == f"{cast.strip()}\n{last}"


@pytest.mark.parametrize(
    "body",
    [
        'if x.dtype == np.float16:\n    x = x.astype("float32")\nreturn x * 2',
        'if x.dtype != np.float16:\n    x = x.astype("float32")\nreturn x * 2',
        'if x.dtype != np.float32:\n    y = x.astype("float32")\nreturn x * y',
        'if x.dtype != np.float32:\n    x = x.astype("float32")\nelse:\n    x = x * 2\nreturn x',
    ],
)
def test_other_choices_by_a_dtype_stay(body: str) -> None:
    assert fixed(body) == body


def test_an_unknown_dtype_stays_where_the_block_would_not_compile() -> None:
    body = "return (y > 0).astype(x.dtype) * self.table[x.shape]"
    assert fixed(body, unsafe=True) == body
