"""Changed rules: each kind of change is made, and one that an example shows is noticed."""

from __future__ import annotations

import ast
from typing import Any

from hybridlint.rule import all_rules

from .__main__ import examples, main, trials
from .mutants import mutants, with_marks

SOURCE = """\
FLAG = True

def found(event: int) -> bool:
    if event < 3 and not event:
        yield event
    if event:
        return found(other=True)
    return None
"""


def test_comparisons_booleans_conditions_returns_and_findings_are_changed_one_at_a_time() -> None:
    made = list(mutants(ast.parse(SOURCE)))
    assert sorted((each.row, each.change) for each in made) == [
        (4, "not left out: not event"),
        (4, "opposite comparison: event < 3"),
        (4, "or for and: event < 3 and (not event)"),
        (4, "other boundary: event < 3"),
        (5, "finding left out: yield event"),
        (6, "condition negated: if event:"),
        (7, "None returned: return found(other=True)"),
        (7, "other boolean: True"),
    ]
    texts = {ast.unparse(each.tree) for each in made}
    assert len(texts) == len(made)
    assert ast.unparse(ast.parse(SOURCE)) not in texts


def test_a_module_tells_which_statements_it_reached() -> None:
    rows: list[int] = []
    scope: dict[str, Any] = {"mark": rows.append}
    exec(compile(with_marks(ast.parse(SOURCE), "mark"), "source", "exec"), scope)
    assert rows == []
    assert list(scope["found"](0)) == [0]
    assert rows == [4, 5, 6, 8]


def test_what_the_examples_of_a_page_show_is_noticed_and_what_they_do_not_survives() -> None:
    rule = next(each for each in all_rules() if each.name == "huge-integer")
    [trial] = trials([rule], examples(rule))
    count, left = trial.survivors()
    changes = [each.mutant.change for each in left]
    assert 0 < len(left) < count
    assert "finding left out: yield _finding(event, node)" in changes  # that of operators, which the page does not show
    assert changes.count("finding left out: yield _finding(event, node)") == 1
    assert not any(change.startswith("opposite comparison: abs(") for change in changes)


def test_a_change_of_a_message_survives_and_is_marked() -> None:
    rule = next(each for each in all_rules() if each.name == "tensor-length")
    [trial] = trials([rule], examples(rule))
    _, left = trial.survivors()
    assert [each.mutant.change for each in left if each.words] == ["opposite comparison: event.value.mode == 'legacy'"]


def test_a_name_of_no_rule_is_one_sentence() -> None:
    assert main(["HYB99"]) == 2
