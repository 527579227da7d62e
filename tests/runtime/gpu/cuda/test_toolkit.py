"""What the toolkit asks of CuPy, shown by an object in its place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hybridlint.runtime.platforms.cupy_toolkit import OPTIONS, CupyToolkit


class Stream:
    """A stream that notes what happens to it."""

    def __init__(self, log: list[str], **given: Any) -> None:
        self._log = log
        log.append(f"stream {given}")

    def __enter__(self) -> None:
        self._log.append("enter")

    def __exit__(self, *_: object) -> None:
        self._log.append("exit")

    def begin_capture(self) -> None:
        self._log.append("begin")

    def end_capture(self) -> Any:
        self._log.append("end")
        return SimpleNamespace(launch=lambda: self._log.append("launch"))


class Missing:
    """A module of CuPy whose library is not installed."""

    def __getattr__(self, name: str) -> Any:
        raise ImportError("libcublas.so.12 is not there")


def cupy(log: list[str]) -> Any:
    cuda = SimpleNamespace(
        Stream=lambda **given: Stream(log, **given),
        get_current_stream=lambda: SimpleNamespace(synchronize=lambda: log.append("wait")),
        runtime=SimpleNamespace(CUDARuntimeError=KeyError),
        driver=SimpleNamespace(CUDADriverError=ValueError),
        nvrtc=SimpleNamespace(NVRTCError=IndexError, getVersion=lambda: (12, 9)),
        compiler=SimpleNamespace(CompileException=OSError),
        cublas=Missing(),
        memory=SimpleNamespace(OutOfMemoryError=MemoryError),
    )

    def module(**given: Any) -> Any:
        log.append(f"compile {given['options'] == OPTIONS} {given['backend']}")
        return SimpleNamespace(get_function=lambda name: name)

    return SimpleNamespace(cuda=cuda, RawModule=module)


def test_code_is_compiled_by_nvrtc_without_contraction() -> None:
    log: list[str] = []
    toolkit = CupyToolkit(cupy(log))
    assert list(map(str, toolkit.functions("...", ["one", "two"]))) == ["one", "two"]
    assert log == ["compile True nvrtc"]
    assert "--fmad=false" in OPTIONS
    assert toolkit.compiler == "NVRTC 12.9"


def test_failures_are_those_of_driver_compiler_and_libraries_as_far_as_they_are_there() -> None:
    toolkit = CupyToolkit(cupy([]))
    assert toolkit.failures == (KeyError, ValueError, IndexError, OSError, ImportError)
    assert toolkit.memory_errors == (MemoryError,)


def test_a_capture_is_on_a_stream_of_its_own_and_ends_where_it_fails() -> None:
    log: list[str] = []
    replay = CupyToolkit(cupy(log)).captured(lambda: log.append("work"))
    replay()
    assert log == ["stream {'non_blocking': True}", "wait", "enter", "begin", "work", "end", "exit", "launch"]
    log.clear()

    def fails() -> None:
        raise KeyError("cuBLAS")

    with pytest.raises(KeyError):
        CupyToolkit(cupy(log)).captured(fails)
    assert log[-2:] == ["end", "exit"]
