"""``hybridlint check``: what scripts and people rely on."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from .conftest import CommandLine

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
CLEAN = HEAD + "        return F.relu(x)\n"
IN_PLACE = HEAD + "        x += 1\n        return F.relu(x)\n"
IN_PLACE_FIXED = HEAD + "        x = x + 1\n        return F.relu(x)\n"
#: A fix that is unsafe, because the rank of `x` is not known.
ROW = HEAD + "        return F.relu(x[0])\n"
NO_FIX = HEAD + "        if x.sum() > 0:\n            print(F)\n        return F.relu(x)\n"
#: A block that counts its calls, which no graph does.
COUNTING = """\
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    calls = 0

    def __init__(self):
        super().__init__()
        self.act = nn.Dense(2)

    def counted(self):
        self.calls += 1
        return self.calls

    def hybrid_forward(self, F, x):
        return F.tile(self.act(x), reps=(self.counted(), 1))
"""


def test_nothing_found(cli: CommandLine) -> None:
    cli.write("net.py", CLEAN)
    outcome = cli("check")
    assert (outcome.status, outcome.out, outcome.err) == (0, "All checks passed!\n", "")


def test_concise(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    outcome = cli("check", "--output-format", "concise", ".")
    assert outcome.status == 1
    first, *rest = outcome.out.splitlines()
    assert first.startswith("net.py:6:9: HYB302 [*] ")
    assert rest == ["Found 1 error.", "[*] 1 fixable with the `--fix` option."]


def test_full_shows_the_source_and_the_fix(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    out = cli("check", "--output-format", "full").out
    assert "\n --> net.py:6:9\n" in out
    assert "\n6 |         x += 1\n  |         ^^^^^^\n" in out
    assert "\n6 -         x += 1\n6 +         x = x + 1\n" in out


def test_json_has_the_shape_of_ruffs(cli: CommandLine) -> None:
    path = cli.write("net.py", "# é𝒳\n" + IN_PLACE)
    outcome = cli("check", "--output-format", "json")
    assert outcome.status == 1
    [item] = json.loads(outcome.out)
    message, url = item.pop("message"), item.pop("url")
    assert isinstance(message, str)
    assert url.startswith("https://")
    fix_message = item["fix"].pop("message")
    assert isinstance(fix_message, str)
    assert item == {
        "code": "HYB302",
        "name": "in-place-operator",
        "severity": "error",
        "filename": str(path.resolve()),
        "location": {"row": 7, "column": 9},
        "end_location": {"row": 7, "column": 15},
        "noqa_row": 7,
        "fix": {
            "applicability": "safe",
            "edits": [
                {
                    "content": "x = x + 1",
                    "location": {"row": 7, "column": 9},
                    "end_location": {"row": 7, "column": 15},
                }
            ],
        },
    }


def test_json_of_nothing_is_an_empty_list(cli: CommandLine) -> None:
    cli.write("net.py", CLEAN)
    outcome = cli("check", "--output-format", "json")
    assert (outcome.status, json.loads(outcome.out)) == (0, [])


def test_columns_count_characters(cli: CommandLine) -> None:
    cli.write("net.py", HEAD + "        y = F.relu(x); s = 'é𝒳'; y += s and 1\n        return y\n")
    [item] = json.loads(cli("check", "--output-format", "json").out)
    assert item["location"]["column"] == 34


def test_fix(cli: CommandLine) -> None:
    path = cli.write("net.py", IN_PLACE)
    outcome = cli("check", "--fix")
    assert (outcome.status, outcome.out) == (0, "Found 1 finding (1 fixed, 0 remaining).\n1 block compiles now.\n")
    assert path.read_text(encoding="utf-8") == IN_PLACE_FIXED
    assert cli("check", "--fix").out == "All checks passed!\n"


def test_unsafe_fixes_are_hidden_until_asked_for(cli: CommandLine) -> None:
    path = cli.write("net.py", ROW)
    outcome = cli("check")
    assert "No fixes available (1 hidden fix can be enabled with the `--unsafe-fixes` option).\n" in outcome.out
    assert "HYB201 [*]" not in outcome.out
    assert cli("check", "--fix").status == 1
    assert path.read_text(encoding="utf-8") == ROW
    assert "HYB201 [*]" in cli("check", "--unsafe-fixes").out
    assert cli("check", "--fix", "--unsafe-fixes").status == 0
    assert path.read_text(encoding="utf-8") != ROW


def test_diff(cli: CommandLine) -> None:
    path = cli.write("net.py", IN_PLACE)
    outcome = cli("check", "--diff")
    assert outcome.status == 1
    assert outcome.out.startswith("--- net.py\n+++ net.py\n@@ ")
    assert "-        x += 1\n+        x = x + 1\n" in outcome.out
    assert outcome.err == "Would fix 1 error.\n1 block would compile.\n"
    assert path.read_text(encoding="utf-8") == IN_PLACE
    path.write_text(IN_PLACE_FIXED, encoding="utf-8")
    assert cli("check", "--diff").status == 0


def test_standard_input(cli: CommandLine) -> None:
    outcome = cli("check", "-", "--output-format", "concise", stdin=IN_PLACE.encode())
    assert outcome.status == 1
    assert outcome.out.startswith("-:6:9: HYB302 [*]")
    named = cli("check", "-", "--output-format", "concise", "--stdin-filename", "a/b.py", stdin=IN_PLACE.encode())
    assert named.out.startswith(f"{Path('a/b.py')}:6:9: HYB302 [*]")


@pytest.mark.parametrize(
    ("text", "expected", "status"),
    [(IN_PLACE, IN_PLACE_FIXED, 0), (CLEAN, CLEAN, 0), ("x = 1\n", "x = 1\n", 0), ("x = (\n", "x = (\n", 1)],
)
def test_fixed_standard_input_goes_to_standard_output(cli: CommandLine, text: str, expected: str, status: int) -> None:
    outcome = cli("check", "-", "--fix", stdin=text.encode())
    assert (outcome.status, outcome.out) == (status, expected)
    assert outcome.err


def test_exit_zero(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    assert cli("check", "--exit-zero").status == 0
    assert cli("check", "--exit-zero", "--diff").status == 0


def test_some_warnings_are_allowed_and_no_error(cli: CommandLine) -> None:
    head = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
    cli.write("net.py", f"{head}        return F.relu(x)\n".replace("F, x", "F, x, y"))
    assert cli("check").out.endswith("Found 1 note.\n")
    assert [cli("check", "--max-warnings", number).status for number in ("0", "1")] == [1, 0]
    cli.write("net.py", f"{head}        return x.T\n")
    assert cli("check", "--max-warnings", "9").status == 1


def test_a_file_that_does_not_parse_is_a_finding_and_the_others_go_on(cli: CommandLine) -> None:
    cli.write("a.py", "def f(:\n")
    cli.write("b.py", IN_PLACE)
    cli.write("c.py", b"x = '\xff'\n")
    outcome = cli("check", "--output-format", "json")
    assert outcome.status == 1
    items = json.loads(outcome.out)
    assert [(Path(i["filename"]).name, i["code"], i["name"]) for i in items] == [
        ("a.py", "HYB001", "invalid-syntax"),
        ("b.py", "HYB302", "in-place-operator"),
        ("c.py", "HYB001", "invalid-syntax"),
    ]


OLD_NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        try:
            x += 1
        except ValueError, e:
            raise e
        return x * x.shape[0]
"""


