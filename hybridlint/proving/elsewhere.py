"""Where proofs are run, if that is not this machine: what proves a file instead, set while a command runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.outcome import Outcome

#: Called as `prove_file` is; None proves here.
prove: Callable[..., list[Outcome]] | None = None
