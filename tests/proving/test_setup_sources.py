"""How a block is built and called: recorded runs, directives, calls written out, docstrings, layers, guesses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridlint.core.proof_outcome import ProofOutcome
from hybridlint.proving.child.search.setup_sources import SetupSource
from hybridlint.proving.prover import prove_file
from hybridlint.proving.recording.store import Record
from hybridlint.proving.settings import ProofSettings

DIRECTIVE = '    # hybridlint: verify(x=("N", 2, 4))\n'
CALL = "\n\nNet()(mx.nd.ones((5, 3, 4, 4)))\n"
DOCSTRING = '    """Double.\n\n    Inputs:\n        - **x**: input of shape (batch, 6, 7, 8, 4).\n    """\n\n'
LAYER = "self.dense(x)"


def proved(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, recorded: tuple[int, ...] = (), **parts: Any
) -> ProofOutcome:
    """Return the outcome of a block about whose input the parts of its text and a recorded run say something."""
    text = (
        "import mxnet as mx\nfrom mxnet.gluon import nn\n\n\nclass Net(nn.HybridBlock):\n"
        f"{parts.get('docstring', '')}"
        "    def __init__(self, **kwargs):\n        super().__init__(**kwargs)\n"
        "        self.dense = nn.Dense(3, in_units=4, flatten=False)\n\n"
        f"{parts.get('directive', '')}    def hybrid_forward(self, F, x):\n        return {LAYER}\n"
        f"{parts.get('call', '')}"
    )
    path = folder / "net.py"
    path.write_text(text)
    record = None
    if recorded:
        inputs = {"x": {"shape": list(recorded), "dtype": "float32"}}
        setups = {"Net": [{"args": [], "kwargs": {}, "inputs": inputs, "rounds": [{}]}]}
        monkeypatch.setattr(Record, "setups", lambda _self, _path, _text: setups)
        record = Record(folder / "record.json", folder, {})
    (outcome,) = prove_file(path, text, None, ProofSettings(samples=1, timeout=30, record=record))
    return outcome


@pytest.mark.parametrize(
    ("said", "axes"),
    [
        ({"recorded": (2, 4), "directive": DIRECTIVE, "call": CALL, "docstring": DOCSTRING}, 2),
        ({"directive": DIRECTIVE, "call": CALL, "docstring": DOCSTRING}, 3),
        ({"call": CALL, "docstring": DOCSTRING}, 4),
        ({"docstring": DOCSTRING}, 5),
        ({"recorded": (2, 9), "directive": DIRECTIVE, "call": CALL}, 3),
        ({"recorded": (2, 9), "call": CALL, "docstring": DOCSTRING}, 4),
    ],
    ids=["record", "directive", "call", "docstring", "directive for a run that fails", "call for a run that fails"],
)
def test_the_strongest_source_that_works_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], axes: int
) -> None:
    outcome = proved(tmp_path, monkeypatch, **said)
    assert outcome.setup is not None
    assert (outcome.status.value, outcome.setup.partition("x (")[2].count(",") + 1) == ("proved", axes)


def test_the_order_is_that_of_the_sources() -> None:
    assert [source.name for source in SetupSource] == ["RECORD", "DIRECTIVE", "CALL", "SEARCH"]