def test_a_file_of_python_2_is_checked_but_not_fixed(cli: CommandLine) -> None:
    cli.write("old.py", OLD_NET)
    outcome = cli("check", "--fix", "--output-format", "json")
    items = json.loads(outcome.out)
    assert [(i["code"], i["location"]["row"], i["fix"]) for i in items] == [
        ("HYB302", 7, None),
        ("HYB001", 8, None),
        ("HYB101", 10, None),
    ]
    assert items[1]["message"].endswith("; the file was checked as Python 2, without fixes")
    assert (cli.folder / "old.py").read_text(encoding="utf-8") == OLD_NET


def test_a_file_that_nothing_reads_says_that_nothing_was_checked(cli: CommandLine) -> None:
    cli.write("old.py", OLD_NET.replace("return x *", "return x x"))
    (item,) = json.loads(cli("check", "--output-format", "json").out)
    assert item["message"].endswith("; nothing else in the file was checked")


def test_a_network_that_a_file_of_python_2_defines_is_known_elsewhere(cli: CommandLine) -> None:
    cli.write(
        "old.py", OLD_NET.replace("x += 1", "x = helper(x)") + "\n\ndef helper(x):\n    print x\n    return x + 1\n"
    )
    cli.write(
        "new.py",
        "from mxnet.gluon import HybridBlock\nfrom old import helper\n\n\nclass Other(HybridBlock):\n"
        "    def hybrid_forward(self, F, x):\n        y = helper(x)\n        return y * y.shape[0]\n",
    )
    items = json.loads(cli("check", "new.py", "--output-format", "json").out)
    assert ("HYB101", 8) in [(i["code"], i["location"]["row"]) for i in items]


