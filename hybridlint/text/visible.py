"""Shows text safely on a terminal: control characters are replaced by visible characters."""

from __future__ import annotations

import re

#: Control characters, marks that change the direction or the lines of text, and halves of surrogate pairs.
_COMMANDS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff"
_COMMAND = re.compile(f"[{_COMMANDS}]")
_ANY = re.compile(f"[{_COMMANDS}\t\n]")
#: The sequences that set colours, which reports themselves contain, or such a character.
_COLOUR_OR_COMMAND = re.compile(rf"(\x1b\[[0-9;]*m|\r(?=\n))|[{_COMMANDS}]")
_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE, _OTHER = 0x7F, "\u2421", "\ufffd"


def visible(text: str) -> str:
    """Return a text with a visible character in the place of each that is none; columns stay the same."""
    return _COMMAND.sub(lambda match: _picture(match[0]), text) if _COMMAND.search(text) else text


def visible_but_coloured(text: str) -> str:
    """Return a text as `visible` does; sequences that set colours, and the ends of lines, are left."""
    return _COLOUR_OR_COMMAND.sub(lambda match: match[1] or _picture(match[0]), text) if _COMMAND.search(text) else text


def escape_name(name: str) -> str:
    """Return the name of a file on one line, with escapes for the characters that are not visible."""
    return _ANY.sub(lambda match: _escape(match[0]), name) if _ANY.search(name) else name


def _picture(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_PICTURES + code)
    return _DELETE_PICTURE if code == _DELETE else _OTHER


def _escape(character: str) -> str:
    if 0xDC80 <= ord(character) <= 0xDCFF:
        # A byte of the name that is not UTF-8.
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
