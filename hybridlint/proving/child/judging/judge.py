"""The verdict on one block, from comparing its runs: before and after a fix, eager and compiled, call by call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.core.proof_outcome import BY_HAND
from hybridlint.proving.child import run_advice
from hybridlint.proving.child.changes.mismatch import settings_mismatch
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.compare.comparability import check_finite, check_modes
from hybridlint.proving.child.compare.comparison_state import Comparison
from hybridlint.proving.child.compare.differences import Mismatch, best
from hybridlint.proving.child.compare.eager_against_compiled import compiled_mismatch, earlier_mismatch, half_mismatch
from hybridlint.proving.child.compare.random_draws import mismatch_by_mxnet, replaces_draws, without_order
from hybridlint.proving.child.compare.verdicts import agreement, proof_verdict, refutation_verdict, so_far
from hybridlint.proving.child.errors import DrawsError, Failure, NotRunError, SizesError, check_stopped
from hybridlint.proving.child.judging.alternative_uses import other_ways, with_optional_inputs
from hybridlint.proving.child.judging.larger_blocks import is_unshaped, judged_in_larger
from hybridlint.proving.child.proof_case import PROVED, REFUTED, ProofCase, check_forward
from hybridlint.proving.child.runs.results import MISSING
from hybridlint.proving.child.runs.runs import MODES, Observation
from hybridlint.proving.child.runs.schedule import EAGERLY
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.runs.variants import EAGER, FULL, BlockVersion
from hybridlint.proving.child.search.chance_sizes import flatters
from hybridlint.proving.child.search.input_choice import of_shapes
from hybridlint.proving.child.search.setup_finder import SetupFinder
from hybridlint.proving.child.search.setup_sources import SetupSource
from hybridlint.proving.child.specs.spec import Spec
from hybridlint.proving.child.stages import OTHER_SIZES, RECORDED, SURROUNDINGS, TRIAL, Stage
from hybridlint.text.plurals import is_plural

if TYPE_CHECKING:
    from collections.abc import Callable

#: The messages for what a Symbol lacks, which says nothing about the inputs.
_WHATEVER = re.compile(r"'_?Symbol' object has no attribute|NotImplementedForSymbol")
#: MXNet's and the bundled runtime's message that indices have no gradient.
_INDICES = re.compile(r"indices no gradient|support calculate data gradient")


def judge(case: ProofCase, finder: SetupFinder) -> dict[str, Any]:
    """Return the verdict on a class as JSON data. Raises NotRunError if no verdict is possible."""
    judged = case.after or case.before
    if isinstance(judged.cls, type):
        check_forward(judged.cls)
    finder.compiled = None if TRIAL in case.without else (judged.world, judged.cls)
    finder.varies = OTHER_SIZES not in case.without
    finder.repeats_record = RECORDED not in case.without
    if SURROUNDINGS in case.without:
        finder.enclosing.surroundings = None
    verdicts = (_JUDGED_BY[source](case, finder) for source in SetupSource)
    return next(filter(None, verdicts))


def _judged_as_recorded(case: ProofCase, finder: SetupFinder) -> dict[str, Any] | None:
    """Return the verdict with a setup of a recorded run; None if none works here."""
    setup = finder.recorded()
    return None if setup is None else _judged_with(case, finder, setup, guessed=False)


def _judged_as_directed(case: ProofCase, finder: SetupFinder) -> dict[str, Any] | None:
    """Return the verdict with what the user says; None if the user says nothing. Raises NotRunError if it fails."""
    return _judged_as_found(case, finder) if finder.subject.recipe else None


def _judged_as_found(case: ProofCase, finder: SetupFinder) -> dict[str, Any]:
    """Return the verdict with the setup that the search finds. Raises NotRunError if no verdict is possible."""
    try:
        setup = finder.find()
    except NotRunError as error:
        whole = judged_in_larger(case, finder, _judge_guessed)
        if whole is None:
            raise error from None
        return whole
    return _judged_with(case, finder, setup, guessed=not finder.subject.recipe)


def _judged_with(case: ProofCase, finder: SetupFinder, setup: Setup, *, guessed: bool) -> dict[str, Any]:
    """Return the verdict with a setup, or with a better one. Raises NotRunError if no verdict is possible."""
    judged = case.after or case.before
    try:
        verdict = judge_setup(case, setup, guessed=guessed)
    except NotRunError as error:
        return _judged_enclosed(case, finder, setup, error)
    if not guessed or not isinstance(judged.cls, type):
        return verdict if verdict["status"] != REFUTED else _judged_better(case, finder, setup, verdict)
    return _judged_again(case, finder, setup, verdict)


def _judged_again(case: ProofCase, finder: SetupFinder, setup: Setup, verdict: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on a class whose inputs were guessed, after runs with others."""
    if verdict["status"] == PROVED:
        return other_ways(case, finder, setup, verdict, _judge_guessed)
    if is_unshaped(verdict["reason"]):
        return _judged_with_shapes(case, finder, setup, verdict)
    better = _judged_better(case, finder, setup, verdict)
    return _judged_as_guessed(case, finder, setup, better) or better


