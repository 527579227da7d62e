"""A message of MXNet: its pattern, its meaning, the advice, and the rules that find its cause."""

from __future__ import annotations

import re
from enum import Enum

from hybridlint.runtime.facts.records import record


class MessageOrigin(Enum):
    """Where a message comes from, and so what it says without a finding beside it."""

    #: Hybrid code that a rule finds.
    TRACE = "trace"
    #: MXNet, for what a rule finds and for other mistakes of a program: the message says it all.
    PROGRAM = "program"
    #: Python or any library: it says nothing without a finding.
    ANYWHERE = "anywhere"


@record(frozen=True, slots=True)
class Message:
    """A message as MXNet printed it, a pattern of all like it, and what they say to the user.

    `meaning` and `remedy` may name groups of the pattern in braces; the group `code` is code of the user, or a part of
    its name, and `rule` the code of a rule. `rules` are the codes of the rules that find the cause, likeliest first.
    """

    example: str
    pattern: re.Pattern[str]
    meaning: str
    remedy: str
    rules: tuple[str, ...] = ()
    origin: MessageOrigin = MessageOrigin.TRACE

    @property
    def says_all(self) -> bool:
        """Whether the message needs no finding to be explained."""
        return self.origin is MessageOrigin.PROGRAM or not self.rules

    def reading_of(self, text: str) -> MessageReading | None:
        """Return the message as a text has it, None if the text is another message."""
        match = self.pattern.search(text)
        if match is None:
            return None
        groups = {name: value or "" for name, value in match.groupdict().items()}
        return MessageReading(
            self,
            self.meaning.format(**groups),
            self.remedy.format(**groups),
            (groups["rule"],) if "rule" in groups else self.rules,
            groups.get("code") or None,
        )


@record(frozen=True, slots=True)
class MessageReading:
    """A message with the names and numbers of one text in its meaning and its remedy."""

    message: Message
    meaning: str
    remedy: str
    rules: tuple[str, ...]
    code: str | None = None


def define_message(
    example: str,
    pattern: str,
    meaning: str,
    remedy: str,
    *rules: str,
    origin: MessageOrigin = MessageOrigin.TRACE,
) -> Message:
    """Return a message; `pattern` is the text of a regular expression, in which a dot is also a line break."""
    return Message(example, re.compile(pattern, re.DOTALL), meaning, remedy, rules, origin)
