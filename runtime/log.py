"""``mx.log``: loggers with lines that begin with the level's letter, the time and the source location."""

from __future__ import annotations

import logging
import sys
import warnings
from logging import CRITICAL, DEBUG, ERROR, INFO, NOTSET, WARNING

__all__ = ["CRITICAL", "DEBUG", "ERROR", "INFO", "NOTSET", "WARNING", "getLogger", "get_logger"]

_COLOURS = {WARNING: "\x1b[33m", ERROR: "\x1b[31m", CRITICAL: "\x1b[31m"}
_LETTERS = {WARNING: "W", ERROR: "E", CRITICAL: "C", INFO: "I", DEBUG: "D"}


class _Formatter(logging.Formatter):
    """Formats lines such as ``W1231 23:59:59 42 train.py:7] a message``, with a coloured head."""

    def __init__(self) -> None:
        super().__init__(datefmt="%m%d %H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        head = (
            f"{_COLOURS.get(record.levelno, chr(27) + '[32m')}{_LETTERS.get(record.levelno, 'U')}"
            f"%(asctime)s %(process)d %(pathname)s:%(funcName)s:%(lineno)d]\x1b[0m %(message)s"
        )
        self._style._fmt = head
        return super().format(record)


def get_logger(
    name: str | None = None, filename: str | None = None, filemode: str | None = None, level: int = WARNING
) -> logging.Logger:
    """Return a logger that writes to a file, or to stderr. Its handler is made once."""
    logger = logging.getLogger(name)
    if name is not None and not getattr(logger, "_init_done", None):
        logger._init_done = True  # type: ignore[attr-defined]
        handler: logging.Handler = (
            logging.FileHandler(filename, filemode or "a") if filename else logging.StreamHandler(sys.stderr)
        )
        handler.setFormatter(_Formatter())
        logger.addHandler(handler)
        logger.setLevel(level)
    return logger


def getLogger(
    name: str | None = None, filename: str | None = None, filemode: str | None = None, level: int = WARNING
) -> logging.Logger:
    """Return a logger; the name of `get_logger` before MXNet 1.0."""
    warnings.warn("getLogger is deprecated, Use get_logger instead.", DeprecationWarning, stacklevel=2)
    return get_logger(name, filename, filemode, level)
