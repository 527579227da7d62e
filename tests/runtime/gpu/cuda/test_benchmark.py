"""The benchmark of GPUs: what it says without one, and that it goes on where it was broken off."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hybridlint.runtime.platforms.devices import using
from tests.runtime.gpu.cuda.shim import Shim, runs_kernels
from tests.runtime.gpu.fake import FakeDevices

PATH = Path(__file__).parents[4] / "benchmarks" / "gpu.py"


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("gpu_benchmark", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("workloads", None)


def test_without_a_gpu_it_says_what_is_missing(gpu: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with using(FakeDevices(0)):
        assert gpu.main([]) == 2
    said = capsys.readouterr()
    assert said.err == "benchmarks/gpu.py needs a GPU of NVIDIA, its driver and CuPy: there is none\n"
    assert said.out == ""


@runs_kernels
def test_it_goes_on_where_it_was_broken_off(
    gpu: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpu, "WORKLOADS", {"mlp": gpu.WORKLOADS["mlp"]})
    monkeypatch.setattr(gpu, "BATCHES", (1,))
    monkeypatch.setattr(gpu, "_COPIED", 1 << 10)
    monkeypatch.setattr(gpu, "least_seconds", lambda work: (work(), 1e-6)[1])
    monkeypatch.setattr(gpu, "grown", lambda way: 0)
    kept = tmp_path / "kept" / "state.json"
    parts = ["copy", "workloads", "memory"]
    with using(FakeDevices(1, Shim())):
        assert gpu.main(["--state", str(kept), "--minutes", "0", *parts]) == 1
        assert "no time was left for 8 pieces, the first of them copy: bytes a second" in capsys.readouterr().err
        assert gpu.main(["--state", str(kept), *parts]) == 0
        table = capsys.readouterr().out
        monkeypatch.setattr(gpu, "timed", lambda *_: pytest.fail("it was done already"))
        assert gpu.main(["--state", str(kept), *parts]) == 0
    assert "| mlp | 1 | 1.0 | 1.0 | 1.0 | 1.0 | 1.0 |" in table
    assert set(json.loads(kept.read_text())) == set(parts)


def test_operators_are_compared_with_the_cpu(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.runtime.compiled import test_samples

    few = test_samples.cases(lambda operator, sample: operator.name in {"softmax", "relu", "FullyConnected"})
    monkeypatch.setattr(test_samples, "cases", lambda _: few)
    state: dict[str, Any] = {}
    with using(FakeDevices(1)):
        gpu.operators(gpu.Part(state, float("inf"), lambda: None))
    assert len(state) == len(few)
    assert all(apart <= 1e-6 for apart in state.values())
    assert next(iter(gpu.told({"operators": state}))).endswith("0 of them not as on the CPU")


def test_tests_and_proofs_are_told_as_they_say(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said = SimpleNamespace(stdout="...\n7 passed, 2 skipped\n", stderr="", returncode=0)
    monkeypatch.setattr(gpu, "subprocess", SimpleNamespace(run=lambda *_, **__: said))
    state: dict[str, dict[str, Any]] = {"tests": {}, "proof": {}}
    for name, results in state.items():
        gpu.PARTS[name](gpu.Part(results, float("inf"), lambda: None))
    assert set(state["tests"].values()) == {"7 passed, 2 skipped"}
    assert all((PATH.parents[1] / place).exists() for place in state["tests"])
    assert "tests/runtime/gpu: 7 passed, 2 skipped" in [*gpu.told(state)]
