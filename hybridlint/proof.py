"""Fixes with their proof: what changed is run before and after, and what is refuted is taken back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from hybridlint.checker import Job, Result, check
from hybridlint.verify.outcome import Status
from hybridlint.verify.prover import prove_file, settings_from

if TYPE_CHECKING:
    from hybridlint.config import Config
    from hybridlint.verify.outcome import Outcome

WHOLE_FILE = ""


def prove(results: Sequence[Result], configs: Sequence[Config], *, unsafe: bool) -> list[Result]:
    """Prove the fixes of each result, with its settings; results without fixes stay as they are.

    Where a fix is refuted, the fixes of that class are taken back, and if the rest is still refuted, all of the file's.
    """
    # The work is done by child processes, so that threads are enough to keep the processors busy.
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda result, config: _prove(result, config, unsafe=unsafe), results, configs))


def _prove(result: Result, config: Config, *, unsafe: bool) -> Result:
    if not _changed(result):
        return result
    proof = _outcomes(result, config)
    refuted = [outcome for outcome in proof if _at_fault(outcome)]
    if not refuted:
        return replace(result, proof=tuple(proof))
    refused = {outcome.block: _reason(outcome) for outcome in refuted}
    result = _fix_again(result, config, refused, unsafe=unsafe)
    others = {outcome.block for outcome in proof} - set(refused)
    proof = _outcomes(result, config, others) if _changed(result) else []
    if any(map(_at_fault, proof)):
        # A fix outside the classes that it breaks: in a helper, or in a block that they use.
        refuted += filter(_at_fault, proof)
        result = _fix_again(result, config, {WHOLE_FILE: _reason(refuted[-1])}, unsafe=unsafe)
        proof = []
    return replace(result, proof=tuple(sorted([*proof, *refuted], key=lambda outcome: outcome.row)))


def _outcomes(result: Result, config: Config, blocks: set[str] | None = None) -> list[Outcome]:
    assert result.fixed is not None
    settings = settings_from(config.verify, config.root)
    return prove_file(result.path, result.fixed.before, result.fixed.after, settings, blocks=blocks)


def _fix_again(result: Result, config: Config, refused: Mapping[str, str], *, unsafe: bool) -> Result:
    assert result.fixed is not None
    data = result.fixed.before.encode(result.fixed.encoding)
    return check(Job(result.path, data, config, fix=True, unsafe=unsafe, refused=refused))


def _changed(result: Result) -> bool:
    return result.fixed is not None and result.fixed.before != result.fixed.after


def _at_fault(outcome: Outcome) -> bool:
    return outcome.status is Status.REFUTED and outcome.fault


def _reason(outcome: Outcome) -> str:
    return f"taken back, because running {outcome.block} refutes it: {outcome.reason}"
