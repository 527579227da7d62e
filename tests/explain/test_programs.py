"""What MXNet printed for small wrong programs is explained: the line, the rule where there is one, and the remedy."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click import unstyle
from click.testing import CliRunner

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession
from hybridlint.core.mxnet_messages import MESSAGES, read_message
from hybridlint.explain.causes import explain_error
from hybridlint.explain.traceback_info import parse_traceback
from hybridlint.frontends.commands import explain
from hybridlint.report.explanation import write_explanation
from tests.explain.programs import WrongProgram, printed_texts, wrong_programs

CONSTRUCTS = Path(__file__).parents[1] / "constructs"
#: Constructs whose messages come from anywhere: the frames tell the cause, and a text without them does not.
TOLD_BY_FRAMES = {
    "cf_cond_raise",
    "fo_gluon_split_load",
    "foreign_r_csr",
    "foreign_s_initz",
    "foreign_s_nditer",
    "foreign_s_save2",
    "numpy_mxnp_array_x",
    "numpy_onp_array",
    "unroll_split_outputs",
}


@pytest.mark.parametrize("program", wrong_programs(), ids=lambda program: program.name)
def test_a_wrong_program(program: WrongProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(tmp_path, f"{program.name}.py").write_text(program.text)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(explain.command, [], input=printed_texts()[program.name], standalone_mode=False)
    places = re.findall(rf"{program.name}\.py:(\d+)", done.output)
    causes = re.findall(r"^cause: .*\n\n(\w+)", done.output, re.MULTILINE) or ["-"]
    assert (str(program.row) in places, causes[0]) == (True, program.rule), done.output
    assert re.search(program.says, done.output, re.DOTALL), done.output


def test_without_the_programs_the_messages_are_explained_and_the_rules_named() -> None:
    pipeline = Pipeline(CheckSession(), PipelineSteps())
    for program in wrong_programs():
        chain = parse_traceback(printed_texts()[program.name])
        output = unstyle("".join(write_explanation(explain_error(chain, pipeline, []), chain, [])))
        known = "perhaps unrelated" not in program.says and program.name != "own_exception"
        assert ("remedy: " in output) == known, program.name
        assert program.rule == "-" or f"\n{program.rule} " in output, program.name
        assert f"where: {program.name}.py:" in output or "<" in output, program.name


def test_the_messages_of_constructs_are_those_of_the_rules_that_find_them() -> None:
    """Each construct that ends with an exception has a finding of a rule that causes such a message.

    Messages without a text, which the function of MXNet tells, and those that were cut are left out.
    """
    outcomes = json.loads((CONSTRUCTS / "outcomes.json").read_text())
    findings = json.loads((CONSTRUCTS / "findings.json").read_text())
    wrong = []
    for name, outcome in outcomes.items():
        codes = {code for code, _, severity, *_ in findings.get(name, ()) if severity in {"error", "warning"}}
        text = outcome["why"].removeprefix("backward: ")
        told = outcome["label"] == "error" and len(text) < 160 and not re.fullmatch(r"\w+: ", text)
        if not told or not codes or name in TOLD_BY_FRAMES:
            continue
        reading = read_message(text)
        if reading is None or codes.isdisjoint(reading.rules):
            wrong.append((name, text, codes))
    assert wrong == []


def test_a_message_that_needs_no_finding_was_printed_by_a_program() -> None:
    chains = [parse_traceback(text) for text in printed_texts().values()]
    readings = [read_message(error.text) for chain in chains for error in chain]
    printed = {reading.message.example for reading in readings if reading is not None}
    strict = "NotHybridizableError"
    unmet = [message.example for message in MESSAGES if message.says_all and message.example not in printed]
    assert [example for example in unmet if not example.startswith(strict)] == []
