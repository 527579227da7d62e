"""Functions and methods of Python and numpy that return booleans."""

from __future__ import annotations

from hybridlint.analysis.model.tables import words
from hybridlint.runtime.facts import lookup

#: Methods of strings, numbers, sets and other containers.
ANSWERING_METHODS = words(
    """
    isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper
    startswith endswith is_integer issubset issuperset isdisjoint is_absolute is_file is_dir exists
    """
)
#: Functions of numpy, besides operators, that return one boolean for all their arguments.
_OF_ALL = words("alltrue allclose array_equal array_equiv isscalar iterable issubdtype can_cast")
#: Functions of numpy, besides operators, that return one boolean per element.
_OF_EACH = words("isclose isreal iscomplex signbit isin in1d")
_BEGINNINGS = ("math.is", "cmath.is", "os.path.is", "os.path.exists", "inspect.is", "keyword.is")


def answers(function: str) -> bool:
    """Return whether a function, by its full dotted name, returns one boolean for numeric arguments."""
    library, _, name = function.partition(".")
    if library != "numpy":
        return function.startswith(_BEGINNINGS)
    return name in _OF_ALL or lookup.answers_at_once(name) or answers_for_each(function)


def answers_for_each(function: str) -> bool:
    """Return whether a numpy function returns an array of booleans for an array."""
    library, _, name = function.partition(".")
    return library == "numpy" and (name in _OF_EACH or lookup.answers_for_each(name))
