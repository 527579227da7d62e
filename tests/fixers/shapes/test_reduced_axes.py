"""Reductions over all axes but the first ones."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

#: All are safe: what is reduced has the rank that is read.
SAFE = {
    "of a method": (
        "return x.sum(axis=tuple(range(1, x.ndim)))",
        "return x.sum(axis=0, exclude=True)",
    ),
    "of a function": (
        "z = F.abs(x)\nreturn F.mean(z, axis=list(range(1, len(z.shape))), keepdims=True)",
        "z = F.abs(x)\nreturn F.mean(z, axis=0, keepdims=True, exclude=True)",
    ),
    "of several, by names": (
        "n = len(x.shape)\naxes = tuple(range(1, n))\nreturn x.max(axis=axes) - (x * 2).min(axis=axes)",
        "return x.max(axis=0, exclude=True) - (x * 2).min(axis=0, exclude=True)",
    ),
    "behind two axes": (
        "return x.sum(axis=tuple(range(2, x.ndim)))",
        "return x.sum(axis=(0, 1), exclude=True)",
    ),
}

#: The rank is another tensor's.
UNSAFE = {
    "of another tensor": (
        "return y.sum(axis=tuple(range(1, x.ndim)))",
        "return y.sum(axis=0, exclude=True)",
    ),
}

KEPT = {
    "all axes, which exclude none": "return x.sum(axis=tuple(range(0, x.ndim)))",
    "axes that something else reads": "axes = tuple(range(1, x.ndim))\nself.look(axes)\nreturn x.sum(axis=axes)",
    "every second axis": "return x.sum(axis=tuple(range(1, x.ndim, 2)))",
    "no reduction": "return F.transpose(x, axes=tuple(range(1, x.ndim)))",
    "a name of two values": ("axes = 1\nif self.all:\n    axes = tuple(range(1, x.ndim))\nreturn x.sum(axis=axes)"),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE)
def test_unsafe(before: str, after: str) -> None:
    assert "exclude" not in fixed(before)
    assert fixed(before, unsafe=True) == lines(after)


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_kept(body: str) -> None:
    assert "exclude" not in fixed(body, unsafe=True)
