"""``match`` statements: the tests that patterns make on the subject, and the names that they bind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis import semantics
from hybridlint.analysis.dispatch import evaluate, execute, statement
from hybridlint.analysis.flow.truth import truth
from hybridlint.analysis.model.values import (
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    Outputs,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.run.flow import merge
from hybridlint.analysis.syntax.arithmetic import binary
from hybridlint.analysis.syntax.conditions import ask_truth, evaluate_condition

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.runtime.facts.surface import World


@statement(ast.Match)
def match(act: Activation, node: ast.Match) -> None:
    """Interpret a match statement: its cases in order, each in the runs in which its pattern can match."""
    subject = evaluate(act, node.subject)
    result, before, remaining = None, act.flow, act.flow.worlds
    for case in node.cases:
        act.flow = before.copy()
        act.flow.worlds = remaining
        fits = {world: _fits(act, case.pattern, node.subject, subject, world) for world in remaining}
        act.flow.worlds = frozenset(world for world in remaining if fits[world] is not False)
        if not act.flow.alive:
            continue
        _bind(act, case.pattern, subject)
        if case.guard is not None:
            evaluate_condition(act, case.guard, "if", case.guard)
        else:
            remaining = frozenset(world for world in remaining if fits[world] is not True)
        execute(act, case.body)
        result = act.flow if result is None else merge(result, act.flow)
    act.flow = before.copy()
    act.flow.worlds = remaining
    act.flow = act.flow if result is None else merge(result, act.flow)


def _fits(act: Activation, pattern: ast.pattern, place: ast.expr, value: Value, world: World) -> bool | None:
    """Return whether a pattern matches in a run: None if unknown. Emits the events of the pattern's tests."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _fits(act, inner, place, value, world)
        case ast.MatchOr(patterns=options):
            found = [_fits(act, option, place, value, world) for option in options]
            return True if True in found else None if None in found else False
        case ast.MatchValue(value=expected):
            _ask_equal(act, pattern, (place, value), expected)
            return None
        case ast.MatchClass(cls=cls):
            return truth(semantics.library.is_instance(value, evaluate(act, cls)), world)
        case ast.MatchSequence() | ast.MatchMapping():
            return False if isinstance(value, Tensor) and not value.optional else None
        case _:
            return False if isinstance(value, Tensor | Outputs) and not getattr(value, "optional", False) else None


def _ask_equal(act: Activation, pattern: ast.pattern, subject: tuple[ast.expr, Value], expected: ast.expr) -> None:
    """Emit the events of comparing the subject with a literal or a dotted name in a case.

    A subject that is compared with strings is a setting, whatever its name.
    """
    place, value = subject
    text = isinstance(expected, ast.Constant) and isinstance(expected.value, str)
    if isinstance(value, Tensor | DataDependentValue) and not text:
        compared = binary(act, pattern, ast.Eq(), (place, value), (expected, evaluate(act, expected)))
        ask_truth(act, compared, expected, "if", expected)


def _bind(act: Activation, pattern: ast.pattern, value: Value) -> None:
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                _bind(act, inner, value)
            if name is not None:
                act.bind(name, _in_this_run(act, value))
        case ast.MatchSequence(patterns=parts):
            known = value.items if isinstance(value, ContainerValue) and value.items is not None else ()
            whole = len(known) == len(parts) and not any(isinstance(part, ast.MatchStar) for part in parts)
            for index, part in enumerate(parts):
                _bind(act, part, known[index] if whole else Unknown())
        case ast.MatchStar(name=str() as name):
            act.bind(name, Unknown())
        case _:
            for inner_pattern in ast.iter_child_nodes(pattern):
                if isinstance(inner_pattern, ast.pattern):
                    _bind(act, inner_pattern, Unknown())
            rest = getattr(pattern, "rest", None)
            if rest is not None:
                act.bind(rest, Unknown())


def _in_this_run(act: Activation, value: Value) -> Value:
    """Return the value in the one run that reaches this point; the value itself if both runs do."""
    if isinstance(value, EagerTracePair) and len(act.flow.worlds) == 1:
        return value.eager if "eager" in act.flow.worlds else value.traced
    return value
