"""The user's own operators: their shapes, as settings and modules of own rules declare them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hybridlint.core.errors import UsageError
from hybridlint.rule import own_operators

if TYPE_CHECKING:
    from hybridlint.project.settings.config import Config
    from hybridlint.runtime.facts.declared import DeclaredShapes


def declared_operators(config: Config) -> Mapping[str, DeclaredShapes]:
    """Return the signature of each declared operator by its dotted name below F. Raises UsageError."""
    of_modules = own_operators()
    if not config.operators and not of_modules:
        return {}
    place = f"{config.path}: `operators" if config.path else "`operators"
    found = {name: _read(name, text, "`operators") for name, text in of_modules.items()}
    return found | {name: _read(name, text, place) for name, text in config.operators.items()}


def _read(name: str, text: str, place: str) -> DeclaredShapes:
    from hybridlint.runtime.facts import lookup
    from hybridlint.runtime.facts.declared import parse

    *path, last = name.split(".")
    if lookup.function(tuple(path), last) is not None:
        raise UsageError(f"{place}.{name}`: MXNet has an operator of this name, whose shapes are known; take it out")
    try:
        return parse(text)
    except ValueError as error:
        raise UsageError(f"{place}.{name}`: {error}") from error
