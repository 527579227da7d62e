"""Extension modules of the project that are not built: only blocks that use them are not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

from .conftest import Prove

FREE = """class Free(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return x * 2

"""


def module(imports: str, value: str) -> str:
    """Return a module with a block that needs no extension, and one that computes `value` from `x`."""
    return (
        f"{imports}\n{FREE}class Fast(nn.HybridBlock):\n    def hybrid_forward(self, F, x):\n        return {value}\n"
    )


def package(folder: Path, files: dict[str, str]) -> None:
    """Write the files of a package `pack`, whose ``__init__.py`` is empty unless given."""
    for name, text in {"__init__.py": "", **files}.items():
        path = folder / "pack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def reason(outcome: ProofOutcome) -> str:
    assert outcome.status is ProofStatus.NOT_RUN, outcome
    return outcome.reason


@pytest.mark.parametrize(
    ("imports", "value"),
    [
        ("from ._fast import speed", "x * speed(3)"),
        ("from . import _fast", "x * _fast.speed(3)"),
        ("import pack._fast", "x * pack._fast.speed(3)"),
        ("from ._fast import RATE", "x * RATE"),
        ("from ._fast import RATE", "x * (RATE + 1)"),
        ("from ._fast import TABLE", "x * TABLE[0]"),
        ("from ._fast import TABLE", "x * len(TABLE)"),
        ("from ._fast import TABLE", "F.concat(*[x for _ in TABLE])"),
        ("from ._fast import ENABLED", "x * 3 if ENABLED else x"),
        ("from ._fast import MODE", "x * 3 if MODE == 'fast' else x"),
        ("", "x * __import__('pack._fast', fromlist=['speed']).speed(3)"),
    ],
)
def test_only_blocks_that_use_the_module_are_not_run(prove: Prove, tmp_path: Path, imports: str, value: str) -> None:
    package(tmp_path, {"_fast.pyx": "RATE = 2\n"})
    outcomes = prove(module(imports, value), name="pack/net.py")
    assert outcomes["Free"].status is ProofStatus.PROVED, outcomes["Free"]
    assert reason(outcomes["Fast"]) == "running it needs `pack._fast`, which is not built: only `_fast.pyx` is there"
    assert str(outcomes["Fast"].add).startswith("Build it for the Python of hybridlint")
    assert outcomes["Free"].unbuilt == ((("pack._fast", "_fast.pyx"),) if imports else ())
    assert outcomes["Free"].module_end is None


@pytest.mark.parametrize(
    ("file", "lacking"),
    [
        ("_fast.cpp", "not built: only `_fast.cpp` is there"),
        ("_fast.c", "not built: only `_fast.c` is there"),
        ("_fast.so", "not built for this Python: only `_fast.so` is there"),
        ("_fast.cpython-31-other.so", "not built for this Python: only `_fast.cpython-31-other.so` is there"),
        ("_fast.cp31-win_other.pyd", "not built for this Python: only `_fast.cp31-win_other.pyd` is there"),
    ],
)
@pytest.mark.parametrize("imports", ["from ._fast import speed", "from . import _fast; speed = _fast.speed"])
def test_sources_and_builds_for_another_python(
    prove: Prove, tmp_path: Path, file: str, lacking: str, imports: str
) -> None:
    package(tmp_path, {file: "no build"})
    outcomes = prove(module(imports, "x * speed(3)"), name="pack/net.py")
    assert outcomes["Free"].status is ProofStatus.PROVED, outcomes["Free"]
    assert reason(outcomes["Fast"]) == f"running it needs `pack._fast`, which is {lacking}"


def test_a_package_that_imports_the_module_is_imported_whole(prove: Prove, tmp_path: Path) -> None:
    package(
        tmp_path,
        {"__init__.py": "from .inner._fast import speed\nLIMIT = 3\n", "inner/_fast.pyx": "", "inner/__init__.py": ""},
    )
    outcomes = prove(module("from . import LIMIT", "x * LIMIT"), name="pack/net.py")
    assert {outcome.status for outcome in outcomes.values()} == {ProofStatus.PROVED}
    assert outcomes["Fast"].unbuilt == (("pack.inner._fast", "_fast.pyx"),)


def test_names_of_a_package_that_lacks_an_installed_module_are_there(prove: Prove, tmp_path: Path) -> None:
    package(tmp_path, {"__init__.py": "import no_such_module\nLIMIT = 3\n"})
    outcomes = prove(module("from . import LIMIT", "x * LIMIT"), name="pack/net.py")
    assert {outcome.status for outcome in outcomes.values()} == {ProofStatus.PROVED}
    assert outcomes["Fast"].unbuilt == ()


def test_a_module_beside_a_script(prove: Prove, tmp_path: Path) -> None:
    (tmp_path / "_fast.pyx").write_text("")
    outcomes = prove(module("import _fast", "x * _fast.speed(3)"))
    assert outcomes["Free"].status is ProofStatus.PROVED
    assert reason(outcomes["Fast"]) == "running it needs `_fast`, which is not built: only `_fast.pyx` is there"


def test_a_fallback_of_the_project_is_used(prove: Prove, tmp_path: Path) -> None:
    package(tmp_path, {"_fast.pyx": ""})
    imports = "try:\n    from . import _fast\n    speed = _fast.speed\nexcept ImportError:\n    speed = abs"
    outcomes = prove(module(imports, "x * speed(-3)"), name="pack/net.py")
    assert {outcome.status for outcome in outcomes.values()} == {ProofStatus.PROVED}
    assert outcomes["Fast"].unbuilt == ()


def test_a_python_file_of_that_name_is_imported(prove: Prove, tmp_path: Path) -> None:
    package(tmp_path, {"_fast.pyx": "", "_fast.py": "def speed(n):\n    return n\n"})
    outcomes = prove(module("from ._fast import speed", "x * speed(3)"), name="pack/net.py")
    assert {outcome.status for outcome in outcomes.values()} == {ProofStatus.PROVED}


def test_a_name_that_the_package_lacks_has_no_stand_in(prove: Prove, tmp_path: Path) -> None:
    package(tmp_path, {"_fast.pyx": ""})
    outcomes = prove(module("from . import _slow", "x * _slow.speed(3)"), name="pack/net.py")
    assert "cannot import name '_slow'" in str(outcomes["Fast"].module_end)
    assert outcomes["Fast"].unbuilt == ()


def test_classes_may_derive_from_and_be_annotated_with_its_names(prove: Prove, tmp_path: Path) -> None:
    package(tmp_path, {"_fast.pyx": ""})
    imports = (
        "from ._fast import Base, Other, cached\nclass Mixed(Base, Other):\n    pass\n"
        "@cached\ndef double(x: Base[int]) -> Base:\n    return 1 if isinstance(x, Base) else x * 2"
    )
    outcomes = prove(module(imports, "double(x)"), name="pack/net.py")
    assert {outcome.status for outcome in outcomes.values()} == {ProofStatus.PROVED}


def test_what_only_the_compiled_run_uses_refutes_nothing(prove: Prove, tmp_path: Path) -> None:
    package(tmp_path, {"_fast.pyx": ""})
    outcomes = prove(module("from ._fast import speed", "x * 3 if F is mx.nd else x * speed(3)"), name="pack/net.py")
    assert reason(outcomes["Fast"]) == (
        "compiled: running it needs `pack._fast`, which is not built: only `_fast.pyx` is there"
    )


def test_building_a_block_that_needs_it(prove: Prove, tmp_path: Path) -> None:
    package(tmp_path, {"_fast.pyx": ""})
    body = f"""from ._fast import table
{FREE}class Fast(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.table = table(3)

    def hybrid_forward(self, F, x):
        return x * self.table
"""
    outcomes = prove(body, name="pack/net.py")
    assert reason(outcomes["Fast"]) == "building it needs `pack._fast`, which is not built: only `_fast.pyx` is there"


def test_the_module_decides_nothing_while_it_is_imported(prove: Prove, tmp_path: Path) -> None:
    package(tmp_path, {"_fast.pyx": ""})
    imports = "from . import _fast\nif _fast.available():\n    WIDTH = 3\nelse:\n    WIDTH = 2"
    outcomes = prove(module(imports, "x * WIDTH"), name="pack/net.py")
    assert outcomes["Free"].status is ProofStatus.PROVED
    assert "`pack._fast` is not built: only `_fast.pyx` is there" in str(outcomes["Free"].module_end)
    assert "NameError: name 'WIDTH' is not defined" in reason(outcomes["Fast"])
