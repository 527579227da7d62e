"""Files that are fixed keep what no fix is about: line endings, tabs, encodings, page breaks, comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file, with_line_endings
from hybridlint.fixing.loop import fix_source
from hybridlint.rule import Finding
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\nfrom mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n"
METHOD = "    def hybrid_forward(self, F, x):\n"


def findings(source: SourceFile) -> list[Finding]:
    """Return what is found, with fixes in the line endings of the file."""
    return [with_line_endings(finding, source) for finding in analyze_file(source)]


def fixed_once(path: Path) -> bytes:
    """Fix a file and return its bytes."""
    outcome = fix_source(SourceFile.read(path), findings, unsafe=True)
    path.write_bytes(outcome.source.text.encode(outcome.source.encoding))
    return path.read_bytes()


def fixed(tmp_path: Path, data: bytes) -> bytes:
    """Return the bytes of a file after all fixes; fixing again changes nothing."""
    path = tmp_path / "net.py"
    path.write_bytes(data)
    once = fixed_once(path)
    assert fixed_once(path) == once
    return once


CASES = {
    "carriage returns": (
        HEAD.replace("\n", "\r\n").encode() + b"    def hybrid_forward(self, F, x):\r\n        return x.T  # kept\r\n",
        HEAD.replace("\n", "\r\n").encode()
        + b"    def hybrid_forward(self, F, x):\r\n        return x.transpose()  # kept\r\n",
    ),
    "new lines get the file's ending": (
        (HEAD + METHOD + "        assert x.min() > 0\n        return x * 2\n").replace("\n", "\r\n").encode(),
        (HEAD + METHOD + "        if F is mx.nd:\n            assert x.min() > 0\n        return x * 2\n")
        .replace("\n", "\r\n")
        .encode(),
    ),
    "tabs": (
        HEAD.encode() + b"\tdef hybrid_forward(self, F, x):\n\t\tassert x.min() > 0\n\t\treturn x * 2\n",
        HEAD.encode()
        + b"\tdef hybrid_forward(self, F, x):\n\t\tif F is mx.nd:\n\t\t\tassert x.min() > 0\n\t\treturn x * 2\n",
    ),
    "byte order mark": (
        b"\xef\xbb\xbf" + (HEAD + METHOD + "        return x.T\n").encode(),
        b"\xef\xbb\xbf" + (HEAD + METHOD + "        return x.transpose()\n").encode(),
    ),
    "another encoding": (
        ("# -*- coding: latin-1 -*-\n" + HEAD + METHOD + "        return x.T  # déjà vu\n").encode("latin-1"),
        ("# -*- coding: latin-1 -*-\n" + HEAD + METHOD + "        return x.transpose()  # déjà vu\n").encode("latin-1"),
    ),
    "letters of two bytes before the edit": (
        (HEAD + METHOD + "        größe = 'ä'; return x.T\n").encode(),
        (HEAD + METHOD + "        größe = 'ä'; return x.transpose()\n").encode(),
    ),
    "no newline at the end": (
        (HEAD + METHOD + "        return x.T").encode(),
        (HEAD + METHOD + "        return x.transpose()").encode(),
    ),
    "page breaks": (
        (HEAD + METHOD + "        y = x.T\n\f\n        return y\n").encode(),
        (HEAD + METHOD + "        y = x.transpose()\n\f\n        return y\n").encode(),
    ),
    "continued lines": (
        (HEAD + METHOD + "        return x.T \\\n            * 2\n").encode(),
        (HEAD + METHOD + "        return x.transpose() \\\n            * 2\n").encode(),
    ),
    "strings over several lines": (
        (HEAD + METHOD + '        assert x.min() > 0, """no\n  no"""\n        return x * 2\n').encode(),
        (
            HEAD
            + METHOD
            + '        if F is mx.nd:\n            assert x.min() > 0, """no\n  no"""\n        return x * 2\n'
        ).encode(),
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_kept(tmp_path: Path, before: bytes, after: bytes) -> None:
    assert fixed(tmp_path, before) == after
