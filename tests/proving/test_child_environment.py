"""The environment of the process that proves: what it gets of the user's, and what is fixed."""

from __future__ import annotations

import pytest

from hybridlint.proving.scratch import passed_on


@pytest.mark.parametrize("environment", [{}, {"HYBRIDLINT_ENGINE": "jit"}])
def test_a_proof_runs_on_the_plain_engine_whatever_is_installed_or_named(environment: dict[str, str]) -> None:
    assert passed_on(environment)["HYBRIDLINT_ENGINE"] == "numpy"


def test_private_variables_stay_outside() -> None:
    kept = passed_on({"PATH": "/bin", "AWS_SECRET": "x", "MXNET_CPU_WORKER_NTHREADS": "2"})
    assert kept["PATH"] == "/bin"
    assert kept["MXNET_CPU_WORKER_NTHREADS"] == "2"
    assert "AWS_SECRET" not in kept
