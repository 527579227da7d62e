"""NVRTC without a device: generated source becomes PTX for the GPUs of several generations."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hybridlint.runtime.platforms.cupy_toolkit import OPTIONS

#: Volta, Ampere and Hopper.
ARCHITECTURES = ("sm_70", "sm_80", "sm_90")
_PACKAGE = "nvidia-cuda-nvrtc-cu12"


def _library() -> Path | None:
    """Return the library of the wheel, None where that is not installed."""
    try:
        found = importlib.util.find_spec("nvidia.cuda_nvrtc")
    except ModuleNotFoundError:
        return None
    places = [] if found is None else list(found.submodule_search_locations or ())
    return next((library for place in places for library in Path(place).glob("lib/libnvrtc.so.*")), None)


INSTALLED = _library() is not None
#: Marks tests that need NVRTC.
compiles_ptx = pytest.mark.skipif(not INSTALLED, reason=f"NVRTC is not installed: pip install {_PACKAGE}")


def ptx(source: str, architecture: str, *, machine_code: bool = False) -> str:
    """Return the PTX of a source, which becomes code of the machine too where that is asked for: registers and shared
    memory are known then. Fails with what the compiler says.
    """
    nvrtc = _loaded()
    program = ctypes.c_void_p()
    _checked(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"source.cu", 0, None, None))
    options = [*OPTIONS, f"--gpu-architecture={architecture if machine_code else f'compute_{architecture[3:]}'}"]
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), given)
    assert status == 0, _text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
    found = _text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
    _checked(nvrtc.nvrtcDestroyProgram(ctypes.byref(program)))
    return found


def assert_ptx(source: str, names: Sequence[str], architecture: str, *, machine_code: bool = False) -> None:
    """Check that a source becomes PTX with these kernels."""
    text = ptx(source, architecture, machine_code=machine_code)
    assert f".target {architecture}" in text
    for name in names:
        assert f".entry {name}(" in text


@cache
def _loaded() -> Any:
    return ctypes.CDLL(str(_library()))


def _text(program: Any, size_of: Any, text_of: Any) -> str:
    size = ctypes.c_size_t()
    _checked(size_of(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _checked(text_of(program, buffer))
    return buffer.value.decode()


def _checked(status: int) -> None:
    assert status == 0, f"NVRTC fails with status {status}"
