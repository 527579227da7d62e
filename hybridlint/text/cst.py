"""The names of libcst, imported on first use.

Importing libcst takes a while, which a check without findings should not pay for. Modules therefore write
``from hybridlint.text import cst`` and use ``cst.Call`` only inside functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

#: How deeply syntax may be nested that libcst is given. It takes time with the square of that, 0.1 s for so many, in
#: one call that no signal ends, and what is nested some thousand times overflows its stack.
_DEEPEST = 200

if TYPE_CHECKING:
    from libcst import *  # noqa: F403
else:
    from hybridlint.text.libcst_import import import_libcst

    def parse_module(source: str | bytes, *more: Any) -> Any:
        """Parse a module as libcst does. Raises RecursionError for one that is nested too deeply."""
        import_libcst()
        import libcst

        _check_depth(source)
        return libcst.parse_module(source, *more)

    def parse_statement(source: str, *more: Any) -> Any:
        """Parse a statement as libcst does. Raises RecursionError for one that is nested too deeply."""
        import_libcst()
        import libcst

        _check_depth(source)
        return libcst.parse_statement(source, *more)

    def parse_expression(source: str, *more: Any) -> Any:
        """Parse an expression as libcst does. Raises RecursionError for one that is nested too deeply."""
        import_libcst()
        import libcst

        _check_depth(source)
        return libcst.parse_expression(source, *more)

    def __getattr__(name: str) -> Any:
        import_libcst()
        import libcst

        value = globals()[name] = getattr(libcst, name)
        return value


def _check_depth(source: str | bytes) -> None:
    """Raise RecursionError for a text that is nested too deeply. libcst itself refuses other invalid texts."""
    if len(source) <= _DEEPEST:
        return
    import ast
    import warnings

    from hybridlint.text.syntax import depth

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    except MemoryError as error:
        raise RecursionError("the code is nested too deeply") from error
    if depth(tree) > _DEEPEST:
        raise RecursionError("the code is nested too deeply")
