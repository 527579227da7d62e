"""Functions and methods of Python and numpy that answer with True or False."""

from __future__ import annotations

from hybridlint.analysis.tables import words

#: Methods of texts, numbers, sets and other containers.
ANSWERING_METHODS = words(
    """
    isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper
    startswith endswith is_integer issubset issuperset isdisjoint is_absolute is_file is_dir exists
    """
)
#: Functions of numpy that make one answer of all that they get.
_OF_ALL = words("all any alltrue sometrue allclose array_equal array_equiv isscalar iterable issubdtype can_cast")
#: Functions of numpy that answer for each element.
_OF_EACH = words(
    """
    isnan isinf isfinite isneginf isposinf isclose isreal iscomplex signbit isin in1d logical_and logical_or
    logical_xor logical_not equal not_equal less less_equal greater greater_equal
    """
)
_BEGINNINGS = ("math.is", "cmath.is", "os.path.is", "os.path.exists", "inspect.is", "keyword.is")


def answers(function: str) -> bool:
    """Whether a function, by its full dotted name, answers with one boolean, numbers given."""
    library, _, name = function.partition(".")
    return name in _OF_ALL | _OF_EACH if library == "numpy" else function.startswith(_BEGINNINGS)


def answers_for_each(function: str) -> bool:
    """Whether a function of numpy gives an array of booleans for an array."""
    library, _, name = function.partition(".")
    return library == "numpy" and name in _OF_EACH
