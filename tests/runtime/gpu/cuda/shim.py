"""A toolkit without a GPU: generated kernels are compiled as C++, with a small shim for threads and blocks."""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.platforms.toolkit import Launcher

COMPILER = shutil.which("g++")
#: Marks tests that run generated kernels.
runs_kernels = pytest.mark.skipif(COMPILER is None, reason="there is no g++, which compiles kernels as C++")

_SHIM = Path(__file__).with_name("shim.hpp")
_KERNEL = re.compile(r'extern "C" __global__ void (\w+)\(([^)]*)\)')
_NUMBERS: dict[str, Any] = {"float": ctypes.c_float, "long long": ctypes.c_longlong}


class DeviceError(Exception):
    """What a GPU raises that fails."""


class DeviceMemoryError(Exception):
    """What a GPU raises that has no memory left."""


class Shim:
    """See `Toolkit`. Each thing that it does can be made to fail, and is counted."""

    failures: tuple[type[Exception], ...] = (DeviceError,)
    memory_errors: tuple[type[Exception], ...] = (DeviceMemoryError,)
    compiler = "g++"

    def __init__(
        self, failing: Sequence[str] = (), error: type[Exception] = DeviceError, *, optimized: bool = False
    ) -> None:
        self._optimized = optimized
        self.failing = set(failing)
        self.error = error
        self.launches = 0
        self.captures = 0
        self.replays = 0
        self._recorded: list[Callable[[], None]] | None = None

    def functions(self, source: str, names: Sequence[str]) -> Sequence[Launcher]:
        self._may_fail("compile")
        library = compiled(source, optimized=self._optimized)
        return [self._launcher(library, *found) for found in library.kernels(names)]

    def address(self, raw: Raw) -> int:
        held = getattr(raw, "_held", raw)
        assert held.flags.c_contiguous
        return int(held.ctypes.data)

    def captured(self, work: Callable[[], None]) -> Callable[[], None]:
        self._may_fail("capture")
        recorded = self._recorded = []
        try:
            work()
        finally:
            self._recorded = None
        self.captures += 1
        assert recorded

        def replay() -> None:
            self.replays += 1
            for launch in recorded:
                launch()

        return replay

    def _launcher(self, library: Library, address: int, kinds: Sequence[str], waits: bool) -> Launcher:
        def launch(blocks: tuple[int], threads: tuple[int], given: tuple[Any, ...]) -> None:
            self._may_fail("launch")
            assert len(given) == len(kinds)
            held = [_NUMBERS.get(kind, ctypes.c_void_p)(value) for kind, value in zip(kinds, given, strict=True)]

            def run() -> None:
                library.launch(address, blocks[0], threads[0], held, waits)

            if self._recorded is not None:
                self._recorded.append(run)
            else:
                self.launches += 1
                run()

        return launch

    def _may_fail(self, what: str) -> None:
        if what in self.failing:
            raise self.error(f"no {what} here")


class Library:
    """Kernels in a shared object."""

    def __init__(self, source: str, path: Path) -> None:
        self._kinds = {name: [_kind(p) for p in given.split(", ") if p] for name, given in _KERNEL.findall(source)}
        bodies = re.split(r"(?=extern \"C\" __global__)", source)
        self._waiting = {name for body in bodies if "__syncthreads" in body for name, _ in _KERNEL.findall(body)}
        self._library = ctypes.CDLL(str(path))
        self._lock = threading.Lock()

    def kernels(self, names: Sequence[str]) -> list[tuple[int, list[str], bool]]:
        """Return address, kinds of parameters, and whether threads wait for each other, of kernels."""
        found = []
        for name in names:
            address = ctypes.cast(getattr(self._library, f"{name}_given"), ctypes.c_void_p).value
            assert address is not None
            found.append((address, self._kinds[name], name in self._waiting))
        return found

    def launch(self, address: int, blocks: int, threads: int, held: Sequence[Any], waits: bool) -> None:
        """Run a kernel on values."""
        table = (ctypes.c_void_p * max(len(held), 1))(*(ctypes.addressof(value) for value in held))
        with self._lock:
            self._library.launch(ctypes.c_void_p(address), blocks, threads, table, int(waits))


def _kind(parameter: str) -> str:
    """Return the type of a parameter: a pointer, or that of a number."""
    return "pointer" if "*" in parameter else parameter.rpartition(" ")[0].removeprefix("const ")


@cache
def _folder() -> Path:
    """Return a folder for this session's shared objects."""
    folder = tempfile.mkdtemp(prefix="hybridlint-shim-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@cache
def compiled(source: str, *, optimized: bool = False) -> Library:
    """Return the kernels of a module, compiled once in a session; optimized ones take longer to compile."""
    assert COMPILER is not None
    options = ("-std=c++17", "-ffp-contract=off", "-fPIC", "-w", "-O1" if optimized else "-O0")
    stem = _shim(options) / hashlib.sha256(source.encode()).hexdigest()[:16]
    text = f"#include <{_SHIM.name}>\n{source}\n" + "".join(map(_entry, _KERNEL.findall(source)))
    stem.with_suffix(".cpp").write_text(text, encoding="utf-8")
    library = stem.with_suffix(".so")
    command = [COMPILER, *options, f"-I{stem.parent}", f"-I{_SHIM.parent}", "-shared", str(stem.with_suffix(".cpp"))]
    subprocess.run([*command, "-o", str(library)], check=True)
    return Library(source, library)


@cache
def _shim(options: tuple[str, ...]) -> Path:
    """Return a folder with the shim precompiled, which takes longer to read than most kernels to compile."""
    assert COMPILER is not None
    folder = _folder() / options[-1]
    folder.mkdir()
    header = folder / f"{_SHIM.name}.gch"
    subprocess.run([COMPILER, *options, "-x", "c++-header", str(_SHIM), "-o", str(header)], check=True)
    return folder


def _entry(kernel: tuple[str, str]) -> str:
    """Return a function that calls a kernel with values in a table."""
    name, given = kernel
    parameters = [p for p in given.split(", ") if p]
    kinds = [re.sub(r"(\* (?:__restrict__ )?|\s)\w+$", lambda m: "*" if "*" in m[0] else "", p) for p in parameters]
    values = ", ".join(f"*({kind}*)given[{k}]" for k, kind in enumerate(kinds))
    return f'extern "C" void {name}_given(void** given) {{ {name}({values}); }}\n'
