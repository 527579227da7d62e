"""Other ways to construct a class: values passed in the project, callbacks, and what its code chooses by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from hybridlint.proving.child.brief.code import class_facts
from hybridlint.proving.child.build.values import guesses
from hybridlint.proving.child.build.values.choices import choices
from hybridlint.proving.child.build.values.observers import observers

#: Values that select a behaviour: booleans, None and strings.
_CHOICE = re.compile(r"True|False|None|'[^']*'|\"[^\"]*\"")
_ABSENT = ("None", "()", "[]")
#: Numbers, and what stands for none.
_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_NONE_OF_IT = ("None", "False", "0", "0.0")
#: A rate in place of one of zero.
_RATE = "0.5"


class Option(NamedTuple):
    """Other values for some constructor arguments.

    `present` has the values of these arguments in the block that was proved, as ``name=value``. `used` is True if a
    call in the project passes the other values.
    """

    arguments: Mapping[str, str]
    present: tuple[str, ...]
    used: bool

    def __str__(self) -> str:
        return ", ".join(f"{name}={text}" for name, text in self.arguments.items())


def options(cls: Any, built: Mapping[str, str], calls: list[dict[str, str]]) -> list[Option]:
    """Return other ways to build a class than with the arguments `built`; those used in the project come first.

    A rate of zero on which the code branches is one that leaves something out.
    `calls` has the arguments of each call of the constructor in the project. All arguments are expressions by name.
    """
    defaults = {p.name: repr(p.default) for p in guesses.plain_parameters(cls) if p.default is not p.empty}
    now = {**defaults, **built}
    facts = list(class_facts(cls))
    branched = {name for each in facts for name in each.branched}
    counting = {name for name in defaults if name in branched and now[name] in _NONE_OF_IT}
    given = [
        {
            name: text
            for name, text in call.items()
            if now.get(name, text) != text
            and (_CHOICE.fullmatch(text) or (name in counting and _NUMBER.fullmatch(text) and text not in _NONE_OF_IT))
        }
        for call in calls
    ]
    rated = [{name: _RATE} for name in defaults if name in counting and now[name] == "0.0"]
    switches = [name for name in defaults if now[name] in ("True", "False") and name in branched]
    flipped = [{name: str(now[name] == "False")} for name in switches]
    named = [{name: text} for name in defaults if _is_name(now[name]) for text in _chosen_by(cls, name, now[name])]
    absent = [name for name in defaults if now[name] in _ABSENT]
    scope = getattr(cls.__init__, "__globals__", {})
    told = [{name: text} for name, text in observers(absent, facts, scope).items()]
    candidates = [(arguments, True) for arguments in given if arguments]
    candidates += [(arguments, False) for arguments in [*told, *rated, *flipped, *named]]
    found = [Option(other, tuple(f"{name}={now.get(name)}" for name in other), used) for other, used in candidates]
    distinct: dict[str, Option] = {}
    for option in found:
        distinct.setdefault(str(option), option)
    return list(distinct.values())


def _is_name(text: str) -> bool:
    return text[:1] in ("'", '"')


def _chosen_by(cls: Any, name: str, present: str) -> list[str]:
    """Return the other strings that the code of a class compares an argument with, or looks up in a table."""
    known = choices(cls)
    places = [name, *(own for facts in class_facts(cls) for own, held in facts.assigned if held == name)]
    return [text for place in places for text in known.get(place, ()) if _is_name(text) and text != present]
