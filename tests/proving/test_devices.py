"""Proofs that run blocks on a GPU too: here one that is not there, with numpy's arithmetic."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from hybridlint.core.errors import UsageError
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving import devices
from hybridlint.proving.child.runs import variants
from hybridlint.proving.child.sandbox import confinement
from hybridlint.proving.child.sandbox.guard import AuditGuard
from hybridlint.proving.prover import ON_GPU

from .conftest import DENSE, Prove, proved

#: The module brings its GPU along: a proof's process has no other.
BLOCKS = f"""
    {DENSE}
    from hybridlint.runtime.platforms.devices import _chosen
    from tests.runtime.gpu import fake

    class Generator(fake.Generator):
        def __init__(self, seed):
            super().__init__(None if seed is None else seed + 1)

    fake.Generator = Generator
    _chosen.append(fake.FakeDevices(1))

    class Placed(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.broadcast_add(x, F.zeros((1, 1), ctx=mx.cpu()))

    class Drawing(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.Dropout(x, p=0.5)
    """


@pytest.fixture(autouse=True)
def _with_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ProofOutcome]:
    """Return the outcomes of proofs on the GPU too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        return proved(tmp_path_factory.mktemp("gpu"), BLOCKS, device="gpu")


def test_blocks_are_compared_eagerly_and_compiled_on_the_gpu(outcomes: dict[str, ProofOutcome]) -> None:
    assert outcomes["Net"].status is ProofStatus.PROVED
    assert outcomes["Net"].reason == "compiled = eager, on the GPU too"
    notes = {variant.name: variant.note for variant in outcomes["Net"].variants}
    assert [notes[name] for name in ON_GPU] == [None, None]


def test_an_array_on_a_device_of_its_own_is_refuted_there(prove: Prove, outcomes: dict[str, ProofOutcome]) -> None:
    assert prove(BLOCKS)["Placed"].status is ProofStatus.PROVED
    outcome = outcomes["Placed"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.reason.startswith("gpu, eager: ")
    assert "require all inputs live on the same context" in outcome.reason


def test_random_numbers_of_the_gpu_are_its_own(outcomes: dict[str, ProofOutcome]) -> None:
    outcome = outcomes["Drawing"]
    assert (outcome.status, outcome.reason) == (ProofStatus.PROVED, "compiled = eager")
    notes = {variant.name: variant.note for variant in outcome.variants}
    assert [notes[name] for name in ON_GPU] == ["the GPU draws random numbers of its own"] * 2


def test_the_names_of_variants_are_those_of_the_child() -> None:
    assert tuple(variant.name for variant in variants.ON_GPU) == ON_GPU


def test_only_a_proof_that_asks_for_a_gpu_reaches_its_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(confinement, "_gpu_files", lambda: ["/dev/nvidia0"])
    monkeypatch.setattr(confinement, "_held_by_the_system", lambda _, *, files, **__: asked.append([*files]))
    monkeypatch.setattr(AuditGuard, "install", lambda _: None)
    monkeypatch.setattr(confinement, "os", SimpleNamespace(**{**vars(os), "environ": {}}))
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    task = {"scratch": str(tmp_path), "shown": "/", "project": str(tmp_path)}
    for device in ("cpu", "gpu"):
        confinement.enter({**task, "device": device})
    assert asked == [[], ["/dev/nvidia0"]]


def test_files_for_screens_and_other_programs_are_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    there = ["nvidia0", "nvidia12", "nvidia-caps", "nvidia-modeset", "nvidia-uvm", "nvidia-uvm-tools", "nvidiactl"]
    monkeypatch.setattr(confinement, "glob", SimpleNamespace(glob=lambda _: [f"/dev/{name}" for name in there]))
    assert confinement._gpu_files() == ["/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidia12", "/dev/nvidiactl"]


#: Reserves addresses, then takes memory that can be written to, under the limits of a device.
_TAKING = """
import mmap, os, sys
from hybridlint.proving.child.limits import limit
limit({"memory": 1 << 30, "device": sys.argv[1]})
try:
    reserved = mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0)
    print("reserved")
    taken = bytearray(1 << 31)
    print("taken")
except (MemoryError, OSError) as error:
    print(type(error).__name__)
print(os.environ.get("CUPY_GPU_MEMORY_LIMIT"))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
def test_a_process_for_a_gpu_may_reserve_addresses_and_has_a_limit_of_memory_that_it_takes() -> None:
    def said(device: str) -> list[str]:
        command = [sys.executable, "-c", _TAKING, device]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert said("gpu") == ["reserved", "MemoryError", str(1 << 30)]
    assert said("cpu") == ["OSError", "None"]


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "missing_gpu", lambda: "CuPy finds no GPU")
    with pytest.raises(UsageError, match=r"^--device gpu cannot be used: CuPy finds no GPU$"):
        devices.require("gpu", "bundled")
    with pytest.raises(UsageError, match=r"^--device gpu is for the bundled runtime: leave out --engine mxnet$"):
        devices.require("gpu", "mxnet")
    devices.require("cpu", "mxnet")


def test_what_is_missing_is_asked_of_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_ASKING", "raise SystemExit('no driver')")
    devices.missing_gpu.cache_clear()
    assert devices.missing_gpu() == "no driver"
    monkeypatch.setattr(devices, "_ASKING", "print('')")
    devices.missing_gpu.cache_clear()
    assert devices.missing_gpu() is None
    devices.missing_gpu.cache_clear()
