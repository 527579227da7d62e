"""Constructor arguments that calls of the project give as arrays, and numbers that are guesses alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.values.callsites import ConstructorCalls
from hybridlint.proving.child.build.values.given_arrays import numbers_by_guess
from tests.proving.conftest import construction_of

Prove = Callable[..., dict[str, ProofOutcome]]

NET = """
class Net:
    pass
"""


class Net:
    """A class whose calls are read."""

    def __init__(self, mean: object, **kwargs: object) -> None: ...


@pytest.mark.parametrize(
    ("calls", "mean"),
    [
        ("Net(np.ones((1, 2)))", "np.ones((1, 2))"),
        ("def f():\n    import numpy as onp\n    return Net(mean=onp.ones(3))", "np.ones(3)"),
        ("table = np.ones(4)\nNet(table.reshape(2, 2))", "(np.ones(4)).reshape(2, 2)"),
        ("def f(mean):\n    return Net(mean)\n\nf(np.ones(3))", "(np.ones(3))"),
        ("def f(mean):\n    return Net(mean)\n\nf(mean=3)", "(3)"),
        ("def f(mean):\n    return Net(mean)", None),
        ("def f(mean):\n    mean = mean.reshape((1, 2)).astype('float32')\n    return Net(mean)", None),
        ("import numpy as np\n\ndef known():\n    return np.ones(3)\n\nNet(known())", "known()"),
        ("def known():\n    print(3)\n    return np.ones(3)\n\nNet(known())", None),
        ("Net(load('mean.txt'))", None),
    ],
)
def test_what_a_call_gives(tmp_path: Path, calls: str, mean: str | None) -> None:
    known = construction_of(tmp_path / "net.py", f"{NET}\n{calls}\n")
    found = ConstructorCalls(known).of(Net)
    assert [call.get("mean") for call in found] == ([] if mean is None else [mean])


def test_a_file_with_a_class_of_that_name_calls_its_own(tmp_path: Path) -> None:
    for name, text in {"net": f"{NET}\nNet(1)\n", "other": f"{NET}\nNet(2)\n", "user": "Net(3)\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    known = construction_of(tmp_path / "net.py", f"{NET}\nNet(1)\n")
    assert [call["mean"] for call in ConstructorCalls(known).of(Net)] == ["1", "3"]


class Told:
    """Told.

    Parameters
    ----------
    documented : float
        A number.
    """

    def __init__(self, documented, annotated: float, open_, rate: object = 0.5) -> None: ...  # type: ignore[no-untyped-def]


def test_numbers_that_nothing_says() -> None:
    kwargs = {"documented": "4", "annotated": "4", "open_": "4", "rate": "4"}
    assert list(numbers_by_guess(Told, kwargs, [])) == ["open_"]
    assert list(numbers_by_guess(Told, kwargs, [{"open_": "0.5"}])) == []
    assert list(numbers_by_guess(Told, {**kwargs, "open_": "nd.ones(3)"}, [])) == []


CENTRE = """
class Centre(nn.HybridBlock):
    def __init__(self, mean, **kwargs):
        super().__init__(**kwargs)
        self.mean = mean

    def hybrid_forward(self, F, x):
        return x - self.mean
"""


def test_no_number_takes_the_place_of_an_array(prove: Prove) -> None:
    array = prove(f"{CENTRE}\nnet = Centre(nd.array([[1.0, 2.0]]))\n")["Centre"]
    assert (array.status, array.failed_row) == (ProofStatus.REFUTED, 15)
    number = prove(f"{CENTRE}\nnet = Centre(0.5)\n")["Centre"]
    assert (number.status, number.only) == (ProofStatus.PROVED, ())
    guessed = prove(CENTRE)["Centre"]
    assert (guessed.status, guessed.only) == (ProofStatus.PROVED, ("numbers as `mean`: eagerly an array runs too",))
    numpy = prove(f"{CENTRE}\nimport numpy as np\n\nnet = Centre(np.array([1.0, 2.0]))\n")["Centre"]
    assert numpy.status is ProofStatus.NOT_RUN