def test_a_file_that_does_not_parse_is_reported_unless_it_is_ignored(cli: CommandLine) -> None:
    cli.write("a.py", "def f(:\n")
    assert cli("check", "--select", "HYB3").status == 1
    assert cli("check", "--ignore", "HYB001").status == 0
    assert cli("check", "--ignore", "invalid-syntax").status == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "nowhere: no file or folder has this path"),
        (["nowhere.py::Net"], "nowhere.py::Net: no file or folder has this path"),
        (["nowhere", "--show-files"], "no file or folder has this path: `nowhere`"),
        (["net.py::Net"], "`net.py::Net` names a class, and this command takes whole files: write `net.py`"),
        (["--select", "ZZZ"], "unknown rule `ZZZ`"),
        (["--ignore", "HYB1,HYB998"], "unknown rule `HYB998`"),
        (["--no-such-option"], "No such option"),
        (["--output-format", "xml"], "'xml' is not one of"),
        (["-", "net.py"], "`-` reads standard input: give no other paths with it"),
    ],
)
def test_misuse_ends_with_2(cli: CommandLine, arguments: list[str], sentence: str) -> None:
    cli.write("net.py", CLEAN)
    outcome = cli("check", *arguments)
    assert outcome.status == 2
    assert sentence in outcome.err
    assert "Traceback" not in outcome.err


def test_a_mistake_in_the_settings_ends_with_2(cli: CommandLine) -> None:
    cli.write("net.py", CLEAN)
    path = cli.write("pyproject.toml", "[tool.hybridlint]\nselect = ['HYB1', 'none-such']\n")
    outcome = cli("check")
    assert outcome.status == 2
    assert outcome.err.startswith(f"error: {path.resolve()}: unknown rule `none-such`")


