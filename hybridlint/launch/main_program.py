"""Run a script or module as the main program, as python itself would, with the bundled runtime served as mxnet."""

from __future__ import annotations

import builtins
import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from hybridlint.launch.legacy import loader
from hybridlint.launch.serve import serve
from hybridlint.system.signal_end import end_at_once
from hybridlint.system.terminal import unprotect

_OWN_FILES = (__file__, loader.__file__)


#: Shortens the traceback of a failed program to its own frames, and returns advice to print below it.
FailureReader = Callable[[BaseException], str]


def run_script(
    script: str, arguments: Sequence[str], read_failure: FailureReader, *, legacy_names: bool = True
) -> NoReturn:
    """Run a file, or the ``__main__.py`` of a folder, and exit with its status.

    `read_failure` gets the exception that ends the program, if one does. With `legacy_names`, the program's modules
    also get names that Python and numpy have removed.
    """
    path = Path(script)
    folder = path if path.is_dir() else path.parent
    file = Path(os.path.abspath(path / "__main__.py" if path.is_dir() else path))
    try:
        data = file.read_bytes()
    except OSError as error:
        if path.is_dir() and not file.exists():
            _refuse(f"the folder '{os.path.abspath(script)}' has no __main__.py: name the script to run", status=2)
        _refuse(f"can't open file '{os.path.abspath(script)}': [Errno {error.errno}] {error.strerror}", status=2)
    _prepare([script, *arguments], os.path.realpath(folder), legacy_names)
    main = _main_module(file=str(file))
    # Compiling bytes lets Python detect the encoding, and show the line of a syntax error.
    compiled = loader.compile_source if legacy_names else _compile
    _execute(lambda: compiled(data, str(file)), main, read_failure)


def run_module(
    name: str, arguments: Sequence[str], read_failure: FailureReader, *, legacy_names: bool = True
) -> NoReturn:
    """Run a module, or the ``__main__`` of a package, found as ``python -m`` finds it, and exit with its status."""
    _prepare(["-m", *arguments], os.getcwd(), legacy_names)
    try:
        spec, code = _find_module(name)
    except SystemExit:
        raise
    except BaseException as error:
        _fail(error, read_failure)
    sys.argv[0] = spec.origin or name
    main = _main_module(file=spec.origin, spec=spec)
    _execute(lambda: code, main, read_failure)


def _compile(source: bytes, path: str) -> CodeType:
    return compile(source, path, "exec", dont_inherit=True)


def _prepare(argv: list[str], folder: str, legacy_names: bool) -> None:
    serve()
    if legacy_names:
        loader.install()
    sys.argv = argv
    # The first entry is the folder of our own script, or the current folder under `python -m hybridlint`.
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder
    else:
        sys.path.insert(0, folder)


def _find_module(name: str) -> tuple[ModuleSpec, CodeType]:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            name = f"{name}.__main__"
            package, spec = spec, importlib.util.find_spec(name)
            if spec is None:
                _refuse(f"No module named {name}; '{package.name}' is a package and cannot be directly executed")
    except ModuleNotFoundError as error:
        _refuse(f"No module named {error.name or name}")
    if spec is None or spec.loader is None:
        _refuse(f"No module named {name}")
    loader: Any = spec.loader
    code: CodeType | None = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    if code is None:
        _refuse(f"No code object available for {name}")
    return spec, code


def _main_module(*, file: str | None, spec: ModuleSpec | None = None) -> ModuleType:
    """Create a new ``__main__`` module and put it in the place of ours."""
    main = ModuleType("__main__")
    vars(main).update(__builtins__=builtins, __spec__=spec, __cached__=spec.cached if spec else None)
    if file is not None:
        vars(main)["__file__"] = file
    if spec is not None:
        vars(main).update(__package__=spec.parent, __loader__=spec.loader)
    sys.modules["__main__"] = main
    return main


def _execute(compiled: Callable[[], CodeType], main: ModuleType, read_failure: FailureReader) -> NoReturn:
    end_at_once()
    unprotect()
    try:
        exec(compiled(), vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        _fail(error, read_failure)
    sys.exit(0)


def _fail(error: BaseException, read_failure: FailureReader) -> NoReturn:
    """Report an exception as python does at the end of a program, followed by the linter's advice.

    Frames of this module and of the runtime are left out.
    """
    error.__traceback__ = _own_frames_removed(error.__traceback__)
    advice = read_failure(error)
    sys.stdout.flush()
    sys.excepthook(type(error), error, error.__traceback__)
    sys.stderr.write(advice)
    if isinstance(error, KeyboardInterrupt):
        # As python does: the shell must see a program killed by the signal.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    sys.exit(1)


def _own_frames_removed(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename in _OWN_FILES:
        trace = trace.tb_next
    return trace


def _refuse(reason: str, status: int = 1) -> NoReturn:
    sys.stderr.write(f"hybridlint run: {reason}\n")
    sys.exit(status)