def _judged_as_guessed(
    case: ProofCase, finder: SetupFinder, setup: Setup, verdict: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the verdict where guessed inputs refute the block, None for any other `verdict`."""
    if verdict["status"] != REFUTED or verdict["setup"] != setup.text:
        return None
    return _judged_with_list(case, finder, setup, verdict) or _with_doubt(verdict, finder, setup)


def _judged_with_list(
    case: ProofCase, finder: SetupFinder, setup: Setup, verdict: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the verdict with a list in place of an array that `verdict` refutes; None unless it is proved.

    A plural name, such as `xs`, says that a list is meant. Otherwise the refutation stays, and mentions the list.
    """
    other = None if _WHATEVER.search(verdict["reason"]) else finder.with_list(setup)
    if other is None:
        return None
    name, listed = other
    as_list = _judged_or_none(case, listed)
    if as_list is None or as_list["status"] != PROVED:
        return None
    if is_plural(name):
        return as_list
    return {**verdict, "reason": f"{verdict['reason']}; with a list as `{name}` the runs agree", "guessed": True}


def _with_doubt(verdict: dict[str, Any], finder: SetupFinder, setup: Setup) -> dict[str, Any]:
    """Return a verdict that adds, to a refutation only by shapes, that the inputs are a guess."""
    if not _is_of_shapes(verdict) or not finder.guesses_ranks(setup):
        return verdict
    return {
        **verdict,
        "guessed": True,
        "reason": f"{verdict['reason']}; {run_advice.GUESSED}",
        "add": run_advice.INPUTS,
    }


def _is_of_shapes(verdict: dict[str, Any]) -> bool:
    """Whether inputs of other ranks and sizes might agree: shapes do not fit, or results have other shapes."""
    difference = verdict["difference"]
    if difference is None:
        return of_shapes(Failure(verdict["reason"].partition("it fails: ")[2], None))
    return difference["largest_absolute"] is None and "shape" in difference["message"]


def _judged_as_called(case: ProofCase, finder: SetupFinder) -> dict[str, Any] | None:
    """Return the verdict on a block used like a call in the project's text; None without such a call.

    Other sizes than in the call are guesses: if only they are refuted, the call's own sizes decide.
    """
    called = finder.called()
    if called is None:
        return None
    verdict, setup = _judged_or_none(case, called.varied), called.varied
    if verdict is None or (verdict["status"] == REFUTED and case.after is None):
        exact = _judged_or_none(case, called.exact)
        if exact is not None and (verdict is None or exact["status"] == PROVED):
            verdict, setup = exact, called.exact
    if verdict is None or is_unshaped(verdict["reason"]):
        return None
    if verdict["status"] == PROVED and isinstance(case.before.cls, type):
        return other_ways(case, finder, setup, verdict, _judge_guessed)
    return None if verdict["status"] == REFUTED and _is_without_gradient(verdict) else verdict


#: How a block is judged with a setup of each source, None if it has none.
_JUDGED_BY: Mapping[SetupSource, Callable[[ProofCase, SetupFinder], dict[str, Any] | None]] = {
    SetupSource.RECORD: _judged_as_recorded,
    SetupSource.DIRECTIVE: _judged_as_directed,
    SetupSource.CALL: _judged_as_called,
    SetupSource.SEARCH: _judged_as_found,
}


def _judged_or_none(case: ProofCase, setup: Setup) -> dict[str, Any] | None:
    try:
        return _judge_guessed(case, setup)
    except NotRunError:
        return None


def _judged_with_shapes(case: ProofCase, finder: SetupFinder, setup: Setup, verdict: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on a block with unshaped layers: with optional inputs, or in a larger block.

    It is `verdict`, the refutation without these, if optional inputs cannot help. Raises NotRunError if they might, but
    no guess of them does.
    """
    passed = with_optional_inputs(case, finder, setup, _judge_guessed)
    found = passed.proof or judged_in_larger(case, finder, _judge_guessed)
    if found is None and passed.may_help:
        raise NotRunError(f"no inputs were found {passed.name}; without it, {verdict['reason']}", run_advice.OPTIONAL)
    if found is None and any(map(_is_one_of_several, setup.inputs.items())):
        # More items of a list, or more inputs of a star argument, may reach the others.
        raise NotRunError(f"some layers may need more inputs: {verdict['reason']}", run_advice.SEVERAL)
    return found or verdict


def _is_one_of_several(named: tuple[str, Spec]) -> bool:
    """Whether an input is one of a guessed number: a list, or an unnamed part of ``*inputs``."""
    name, spec = named
    return isinstance(spec, list) or not name.isidentifier()


def _judged_better(case: ProofCase, finder: SetupFinder, setup: Setup, verdict: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict with a setup from larger blocks, or `verdict` (from guessed inputs) if there is none."""
    if is_unshaped(verdict["reason"]) or _is_without_gradient(verdict):
        # Parameters that only other blocks use get their shapes there, and what returns an input its gradient.
        return judged_in_larger(case, finder, _judge_guessed) or verdict
    if setup.arguments.within is not None or _WHATEVER.search(verdict["reason"]):
        return verdict
    # The guessed inputs may be none that the block is meant for.
    better = finder.enclosing.first()
    if better is None or flatters(better.inputs):
        return verdict
    try:
        return judge_setup(case, better, guessed=True)
    except NotRunError:
        return verdict


def _is_without_gradient(verdict: dict[str, Any]) -> bool:
    """Whether the graph lacks a gradient, which happens to a graph that returns its input unchanged."""
    difference = verdict["difference"]
    return difference is not None and difference["what"].startswith("gradient of") and difference["message"] == MISSING


def _judge_guessed(case: ProofCase, setup: Setup) -> dict[str, Any]:
    return judge_setup(case, setup, guessed=True)


def _judged_enclosed(case: ProofCase, finder: SetupFinder, setup: Setup, error: NotRunError) -> dict[str, Any]:
    """Return the verdict on the inputs that the block gets in a larger block. Raises `error` if there is none."""
    better = None if setup.arguments.within is not None else finder.enclosing.first()
    if better is None:
        raise error
    try:
        return judge_setup(case, better, guessed=True)
    except NotRunError:
        raise error from None


def judge_setup(case: ProofCase, setup: Setup, *, guessed: bool = False) -> dict[str, Any]:
    """Return the verdict on a class with a known setup. Raises NotRunError.

    Inputs that were `guessed` must work in all modes; otherwise NotRunError is raised.
    """
    try:
        return _verdict(Comparison(case, setup, tuple(MODES), guessed, so_far))
    except SizesError:
        return judge_setup(case, setup._replace(rounds=setup.rounds[:1]), guessed=guessed)
    except DrawsError as error:
        others = [mode for mode in MODES if mode != "train"]
        verdict = _verdict(Comparison(case, setup, others, guessed, so_far))
        if verdict["status"] == PROVED:
            verdict["reason"] += f"; in train mode {error.reason}"
        return verdict


def _verdict(trial: Comparison) -> dict[str, Any]:
    """Run all variants and return the verdict."""
    trial.report_stage(Stage("running it eagerly" if trial.after is None else "running it eagerly before the fix"))
    start = now()
    trial.plan = trial.plan._replace(until=start + EAGERLY * (trial.limit - (start - trial.start)))
    reference = trial.run(trial.before, EAGER)
    if any(o.failure is not None and _INDICES.search(o.failure.sentence) for o in reference):
        # The indices given to an Embedding have no gradient; its parameters do.
        trial.plan = trial.plan._replace(of_inputs=False)
        reference = trial.run(trial.before, EAGER)
    trial.reference = reference
    trial.calls = trial.calls[: trial.calls.index(reference[-1].call) + 1]
    trial.plan = trial.plan._replace(calls=trial.calls, until=None)
    trial.seconds = now() - start
    if reference[0].failure is not None:
        found = reference[0].failure
        check_stopped(found)
        raise NotRunError(f"it does not run eagerly: {found.sentence}", run_advice.EAGERLY, found.row)
    check_finite(trial, reference)
    check_modes(trial, reference)
    if trial.after is None:
        return _as_it_stands(trial, reference)
    return _fixed(trial, reference, trial.after)


def _as_it_stands(trial: Comparison, reference: list[Observation]) -> dict[str, Any]:
    mismatch = compiled_mismatch(trial, trial.before, reference) or settings_mismatch(trial, trial.before)
    mismatch = mismatch or half_mismatch(trial, reference)
    if mismatch is None:
        return proof_verdict(trial, reference, agreement(trial))
    return refutation_verdict(trial, mismatch, fault=False)


def _fixed(trial: Comparison, reference: list[Observation], after: BlockVersion) -> dict[str, Any]:
    eager = trial.judged_run(after, EAGER)
    mismatch = trial.mismatch(reference, eager, after, EAGER, trial.plan)
    if mismatch is not None and mismatch.failure is None:
        if replaces_draws(trial, after, reference, eager):
            mismatch = mismatch_by_mxnet(trial, after, eager)
            reference = trial.reference
        else:
            mismatch = without_order(trial, after, mismatch, reference)
    if mismatch is not None:
        return refutation_verdict(trial, mismatch, fault=True)
    # Where draws have no order, only runs of the same code draw alike in order.
    joint = best(eager, reference) if trial.plan.by_mxnet else best(reference, eager)
    mismatch = compiled_mismatch(trial, after, joint)
    if mismatch is None:
        # A setting that is frozen now was frozen before the fix too, so the proof does not count it.
        settings_mismatch(trial, after)
        mismatch = half_mismatch(trial, joint)
        if mismatch is None:
            return proof_verdict(trial, joint, agreement(trial))
        return refutation_verdict(trial, mismatch, fault=True)
    earlier = earlier_mismatch(trial, reference)
    verdict = refutation_verdict(trial, mismatch, fault=_is_at_fault(trial, mismatch, earlier))
    if mismatch.failure is None or verdict["fault"]:
        return verdict
    why = f"eagerly it is the same before and after, but hybridized it still fails: {mismatch.failure.sentence}"
    return {**verdict, "reason": why, "add": BY_HAND}


def _is_at_fault(trial: Comparison, mismatch: Mismatch, earlier: Mismatch | None) -> bool:
    """Return whether a fix may be why a block is wrong after it; `earlier` is the mismatch before it.

    Not if the block failed equally early before, or could not be compiled: then the fix is not enough. A block that the
    engine could not run before the fix may have worked.
    """
    if mismatch.failure is not None and not _is_hybrid(trial.before):
        return False
    if earlier is None or mismatch.failure is None:
        return earlier is None or earlier.failure is not None
    if earlier.failure is None or earlier.failure.engine_lacks:
        return True
    return _progress(trial, mismatch) < _progress(trial, earlier)


def _is_hybrid(side: BlockVersion) -> bool:
    """Return whether ``hybridize()`` compiles a class: a HybridBlock that does not override ``forward``."""
    if not isinstance(side.cls, type) or not issubclass(side.cls, side.world.mx.gluon.HybridBlock):
        return False
    try:
        check_forward(side.cls)
    except NotRunError:
        return False
    return True


def _progress(trial: Comparison, mismatch: Mismatch) -> tuple[int, bool, int]:
    """Return how far a block came before it failed: the variant, whether it was traced, and the call."""
    variants = [*FULL, *trial.elsewhere]
    variant = variants.index(mismatch.variant) if mismatch.variant in variants else len(variants)
    traced = mismatch.failure is not None and not mismatch.failure.in_code
    return variant, traced, trial.calls.index(mismatch.call) if mismatch.call in trial.calls else len(trial.calls)
