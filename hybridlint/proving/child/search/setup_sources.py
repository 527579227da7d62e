"""The sources of a block's setup, strongest first. Only this module decides their order."""

from __future__ import annotations

from enum import Enum


class SetupSource(Enum):
    """Sources of constructor arguments and inputs, in the order in which they are asked: the first that works counts.

    What is searched orders the rest itself: docstrings, then what layers demand, then guesses.
    """

    RECORD = "a run of the program that was recorded"
    DIRECTIVE = "a comment or a setting of the user"
    CALL = "a call that the project writes out"
    SEARCH = "docstrings, what layers demand, guesses"
