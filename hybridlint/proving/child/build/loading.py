"""Importing a user's module, under its own name, from a text that may differ from the file on disk."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import linecache
import os
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.advice import install
from hybridlint.proving.child.build.absent import Absent
from hybridlint.proving.child.errors import ON_MXNET, NotRunError, describe, failure, lack_reason

PACKAGE_FILE = "__init__.py"

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Compiles a source text under the given file name.
    Compile = Callable[[str, str], CodeType]


def _compile(text: str, path: str) -> CodeType:
    return compile(text, path, "exec", dont_inherit=True)


class TextLoader(importlib.abc.InspectLoader):
    """A loader of a module from a text; `compiled` turns the text into code."""

    def __init__(self, path: str, text: str, compiled: Compile) -> None:
        self.path = path
        self.text = text
        self.compiled = compiled

    def get_source(self, fullname: str) -> str:
        """Return the text, for tracebacks and `inspect`."""
        return self.text

    def get_code(self, fullname: str) -> CodeType:
        """Compile the text under the name of the user's file."""
        return self.compiled(self.text, self.path)

    def get_filename(self, fullname: str) -> str:
        """Return the name of the user's file."""
        return self.path

    def is_package(self, fullname: str) -> bool:
        """Whether the file is a package's ``__init__.py``."""
        return os.path.basename(self.path) == PACKAGE_FILE


class Variants(importlib.abc.MetaPathFinder):
    """An import finder that loads one module of the user from several texts (versions of the file) in turn."""

    def __init__(self, name: str, path: str, compiled: Compile = _compile) -> None:
        self.name = name
        self.path = path
        self.compiled = compiled
        self._text = ""
        #: Paths and texts of other modules that differ from the files on disk, by name.
        self._beside: dict[str, tuple[str, str]] = {}
        self._absent = Absent()
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname: str, path: Sequence[Any] | None = None, target: ModuleType | None = None) -> Any:
        """Return the import spec of the user's module or of one with a new text beside it, None for all others."""
        if fullname != self.name and fullname not in self._beside:
            return None
        place, text = (self.path, self._text) if fullname == self.name else self._beside[fullname]
        loader = TextLoader(place, text, self.compiled)
        return importlib.util.spec_from_file_location(fullname, place, loader=loader)

    def put_beside(self, texts: Sequence[tuple[str, str, str]], project: str) -> None:
        """Make later imports use new texts for other modules; `texts` holds (module name, path, text) for each.

        All modules below the folder `project` are imported anew, since they may have imported the old ones.
        """
        if not texts:
            return
        self._beside = {name: (path, text) for name, path, text in texts}
        below = os.path.join(project, "")
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(below) and name != "__main__":
                del sys.modules[name]

    def load(self, text: str) -> ModuleType:
        """Import the module from this text. Raises NotRunError if the import fails.

        `inspect` reads the text that was loaded first: inputs and arguments are found by the code before it was fixed.
        """
        sys.modules.pop(self.name, None)
        if not self._text:
            linecache.cache[self.path] = (len(text), None, text.splitlines(True), self.path)
        self._text = text
        self._absent.loaded = False
        try:
            return self._with_stand_ins()
        except NotRunError:
            raise
        except SystemExit as error:
            raise NotRunError(
                f"importing the module ends the program ({describe(error)})",
                _GUARD,
                failure(error, self.path).row,
            ) from error
        except BaseException as error:
            raise NotRunError(*_import_failure(error, self.path)) from error
        finally:
            self._absent.loaded = True

    def _with_stand_ins(self) -> ModuleType:
        """Import the module with stand-ins for missing modules. Raises the first error if that does not help."""
        try:
            return self._import()
        except ModuleNotFoundError as error:
            if not self._absent.add(error.name):
                raise
            self._forget_package()
            try:
                return self._with_stand_ins()
            except Exception:
                raise error from None

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
        # The package's `__init__.py` fails, but the module itself may not need it: empty packages take its place.
        for package, folder in self._packages():
            bare = ModuleType(package)
            bare.__path__ = [folder]
            sys.modules[package] = bare
        return importlib.import_module(self.name)

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


#: Advice for an import that fails.
_GUARD = 'Put what only the script does under `if __name__ == "__main__":`.'


def _import_failure(error: BaseException, path: str) -> tuple[str, str, int | None]:
    found = failure(error, path)
    if found.engine_lacks:
        return lack_reason(found.sentence), ON_MXNET, found.row
    return f"the module cannot be imported: {found.sentence}", _remedy(error), found.row


def _remedy(error: BaseException) -> str:
    """Return advice on an error of an import."""
    text = str(error)
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.split(".")[0]
        if top == "mxnet":
            return "Correct the import: MXNet 1.9.1 has no such module."
        return install(top)
    if "relative import" in text:
        return "Add an `__init__.py` to the folder, so that it is a package, or import absolutely."
    if isinstance(error, (ImportError, SyntaxError)):
        return "Correct what the line names, or install the version that the file was written for."
    return f"Make `import` of the file work on its own. {_GUARD}"
