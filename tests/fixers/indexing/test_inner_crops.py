"""Tensors that are cropped to another one's sizes from an offset on, or in the middle."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

MIDDLE = lines("""
    _, _, h, w = x.shape
    _, _, th, tw = y.shape
    top = (h - th) // 2
    left = (w - tw) // 2
    return x[:, :, top : top + th, left : left + tw]
    """)

CROPS = {
    "from an offset": (
        "return x[:, 1 : 1 + y.shape[1]]",
        "return F.slice_like(F.slice(x, begin=(None, 1), end=(None, None)), y, axes=(1,))",
    ),
    "from offsets": (
        "h, w = y.shape[2], y.shape[3]\nreturn x[:, :, 1 : h + 1, 2 : 2 + w]",
        "return F.slice_like(F.slice(x, begin=(None, None, 1, 2), end=(None, None, None, None)), y, axes=(2, 3))",
    ),
    "in the middle": (MIDDLE, "return F.Crop(x, y, center_crop=True)"),
    "in the middle, both at once": (
        MIDDLE.replace("top = (h - th) // 2\nleft =", "top, left = (h - th) // 2,"),
        "return F.Crop(x, y, center_crop=True)",
    ),
}


@pytest.mark.parametrize(("before", "after"), CROPS.values(), ids=CROPS.keys())
def test_crops(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after


OTHERS = {
    "at another axis": "return x[:, :, 1 : 1 + y.shape[3]]",
    "from another begin": "return x[:, :, 1 : 2 + y.shape[2]]",
    "a third of the way": MIDDLE.replace("// 2", "// 3"),
    "by another axis": MIDDLE.replace("(h - th)", "(w - tw)"),
    "swapped": MIDDLE.replace("top = (h - th) // 2\nleft =", "left, top = (h - th) // 2,"),
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_other_slices(body: str) -> None:
    text = fixed(body, unsafe=True)
    assert "Crop" not in text
    assert "slice_like(F.slice(x" not in text


def test_a_helper_crops_to_sizes_that_it_is_given() -> None:
    """Where the slice begins goes by a size that the helper gets: it is cut as a whole, once the tensor is handed."""
    helper = "class Net(HybridBlock):\n    def crop(self, layer, {given}):\n        {body}\n\n"
    call = "    def hybrid_forward(self, F, x, y):\n        return F.concat(x, self.crop(y, {size}), dim=1)\n"
    before = (
        "top, left = (layer.shape[2] - size[0]) // 2, (layer.shape[3] - size[1]) // 2\n"
        "        return layer[:, :, top : top + size[0], left : left + size[1]]"
    )
    head = "from mxnet import nd\nfrom mxnet.gluon import HybridBlock\n\n\n"
    text = fixed_text(head + helper.format(given="size", body=before) + call.format(size="x.shape[2:]"), unsafe=True)
    after = helper.format(given="like, F=nd", body="return F.Crop(layer, like, center_crop=True)")
    assert text == head + after + call.format(size="x, F=F")
