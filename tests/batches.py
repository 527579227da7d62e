"""Many cases in one test, where thousands of tests would cost more than what they do: each that fails is named."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from hybridlint.runtime.facts.registry import Operator
from tests.draws import seed

#: What ends a case and no more: errors, failed assertions, and `pytest.raises` without one.
_ENDS = (Exception, pytest.fail.Exception, pytest.skip.Exception)


def batched(cases: Iterable[Any], by: Callable[..., str]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a test for each batch of cases, `pytest.param`s with an id.

    `by` gives the name of the batch from the values of a case, which are the first arguments of the decorated
    function; its others are fixtures, made once for a batch. Random numbers are seeded before each case.
    """
    batches: dict[str, list[Any]] = {}
    for case in cases:
        batches.setdefault(by(*case.values), []).append(case)

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        parameters = list(inspect.signature(check).parameters.values())
        count = max((len(case.values) for of in batches.values() for case in of), default=len(parameters))

        def test(batch: str, **fixtures: Any) -> None:
            failed: dict[str, str] = {}
            for case in batches[batch]:
                seed()
                try:
                    check(*case.values, **fixtures)
                except _ENDS:
                    failed[str(case.id)] = traceback.format_exc()
            if failed:
                told = "\n".join(f"--- {name}\n{why}" for name, why in failed.items())
                pytest.fail(f"{len(failed)} of {len(batches[batch])} cases: {', '.join(failed)}\n{told}", pytrace=False)

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        keyword = inspect.Parameter.KEYWORD_ONLY
        fixtures = [parameter.replace(kind=keyword) for parameter in parameters[count:]]
        first = inspect.Parameter("batch", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        test.__signature__ = inspect.Signature([first, *fixtures])  # type: ignore[attr-defined]
        parametrized: Callable[..., None] = pytest.mark.parametrize("batch", list(batches))(test)
        return parametrized

    return decorate


def room_of(operator: Operator, *_others: object) -> str:
    """Return the module of an operator's kernel: ``nn.softmax``."""
    return operator.kernel.__module__.removeprefix("hybridlint.runtime.ops.")
