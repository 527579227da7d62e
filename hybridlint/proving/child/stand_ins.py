"""Stand-ins for the names of a module that cannot be imported: using one raises an error that names the module."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol

    class Owner(Protocol):
        """The maker of stand-ins; `loaded` is whether the user's module has been imported."""

        loaded: bool

        def may_decide(self, module: str) -> bool:
            """Whether names of a module may decide something while the user's module is imported."""

        def attribute(self, module: str, name: str) -> Any:
            """Return the stand-in for a name of a module."""

        def error(self, module: str) -> ModuleNotFoundError:
            """Return the error to raise where a module is used."""


_OWN = "hybridlint"
#: Operations besides `|`, by which annotations join classes.
_OPERATIONS = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul divmod rdivmod "
    "lshift rlshift rshift rrshift and rand xor rxor neg pos abs invert lt le gt ge int float complex index round "
    "trunc floor ceil len iter next reversed contains setitem delitem enter exit"
)


class StandIn(type):
    """The metaclass of stand-ins: they are classes, so that users' classes can derive from them."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        owner, module = cls._absent
        return owner.attribute(module, name)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return a decorated function, or the stand-in itself. Raises ModuleNotFoundError once the module is loaded."""
        _refuse_once_loaded(cls)
        # The missing decorator may only have made the function faster, so the function is returned unchanged.
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else cls

    def __getitem__(cls, key: Any) -> Any:
        # Annotations are evaluated while the module is imported.
        _refuse_once_loaded(cls)
        return cls

    def __bool__(cls) -> bool:
        if not _asked_by_proof():
            _refuse_decision(cls)
        return True

    def __eq__(cls, other: object) -> bool:
        if cls is not other and not _asked_by_proof():
            _refuse_decision(cls)
        return cls is other

    __hash__ = type.__hash__


def _refuse_once_loaded(stand_in: StandIn) -> None:
    owner, module = stand_in._absent
    if owner.loaded:
        raise owner.error(module)


def _refuse_decision(stand_in: StandIn) -> None:
    owner, module = stand_in._absent
    if owner.loaded or not owner.may_decide(module):
        raise owner.error(module)


def _refuse(stand_in: StandIn, *_others: Any) -> Any:
    owner, module = stand_in._absent
    raise owner.error(module)


for _name in _OPERATIONS.split():
    setattr(StandIn, f"__{_name}__", _refuse)


def _asked_by_proof() -> bool:
    """Whether the caller of a method of this module is code of the proof, which goes through a module's values."""
    return str(sys._getframe(2).f_globals.get("__name__")).startswith(_OWN)


def cause(error: BaseException) -> BaseException:
    """Return an error, or that of the lacking module if a function refused its stand-in.

    Arrays refuse a number that is a class by its type alone, which names no module.
    """
    if StandIn.__name__ in str(error):
        for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
            for value in frame.f_locals.values():
                if issubclass(type(value), StandIn):
                    owner, module = value._absent
                    lacking: ModuleNotFoundError = owner.error(module)
                    return lacking.with_traceback(error.__traceback__)
    return error
