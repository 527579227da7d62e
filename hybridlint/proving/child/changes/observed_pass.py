"""The functions that calls of a block run: its traced pass, with the objects that it gets, and all others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import CodeType, FrameType, ModuleType
from typing import Any

from hybridlint.proving.child.changes.file_writes import OF_SYSTEM, OPENING
from hybridlint.proving.child.classes import ENTRY

#: Most different objects that are kept of one variable.
_MOST = 20


class ObservedPass:
    """The functions of the project that calls of a block run; with their variables for its traced part.

    A function is (name of its module, code).
    """

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        self._names = {id(vars(module)): name for name, module in modules.items()}
        self._depth = 0
        self.traced: dict[tuple[str, CodeType], dict[str, list[Any]]] = {}
        self.called: set[tuple[str, CodeType]] = set()
        #: Whether the traced part asks for files.
        self.reads_files = False

    def watch(self, run: Callable[[], Any]) -> None:
        """Run something that calls the block."""
        earlier = sys.getprofile()
        sys.setprofile(self._note)
        try:
            run()
        finally:
            sys.setprofile(earlier)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call":
            is_of_system = getattr(argument, "__module__", None) in OF_SYSTEM
            self.reads_files |= self._depth > 0 and is_of_system and argument.__name__ in OPENING
        is_entry = frame.f_code.co_name == ENTRY
        if event == "return":
            self._depth -= is_entry
        elif event == "call":
            self._depth += is_entry
            module = self._names.get(id(frame.f_globals))
            if module is not None:
                self.called.add((module, frame.f_code))
                if self._depth:
                    _note(self.traced.setdefault((module, frame.f_code), {}), frame)


def _note(variables: dict[str, list[Any]], frame: FrameType) -> None:
    for name, value in frame.f_locals.items():
        known = variables.setdefault(name, [])
        if len(known) < _MOST and not any(value is other for other in known):
            known.append(value)
