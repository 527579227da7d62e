"""The only module that knows llvmlite, which has no types: IR as text goes in, a native function comes out."""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hybridlint.runtime.compiled.engines.jit.object_files import folder, read, write
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor

#: Calls take a table of pointers and return nothing; ctypes releases the interpreter's lock meanwhile.
_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
#: Those of a team take its words as well.
_CALL_WITH_WORDS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
#: The first llvmlite whose pointers have no types.
OLDEST = (0, 45)
#: IR of more characters than this goes through few passes: it is written with vectors, loops without waste and numbers
#: that are computed already, so that the others take more time than they save.
_LARGE = 500_000
#: What native code calls to let other threads run.
YIELD = "hybridlint_yield"


@dataclass(frozen=True, slots=True)
class Compiled:
    """Native functions. `keeper` owns their memory; `cached` is whether object code was found on disk."""

    keeper: Any
    seconds: float
    cached: bool
    size: int

    def __str__(self) -> str:
        origin = "from disk" if self.cached else "compiled"
        return f"{self.size / 1024:.1f} KiB of native code, {origin} in {self.seconds:.2f} s"

    def function(self, name: str) -> Callable[[int], None]:
        """Return a function that takes the address of a table."""
        call: Callable[[int], None] = _CALL(self.keeper.get_function_address(name))
        return call

    def team_function(self, name: str) -> Callable[[int, int], None]:
        """Return a function that takes the addresses of a table and of a team's words."""
        call: Callable[[int, int], None] = _CALL_WITH_WORDS(self.keeper.get_function_address(name))
        return call


@cache
def is_installed() -> bool:
    """Return whether there is an llvmlite that is new enough, without importing it."""
    try:
        numbers = version("llvmlite").split(".")
    except PackageNotFoundError:
        return False
    return tuple(int(number) for number in numbers[:2]) >= OLDEST


@cache
def ir() -> Any:
    """Return llvmlite's module that builds IR."""
    return importlib.import_module("llvmlite.ir")


@cache
def _binding() -> Any:
    binding = importlib.import_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.add_symbol(YIELD, _address_of_yield())
    return binding


def _address_of_yield() -> int:
    windows = getattr(ctypes, "windll", None)
    function = windows.kernel32.SwitchToThread if windows else ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@cache
def features() -> Mapping[str, bool]:
    """Return the features of this machine's processor."""
    return dict(_binding().get_host_cpu_features())


def _machine(target: TargetProcessor) -> Any:
    binding = _binding()
    flags = {**features(), **dict.fromkeys(target.without, False)}
    without = ",".join(f"{'+' if on else '-'}{name}" for name, on in flags.items())
    generic = target.processor is not None
    return binding.Target.from_default_triple().create_target_machine(
        cpu=_baseline() if generic else binding.get_host_cpu_name(),
        features="" if generic else without,
        opt=3,
    )


def _baseline() -> str:
    """Return the processor that every machine of this architecture is at least."""
    return "x86-64-v2" if _binding().get_process_triple().startswith("x86_64") else "generic"


@cache
def _host() -> tuple[str, ...]:
    """Return the facts that object code depends on besides its IR and target: llvmlite and the processor."""
    return version("llvmlite"), _binding().get_host_cpu_name(), str(sorted(features().items()))


@cache
def _compiler() -> str:
    """Return a digest of this file, which defines how IR is compiled; "" if it is unreadable, as in an archive."""
    try:
        return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    except OSError:
        return ""


def _place(text: str, machine: Any, target: TargetProcessor) -> Path | None:
    """Return the path of the cached object code for a text; None if there is none."""
    told = "\0".join([*_host(), machine.triple, target.name, text])
    place = folder()
    return None if place is None else place / f"{hashlib.sha256(told.encode()).hexdigest()}.o"


def compile_ir(told: str, target: TargetProcessor, written: Callable[[], str] | None = None) -> Compiled:
    """Compile IR, or take its object code from disk.

    `told` is the IR; or all that it depends on, and `written` writes it where there is no object code. What other
    sources told of equal IR was compiled for this one too.
    """
    start = time.perf_counter()
    binding, machine = _binding(), _machine(target)
    place = None if written is None else _place(told, machine, target)
    code = None if place is None else read(place)
    cached = code is not None
    if code is None:
        text = told if written is None else written()
        code, cached = _of_ir(text, machine, target)
        if place is not None:
            write(place, code)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Compiled(engine, time.perf_counter() - start, cached, len(code))


def _of_ir(text: str, machine: Any, target: TargetProcessor) -> tuple[bytes, bool]:
    """Return the object code of IR, and whether it was found on disk."""
    place = _place(f"{_compiler()} {text}", machine, target)
    found = None if place is None else read(place)
    code = _optimized(text, machine) if found is None else found
    if found is None and place is not None:
        write(place, code)
    return code, found is not None


def _optimized(text: str, machine: Any) -> bytes:
    binding = _binding()
    module = binding.parse_assembly(text)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=2)
    # Loops are written with vectors already.
    options.loop_vectorization = False
    options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    if len(text) > _LARGE:
        passes = binding.create_new_module_pass_manager()
        passes.add_loop_unroll_pass()
    else:
        passes = builder.getModulePassManager()
    passes.run(module, builder)
    code: bytes = machine.emit_object(module)
    return code
