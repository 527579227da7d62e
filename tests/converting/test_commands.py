"""``convert --to torch`` and ``status --to torch`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import run
from tests.converting.bodies import module_text

NET = module_text("return F.relu(self.a(x))", "self.a = nn.Dense(units)")
MIXED = f"{NET}\n\nclass Own(nn.Dense):\n    pass\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    return tmp_path


def _run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = run(list(arguments), cwd=folder)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_code_goes_to_standard_output_and_the_report_to_standard_error(folder: Path) -> None:
    status, out, err = _run(folder, "convert", "--to", "torch", "--no-proof", "net.py::Net")
    assert (status, err) == (0, "Nothing was proved: sizes and values are as the text says.\n")
    assert out.startswith("import torch.nn.functional as F\nfrom torch import nn\n\n\nclass Net(nn.Module):\n")


def test_a_file_is_written_once(folder: Path) -> None:
    arguments = ("convert", "--to", "torch", "--no-proof", "net.py", "-o", "new.py")
    assert _run(folder, *arguments)[0] == 0
    assert "class Net(nn.Module)" in (folder / "new.py").read_text(encoding="utf-8")
    status, _, err = _run(folder, *arguments)
    assert status == 2
    assert "new.py is there already: `convert` overwrites nothing" in err


def test_a_name_that_the_file_lacks_is_refused(folder: Path) -> None:
    status, _, err = _run(folder, "convert", "--to", "torch", "--no-proof", "net.py::Nett")
    assert status == 2
    assert "defines no block or function of the name `Nett`. Did you mean `Net`?" in err


def test_status_tells_what_can_go_and_what_not(folder: Path) -> None:
    (folder / "net.py").write_text(MIXED, encoding="utf-8")
    status, out, _ = _run(folder, "status", "--to", "torch", "--output-format", "json", "net.py")
    assert status == 1
    assert [(each["block"], each["state"], each["reasons"]) for each in json.loads(out)] == [
        ("Net", "whole", []),
        ("Own", "not", ["its base `nn.Dense` has no counterpart in PyTorch"]),
    ]
