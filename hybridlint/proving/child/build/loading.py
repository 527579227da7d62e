"""Importing a user's module, under its own name, from a text that may differ from the file on disk."""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.missing_modules import Absent
from hybridlint.proving.child.build.module_statements import MAIN_GUARD, ModuleEnd, StatementRunner
from hybridlint.proving.child.errors import ON_MXNET, NotRunError, describe, failure, lack_reason
from hybridlint.proving.child.run_advice import install
from hybridlint.proving.child.unbuilt_modules import BUILD, named_unbuilt

PACKAGE_FILE = "__init__.py"

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Parses a source text of the given file name.
    Parse = Callable[[str, str], ast.Module]


class TextLoader(importlib.abc.InspectLoader):
    """A loader of a module from a text that `parse` reads; `run` runs the module, None if Python does."""

    def __init__(self, path: str, text: str, parse: Parse, run: Callable[[ast.Module, dict[str, Any]], None] | None):
        self.path = path
        self.text = text
        self.parse = parse
        self.run = run

    def get_source(self, fullname: str) -> str:
        """Return the text, for tracebacks and `inspect`."""
        return self.text

    def get_code(self, fullname: str) -> CodeType:
        """Compile the text under the name of the user's file."""
        return compile(self.parse(self.text, self.path), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        if self.run is None:
            super().exec_module(module)
        else:
            self.run(self.parse(self.text, self.path), vars(module))

    def get_filename(self, fullname: str) -> str:
        """Return the name of the user's file."""
        return self.path

    def is_package(self, fullname: str) -> bool:
        """Whether the file is a package's ``__init__.py``."""
        return os.path.basename(self.path) == PACKAGE_FILE


class Variants(importlib.abc.MetaPathFinder):
    """An import finder that loads one module of the user from several texts (versions of the file) in turn.

    `namespaces` has the project's folders that are packages without ``__init__.py``, by their dotted names: no
    installed package of the same name takes their place. `roots` are the folders that have the project's own modules.
    """

    def __init__(
        self,
        name: str,
        path: str,
        namespaces: Mapping[str, str] | None = None,
        parse: Parse = ast.parse,
        *,
        roots: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.path = path
        self.namespaces = namespaces or {}
        self.parse = parse
        #: Where the module that was loaded last ended before its last statement, None if it did not.
        self.end: ModuleEnd | None = None
        self._text = ""
        self._runner: StatementRunner | None = None
        #: Paths and texts of other modules that differ from the files on disk, by name.
        self._beside: dict[str, tuple[str, str]] = {}
        self._absent = Absent(roots)
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname: str, path: Sequence[Any] | None = None, target: ModuleType | None = None) -> Any:
        """Return the import spec of the user's module, of its new text, or of one of its packages."""
        if fullname in self.namespaces:
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [self.namespaces[fullname]]
            return spec
        if fullname in self._absent.unbuilt:
            # Python finds a build that it cannot load.
            return self._absent.find_spec(fullname)
        if fullname != self.name and fullname not in self._beside:
            return None
        own = fullname == self.name
        place, text = (self.path, self._text) if own else self._beside[fullname]
        run = partial(self._runner.run, may_be_absent=self._absent.may_add) if own and self._runner else None
        loader = TextLoader(place, text, self.parse, run)
        return importlib.util.spec_from_file_location(fullname, place, loader=loader)

    def put_beside(self, texts: Sequence[tuple[str, str, str]], tops: Sequence[str]) -> None:
        """Make later imports use new texts for other modules; `texts` holds (module name, path, text) for each.

        All modules of the project are imported anew, since they may have imported the old ones: its folders and files
        are `tops`.
        """
        if not texts:
            return
        self._beside = {name: (path, text) for name, path, text in texts}
        below = tuple(os.path.join(top, "") for top in tops)
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None) or ""
            if (file in tops or file.startswith(below)) and name != "__main__":
                del sys.modules[name]

    def load(self, text: str, runner: StatementRunner | None = None) -> ModuleType:
        """Import the module from this text. Raises NotRunError if the import fails.

        With a `runner` a module that fails ends early, and has what it defines. `inspect` reads the text that was
        loaded first: inputs and arguments are found by the code before it was fixed.
        """
        sys.modules.pop(self.name, None)
        if not self._text:
            linecache.cache[self.path] = (len(text), None, text.splitlines(True), self.path)
        self._text, self._runner, self.end = text, runner, None
        self._absent.loaded = False
        try:
            return self._with_stand_ins()
        except NotRunError:
            raise
        except BaseException as error:
            sentence, add, row = import_failure(error, self.path)
            raise NotRunError(f"{CANNOT_BE_IMPORTED}{sentence}", add, row) from error
        finally:
            self._absent.loaded = True

    @property
    def unbuilt(self) -> Mapping[str, str]:
        """The file that is there for each module of the project that is not built and has a stand-in, by its name."""
        return self._absent.unbuilt

    def _with_stand_ins(self, first: ModuleNotFoundError | None = None) -> ModuleType:
        """Import the module with stand-ins for missing modules. Raises the first error if that does not help."""
        try:
            module = self._import()
        except ImportError as error:
            lacking = self._absent.add(error)
            if lacking is None:
                raise
            self._forget_package()
            try:
                return self._with_stand_ins(first or lacking)
            except Exception:
                raise lacking from None
        self.end = self._end(first)
        return module

    def _end(self, first: ModuleNotFoundError | None) -> ModuleEnd | None:
        """Return where the module ended. `first` is the error of the first module for which there is a stand-in."""
        end = None if self._runner is None else self._runner.end
        if end is None or self._runner is None or self._runner.error is None:
            return end
        sentence, add, row = import_failure(first or self._runner.error, self.path)
        return ModuleEnd(end.row if first is None or row is None else row, sentence, add)

    def _forget_package(self) -> None:
        """Remove the package from `sys.modules`, so that no half-made module or stand-in of it is used again."""
        top = self.name.split(".", maxsplit=1)[0]
        for name in list(sys.modules):
            if name == top or name.startswith(f"{top}."):
                del sys.modules[name]

    def _import(self) -> ModuleType:
        try:
            return importlib.import_module(self.name)
        except Exception as error:
            if "." not in self.name or self.name in sys.modules or _through(error, self.path):
                raise
            if self._absent.may_add_unbuilt(error):
                # With a stand-in for it, the package may be imported whole.
                raise
            return self._import_alone(error)

    def _import_alone(self, error: Exception) -> ModuleType:
        """Import the module within empty packages, as it may not need what its packages' ``__init__.py`` lacks.

        Raises `error`, by which these failed, if the module does need something of them and a stand-in may help.
        """
        for package, folder in self._packages():
            bare = ModuleType(package)
            bare.__path__ = [folder]
            sys.modules[package] = bare
        try:
            module = importlib.import_module(self.name)
        except Exception as second:
            if self._absent.may_add(second) or not self._absent.may_add(error):
                raise
            raise error from None
        ended = None if self._runner is None else self._runner.error
        if isinstance(ended, (ImportError, AttributeError)) and self._absent.may_add(error):
            raise error
        return module

    def _packages(self) -> Iterator[tuple[str, str]]:
        parts = self.name.split(".")[:-1]
        folder = os.path.dirname(self.path)
        if os.path.basename(self.path) == PACKAGE_FILE:
            folder = os.path.dirname(folder)
        for count in range(len(parts), 0, -1):
            yield ".".join(parts[:count]), folder
            folder = os.path.dirname(folder)


def _through(error: BaseException, path: str) -> bool:
    return failure(error, path).row is not None


#: The beginning of the reason for a module of which nothing can be run.
CANNOT_BE_IMPORTED = "the module cannot be imported: "


def import_failure(error: BaseException, path: str) -> tuple[str, str, int | None]:
    """Return the sentence of an import's error, advice, and the row of the file."""
    found = failure(error, path)
    if isinstance(error, SystemExit):
        return f"it ends the program ({describe(error)})", MAIN_GUARD, found.row
    if found.engine_lacks:
        return lack_reason(found.sentence), ON_MXNET, found.row
    return found.sentence, _remedy(error), found.row


def _remedy(error: BaseException) -> str:
    """Return advice on an error of an import."""
    text = str(error)
    if named_unbuilt(describe(error)) is not None:
        return BUILD
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.split(".")[0]
        if top == "mxnet":
            return "Correct the import: MXNet 1.9.1 has no such module."
        return install(top)
    if "relative import" in text:
        return "Add an `__init__.py` to the folder, so that it is a package, or import absolutely."
    if isinstance(error, (ImportError, SyntaxError)):
        return "Correct what the line names, or install the version that the file was written for."
    return f"Make `import` of the file work on its own. {MAIN_GUARD}"