def test_selection(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    assert cli("check", "--select", "HYB302").status == 1
    assert cli("check", "--select", "in-place-operator").status == 1
    assert cli("check", "--select", "HYB1,HYB2").status == 0
    assert cli("check", "--select", "HYB1", "--extend-select", "HYB302").status == 1
    assert cli("check", "--ignore", "HYB3").status == 0
    assert cli("check", "--select", "HYB302", "--ignore", "HYB3").status == 1
    assert cli("check", "--select", "HYB3", "--ignore", "HYB302").status == 0


def test_settings(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    cli.write("old/net.py", IN_PLACE)
    cli.write("lax/net.py", IN_PLACE)
    cli.write(
        "pyproject.toml",
        "[tool.hybridlint]\nexclude = ['old']\n[tool.hybridlint.per-file-ignores]\n'lax/*' = ['in-place-operator']\n",
    )
    outcome = cli("check", "--output-format", "concise")
    assert [line.split(":")[0] for line in outcome.out.splitlines()[:-2]] == ["net.py"]
    assert cli("check", "--select", "ALL", "old/net.py").status == 1


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: HYB302", "# hybridlint: ignore[in-place-operator]"])
def test_suppressed_findings_are_neither_reported_nor_fixed(cli: CommandLine, comment: str) -> None:
    text = IN_PLACE.replace("x += 1", f"x += 1  {comment}")
    path = cli.write("net.py", text)
    assert cli("check", "--fix").out == "All checks passed!\n"
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "data",
    [
        IN_PLACE.encode().replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + IN_PLACE.encode(),
        b"# -*- coding: latin-1 -*-\n# \xe9\n" + IN_PLACE.encode(),
        IN_PLACE.encode().rstrip(b"\n"),
        b"\x0c\n" + IN_PLACE.encode().replace(b"return", b"# \xc3\xa9\n\n        return"),
    ],
    ids=["crlf", "bom", "latin-1", "no last line end", "form feed"],
)
def test_fixing_keeps_every_other_byte(cli: CommandLine, data: bytes) -> None:
    path = cli.write("net.py", data)
    assert cli("check", "--fix").status == 0
    assert path.read_bytes() == data.replace(b"x += 1", b"x = x + 1")


def test_statistics(cli: CommandLine) -> None:
    cli.write("a.py", IN_PLACE)
    cli.write("b.py", IN_PLACE + ROW.partition("\n\n\n")[2].replace("Net", "Other"))
    outcome = cli("check", "--statistics")
    assert outcome.out.splitlines()[:2] == [
        "2\tHYB302\t[*] in-place-operator",
        "1\tHYB201\t[ ] subscript-selects-output",
    ]
    assert json.loads(cli("check", "--statistics", "--output-format", "json").out)[0]["count"] == 2


def test_the_cache_is_kept_out_of_git_and_follows_changes(cli: CommandLine) -> None:
    cli.write("base.py", HEAD.replace("Net", "Base") + "        return F.relu(x)\n")
    cli.write(
        "net.py", "from base import Base\n\n\n# A HybridBlock:\nclass Net(Base):\n    def forward(self, x): ...\n"
    )
    first = cli("check")
    assert "*" in (cli.folder / ".hybridlint_cache" / ".gitignore").read_text(encoding="utf-8").split()
    assert cli("check").out == first.out
    assert first.status == 1
    assert cli("check", "--select", "HYB1").status == 0
    # What the class is follows from another file.
    cli.write("base.py", "class Base:\n    pass\n")
    assert cli("check").status == 0
    cli.write("net.py", CLEAN)
    assert cli("check").status == 0


def test_no_cache_leaves_nothing_behind(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    assert cli("check", "--no-cache").status == 1
    assert [path.name for path in cli.folder.iterdir()] == ["net.py"]


def test_many_files_give_the_same_as_one_at_a_time(cli: CommandLine) -> None:
    for i in range(12):
        cli.write(f"net{i:02}.py", IN_PLACE + f"# {'x' * 9000}\n" + ("" if i % 3 else "\n\n" + NO_FIX))
    together = cli("check", "--no-cache", "--output-format", "concise").out.splitlines()[:-2]
    alone = [
        line
        for i in range(12)
        for line in cli("check", "--no-cache", "--output-format", "concise", f"net{i:02}.py").out.splitlines()
        if ": HYB" in line
    ]
    assert together == alone


def test_no_files(cli: CommandLine) -> None:
    outcome = cli("check")
    assert (outcome.status, outcome.out) == (0, "All checks passed!\n")
    told = "no Python files under the given paths; Markdown and reStructuredText are checked where they are named"
    assert outcome.err == f"warning: {told}\n"


def test_a_diff_says_what_does_not_parse(cli: CommandLine) -> None:
    cli.write("bad.py", "def f(:\n")
    outcome = cli("check", "--diff")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith("error: bad.py:1:7: ")


def test_code_nested_too_deeply_is_one_sentence_and_the_others_go_on(cli: CommandLine) -> None:
    cli.write("deep.py", HEAD + f"        return x{' + x' * 20_000}\n")
    cli.write("net.py", IN_PLACE)
    outcome = cli("check", "--output-format", "concise")
    assert outcome.status in {1, 2}
    assert any(line.startswith("net.py:6:9: HYB302") for line in outcome.out.splitlines())
    # How deep a tree Python itself makes differs from one version to the next.
    (told,) = (line for line in f"{outcome.out}\n{outcome.err}".splitlines() if "deep.py" in line)
    assert re.search("nested too deeply to be analyzed|maximum recursion depth exceeded", told)


def test_a_byte_that_does_not_decode_has_its_row(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE.encode() + b"# caf\xe9\n")
    assert cli("check", "--output-format", "concise").out.startswith("net.py:8:1: HYB001 error: cannot decode the file")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write every file")
def test_a_file_that_is_read_only_is_not_fixed(cli: CommandLine) -> None:
    path = cli.write("net.py", IN_PLACE)
    path.chmod(0o444)
    outcome = cli("check", "--fix")
    assert (outcome.status, path.read_text()) == (2, IN_PLACE)
    assert "error: net.py: cannot write the file: the file is read-only" in outcome.err
    assert "fixed" not in outcome.out


@pytest.mark.parametrize(("variable", "coloured"), [("NO_COLOR", False), ("FORCE_COLOR", True)])
def test_colours_are_as_the_environment_asks(cli: CommandLine, variable: str, coloured: bool) -> None:
    cli.write("net.py", IN_PLACE)
    assert ("\x1b[" in cli("check", env={variable: "1"}).out) is coloured


def test_a_finding_is_one_line(cli: CommandLine) -> None:
    cli.write("net.py", HEAD + "        print('one \\\n              two' % x)\n        return F.relu(x)\n")
    out = cli("check", "--output-format", "concise", "--select", "HYB7").out
    assert [line[:11] for line in out.splitlines()] == ["net.py:6:9:", "Found 1 war", "No fixes av"]


@pytest.mark.parametrize("encoding", ["undefined", "punycode", "rot13", "no-such-encoding"])
def test_an_encoding_that_cannot_be_read_costs_the_others_nothing(cli: CommandLine, encoding: str) -> None:
    cli.write("a.py", f"# coding: {encoding}\n{IN_PLACE}\xff".encode("latin-1"))
    cli.write("b.py", IN_PLACE)
    outcome = cli("check", "--no-cache", "--output-format", "concise")
    assert outcome.status == 1
    assert re.search(r"a.py:\d+:1: HYB001 error: cannot decode the file", outcome.out)
    assert "b.py:" in outcome.out
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("encoding", ["unicode_escape", "raw_unicode_escape", "mac_arabic"])
def test_a_file_whose_encoding_loses_bytes_is_not_written(cli: CommandLine, encoding: str) -> None:
    data = f"# coding: {encoding}\n{IN_PLACE}# \\x41 \\u0041 \xa0\xab\n".encode("latin-1")
    path = cli.write("net.py", data)
    outcome = cli("check", "--no-cache", "--fix", "--unsafe-fixes")
    assert path.read_bytes() == data
    assert outcome.status == 1
    assert "was not fixed: its encoding" in outcome.err


def test_what_is_no_notebook_does_not_pass_as_clean(cli: CommandLine) -> None:
    cli.write("lesson.ipynb", "{}")
    cli.write("net.py", IN_PLACE)
    outcome = cli("check", "--output-format", "concise", "lesson.ipynb", "net.py")
    first, second, *_ = outcome.out.splitlines()
    assert first.startswith("lesson.ipynb:1:1: HYB001 error: this is no notebook of format 4")
    assert second.startswith("net.py:6:9: HYB302")


def test_documents_are_not_run(cli: CommandLine) -> None:
    cli.write("lesson.ipynb", "{}")
    outcome = cli("verify", "lesson.ipynb")
    assert outcome.status == 2
    assert "lesson.ipynb: what stands in a document is not run: move the classes into a module" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["chek"], "check"),
        (["rule", "tensor-shap"], "tensor-shape"),
        (["rule", "HBY101"], "HYB101"),
        (["check", "--select", "tensor_shape"], "tensor-shape"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_nearest(cli: CommandLine, arguments: list[str], meant: str) -> None:
    outcome = cli(*arguments)
    assert outcome.status == 2
    assert f"Did you mean `{meant}`?" in outcome.err


def test_output_files_beside_the_report(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    files = ("--output-file", "sarif=out.sarif", "--output-file", "concise=out.txt")
    outcome = cli("check", "--output-format", "concise", *files)
    assert outcome.status == 1
    assert (cli.folder / "out.txt").read_text(encoding="utf-8") == outcome.out
    assert json.loads((cli.folder / "out.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"


@pytest.mark.parametrize(
    ("value", "message"), [("xml=a", "'xml' is not a format: choose from frames, "), ("sarif", "names no file")]
)
def test_output_files_name_a_format_and_a_path(cli: CommandLine, value: str, message: str) -> None:
    outcome = cli("check", "--output-file", value)
    assert outcome.status == 2
    assert message in outcome.err


def test_quiet_leaves_the_summary_out(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    (line,) = cli("check", "-q", "--output-format", "concise").out.splitlines()
    assert line.startswith("net.py:6:9: HYB302 ")


def test_what_stays_eager_is_named(cli: CommandLine) -> None:
    cli.write("net.py", COUNTING)
    outcome = cli("check", "--fix", "--unsafe-fixes", "--keep-eager")
    assert "`Net` stays eager now: only its children are compiled\n" in outcome.err
    assert "0 fixed, 2 in classes kept eager, 0 remaining" in outcome.out


def test_classes_stay_eager_only_where_that_is_asked_for(cli: CommandLine) -> None:
    path = cli.write("net.py", COUNTING)
    outcome = cli("check", "--fix", "--unsafe-fixes")
    assert path.read_text(encoding="utf-8") == COUNTING
    assert "note: `--keep-eager` would keep `Net` eager: it runs operator by operator" in outcome.out
    assert (
        "No graph form is known for 2 findings: `--keep-eager` would leave their classes uncompiled.\n" in outcome.out
    )
    assert "[*]" not in outcome.out
    levels = {finding["fix"]["applicability"] for finding in json.loads(cli("check", "--output-format", "json").out)}
    assert levels == {"keep-eager"}


def test_rules_whose_findings_are_left_unfixed(cli: CommandLine) -> None:
    path = cli.write("net.py", IN_PLACE)
    assert "[*]" in cli("check").out
    for arguments in (["--unfixable", "HYB3"], ["--fixable", "HYB1"], ["--fixable", "ALL", "--unfixable", "ALL"]):
        outcome = cli("check", "--fix", "--output-format", "concise", *arguments)
        assert (outcome.status, "[*]" in outcome.out, path.read_text(encoding="utf-8")) == (1, False, IN_PLACE)
    cli.write("hybridlint.toml", "unfixable = ['HYB3']\n")
    assert "[*]" not in cli("check").out
    assert cli("check", "--fixable", "in-place-operator", "--fix").status == 0


def test_what_comments_silence_is_reported_on_request(cli: CommandLine) -> None:
    text = IN_PLACE.replace("x += 1", "x += 1  # noqa: HYB302, HYB101")
    cli.write("net.py", text)
    assert "HYB004" in cli("check").out
    outcome = cli("check", "--ignore-noqa", "--output-format", "concise")
    assert "HYB302" in outcome.out
    assert "HYB004" not in outcome.out


def test_settings_on_the_command_line(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    cli.write("hybridlint.toml", "ignore = ['HYB1']\n[verify]\ntimeout = 7\n")
    shown = cli("check", "--config", "possible = true", "--config", "verify.samples = 2", "--show-settings").out
    for line in ('ignore = ["HYB1"]', "possible = true", "timeout = 7", "samples = 2"):
        assert f"\n{line}\n" in shown
    assert cli("check", "--config", 'per-file-ignores = {"*.py" = ["HYB302"]}').status == 0
    cli.write("other.toml", "ignore = ['HYB3']\n")
    assert cli("check", "--config", "other.toml").status == 0
    assert cli("check", "--config", "other.toml", "--config", "ignore = []").status == 1


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["selct = []"], "--config: unknown key `selct` in [tool.hybridlint]"),
        (["select = ['nope']"], "--config: unknown rule `nope`"),
        (["select = ["], "--config: not valid TOML"),
        (["missing.toml"], "missing.toml: cannot read the file"),
        (["a.toml", "b.toml"], "--config: two files of settings, a.toml and b.toml"),
    ],
)
def test_settings_on_the_command_line_that_are_none(cli: CommandLine, values: list[str], sentence: str) -> None:
    outcome = cli("check", *(part for value in values for part in ("--config", value)))
    assert outcome.status == 2
    assert outcome.err.startswith(f"error: {sentence}")


def test_the_environment_names_a_format(cli: CommandLine) -> None:
    cli.write("net.py", CLEAN)
    environment = {"HYBRIDLINT_OUTPUT_FORMAT": "json"}
    assert cli("check", env=environment).out == "[]\n"
    assert cli("check", "--output-format", "concise", env=environment).out == "All checks passed!\n"


def test_fixes_of_possible_findings_that_no_report_showed_are_told(cli: CommandLine) -> None:
    unsure = HEAD.replace("F, x", "F, x, y") + "        x += x * y.sum(axis=1)\n        return F.relu(x)\n"
    cli.write("net.py", unsure)
    told = "1 possible finding in what is repaired: shapes decide whether it matters.\n"
    assert f"Would also fix {told}" in cli("check", "--diff", "--unsafe-fixes").err
    assert f"Also fixed {told}" in cli("check", "--fix", "--unsafe-fixes").out
