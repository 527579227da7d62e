"""Hooks: functions called before or after `forward`, and handles that remove them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections import OrderedDict
    from types import TracebackType

    from typing_extensions import Self

Hook: TypeAlias = Callable[..., Any]
Hooks: TypeAlias = "OrderedDict[int, Hook]"


class HookHandle:
    """Removes a hook, by `detach` or at the end of a ``with`` block."""

    def __init__(self, hooks: Hooks, hook: Hook) -> None:
        self._hooks = hooks
        self._id = max(hooks, default=0) + 1
        hooks[self._id] = hook

    def detach(self) -> None:
        """Remove the hook. A second call has no effect."""
        self._hooks.pop(self._id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.detach()
