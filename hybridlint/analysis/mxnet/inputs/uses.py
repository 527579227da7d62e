"""How the body of a function uses its arguments: as tensors, or as containers of tensors."""

from __future__ import annotations

import re
from dataclasses import field

from hybridlint.runtime.facts.records import record
from hybridlint.text.plurals import is_plural

# What recurrent code calls its states: a list of tensors, a list of such lists, or one tensor.
STATES = frozenset({"states", "state", "begin_state", "begin_states", "init_states"})
#: Words in the names of what is carried from call to call, of any structure.
_CARRIED = re.compile(r"(?:^|_)(?:states?|hiddens?|prev|previous|past|caches?|carry|memories)(?:_|$)")


def is_carried(name: str) -> bool:
    """Return whether an argument's name says that it holds the result of an earlier call."""
    return name in STATES or _CARRIED.search(name) is not None


@record(slots=True)
class Uses:
    """The uses of a function's arguments in its body: sets of names, one for each kind of use."""

    #: Arguments that are used as only containers usually are, and as only containers can be.
    as_list: set[str] = field(default_factory=set)
    surely_list: set[str] = field(default_factory=set)
    #: Arguments that are used as only tensors are.
    as_tensor: set[str] = field(default_factory=set)
    #: Arguments of which an attribute is read that arrays have and containers lack, such as `shape`.
    with_shape: set[str] = field(default_factory=set)
    #: Arguments that are passed to operators, or whose methods are called: they are no numbers.
    passed: set[str] = field(default_factory=set)
    #: Arguments that are subscripted with a computed index.
    subscripted: set[str] = field(default_factory=set)
    #: Arguments that are called like functions, taken for blocks, or compared by type: they need not be tensors.
    either: set[str] = field(default_factory=set)
    #: Arguments that the body checks for being containers.
    probed: set[str] = field(default_factory=set)
    #: Arguments that are unpacked into several names.
    unpacked: set[str] = field(default_factory=set)
    #: The names that each argument is unpacked into.
    parts: dict[str, set[str]] = field(default_factory=dict)
    #: Arguments whose uses mostly suit lists: zipped with each other, spread over an operator's arguments,
    #: with a length that is checked, or with an element for each child or for each count that a setting gives.
    like_list: set[str] = field(default_factory=set)
    #: Arguments that are passed as they are to layers, which take no lists, or to functions that use tensors.
    to_layers: set[str] = field(default_factory=set)
    #: Arguments that are passed as they are to recurrent layers as their states.
    as_states: set[str] = field(default_factory=set)
    #: Arguments with keys that are texts, items, or values that are containers, and those searched for keys.
    mappings: set[str] = field(default_factory=set)
    searched: set[str] = field(default_factory=set)
    #: Arguments of which an array's attribute is read before anything checks what they are.
    arrays_first: frozenset[str] = frozenset()

    def is_list(self, name: str) -> bool:
        """Return whether the body uses an argument as a container.

        One use that no tensor supports is enough; otherwise weaker signs and a plural name must agree.
        """
        if name in self.surely_list:
            return True
        if name in self.as_tensor | self.to_layers or self._is_array(name):
            return False
        return name in self.like_list or (name in self.as_list and is_plural(name))

    def may_be_list(self, name: str) -> bool:
        """Return whether a list would support all uses of an argument."""
        return name in self.as_list | self.subscripted and not (
            name in self.as_tensor | self.to_layers or self._is_array(name)
        )

    def _is_array(self, name: str) -> bool:
        """Return whether the body reads the shape of an argument without a check that it is no container."""
        return name in self.with_shape - self.either - self.probed

    def may_hold_lists(self, name: str) -> bool:
        """Return whether a list would support all uses of one of the names that an argument is unpacked into."""
        return any(map(self.may_be_list, self.parts.get(name, ())))

    def holds_lists(self, name: str) -> bool:
        """Return whether the body uses one of the names that an argument is unpacked into as a container."""
        taken = self.parts.get(name, ())
        return any(self.is_list(part) or (is_carried(part) and self.may_be_list(part)) for part in taken)

    @property
    def tensors(self) -> frozenset[str]:
        """Names that are only used as tensors."""
        otherwise = self.as_list | self.surely_list | self.either | self.probed | self.mappings | STATES
        return frozenset(self.as_tensor - otherwise)

    def nested(self, name: str) -> bool:
        """Return whether the elements of a container argument may be containers themselves."""
        return name in self.either | self.probed

    def is_either(self, name: str) -> bool:
        """Return whether an argument may be a tensor or a container: the body checks which, or supports both."""
        as_tensor = name in self.as_tensor - self.as_list - self.surely_list - STATES
        sure = name in self.either | self.mappings
        probed = name in self.probed | self.searched and not as_tensor
        return name not in self.arrays_first and (sure or probed)

    def is_checked(self, name: str) -> bool:
        """Return whether all that is known of an argument is that the body checks it for being a container."""
        return name in self.probed - self.either - self.mappings - self.searched
