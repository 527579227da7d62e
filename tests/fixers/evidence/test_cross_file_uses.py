"""Other files that may hold blocks of the classes of a file."""

from __future__ import annotations

from pathlib import Path

from hybridlint.fixers.evidence.cross_file_uses import user_elsewhere, why_only_shown
from hybridlint.text.source import SourceFile

OWN = "class Part(HybridBlock):\n    pass\n"


def asked(folder: Path, **files: str) -> str | None:
    """Return who uses `Part` of `part.py` in a folder with these files, named without their suffix."""
    for name, text in {"part": OWN, **files}.items():
        path = folder / f"{name.replace('__', '/') if not name.startswith('__') else name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return user_elsewhere(SourceFile.read(folder / "part.py"), ["Part"])


def test_a_neighbour_that_defines_blocks(tmp_path: Path) -> None:
    assert asked(tmp_path, net="from part import Part\nclass Net(HybridBlock): pass\n") == "net.py"


def test_a_program_that_builds_the_block_holds_none(tmp_path: Path) -> None:
    assert asked(tmp_path, train="from part import Part\nnet = Part()\nnet.hybridize()\n") is None


def test_a_neighbour_with_a_class_of_the_same_name(tmp_path: Path) -> None:
    assert asked(tmp_path, net="class Part(HybridBlock): pass\n") is None


def test_any_module_of_a_package(tmp_path: Path) -> None:
    user = "from . import *\nclass Net(HybridBlock):\n    part = Part\n"
    assert asked(tmp_path, __init__="from .part import *\n", models__net=user) == "net.py"


def test_a_text_that_is_no_file() -> None:
    assert user_elsewhere(SourceFile(Path("nowhere.py"), OWN), ["Part"]) is None


def test_a_fix_of_many_classes_is_only_shown() -> None:
    source = SourceFile(Path("nowhere.py"), OWN)
    assert why_only_shown(source, "abcd", "would stay eager", "might compile them") is None
    assert why_only_shown(source, "abcde", "would stay eager", "might compile them") == "5 classes would stay eager"


def test_a_fix_of_a_class_that_is_used_elsewhere_is_only_shown(tmp_path: Path) -> None:
    asked(tmp_path, net="from part import Part\nclass Net(HybridBlock): pass\n")
    source = SourceFile.read(tmp_path / "part.py")
    reason = why_only_shown(source, ["Part"], "would stay eager", "might compile them")
    assert reason == "`net.py` uses them too, and might compile them"
