"""Places in files as tables show them."""

from pathlib import Path

from hybridlint.report.style import place


def test_a_place_is_broken_behind_slashes() -> None:
    path = Path("gluoncv/model_zoo/faster_rcnn/rcnn_target.py")
    assert place(path, 137, 80) == "gluoncv/model_zoo/faster_rcnn/rcnn_target.py:137"
    assert place(path, 137, 30) == "gluoncv/model_zoo/faster_rcnn/\nrcnn_target.py:137"
    assert place(path, 137, 10) == "gluoncv/\nmodel_zoo/\nfaster_rcnn/\nrcnn_target.py:137"
