"""``hybridlint rule``: the pages of the rules."""

from __future__ import annotations

import json

from hybridlint.rule import all_rules

from .conftest import CommandLine


def test_a_page_by_code_and_by_name(cli: CommandLine) -> None:
    page = cli("rule", "HYB302")
    assert page.status == 0
    assert page.out.startswith("# in-place-operator (HYB302)\n")
    assert "```python\n" in page.out
    assert cli("rule", "in-place-operator").out == cli("rule", "hyb302").out == page.out


def test_all_pages(cli: CommandLine) -> None:
    out = cli("rule", "--all").out
    assert [line for line in out.splitlines() if line.startswith("# ") and line.endswith(")")][: len(all_rules())]
    assert all(f"# {rule.name} ({rule.code})\n" in out for rule in all_rules())


def test_the_list(cli: CommandLine) -> None:
    assert len(cli("rule").out.splitlines()) == len(all_rules())


def test_an_unknown_rule_is_an_error(cli: CommandLine) -> None:
    outcome = cli("rule", "HYB998")
    assert outcome.status == 2
    assert outcome.err == "error: there is no rule `HYB998`; `hybridlint rule` lists them all.\n"


def test_help_names_every_command(cli: CommandLine) -> None:
    outcome = cli("--help")
    assert outcome.status == 0
    assert all(name in outcome.out for name in ("check", "verify", "run", "rule"))
    assert cli("--version").out.startswith("hybridlint ")
    assert cli("chekc").status == 2


def test_help_of_check_lists_every_option_under_a_title(cli: CommandLine) -> None:
    shown = cli("check", "--help").out
    assert shown.count("\n  --fix ") == 1
    assert shown.split("Other options:\n")[1].split() == ["-h,", "--help", "Show", "this", "message", "and", "exit."]


def test_a_file_in_place_of_a_command_is_to_be_checked(cli: CommandLine) -> None:
    cli.write("net.py", "x = 1\n")
    assert cli("net.py").err.endswith("net.py is no command: to check it, use `hybridlint check net.py`.\n")


def test_rules_for_programs(cli: CommandLine) -> None:
    [told] = json.loads(cli("rule", "HYB101", "--output-format", "json").out)
    assert (told["code"], told["name"], told["severity"]) == ("HYB101", "tensor-shape", "error")
    assert told["explanation"].startswith("The shape of a tensor is read.")
    family = json.loads(cli("rule", "HYB10", "--output-format", "json").out)
    assert {rule["code"][:5] for rule in family} == {"HYB10"}
    assert len(json.loads(cli("rule", "--output-format", "json").out)) == len(all_rules())
