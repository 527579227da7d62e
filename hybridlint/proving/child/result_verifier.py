"""The comparison that counts: of raw results, in a process that never ran the project's code.

A block's process says which runs it found equal, and hands over what they computed. Here they are compared again; what
that process says of its own comparison decides nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.compare.comparability import any_finite
from hybridlint.proving.child.compare.differences import Mismatch, by_call, explained_mismatch, first_mismatch
from hybridlint.proving.child.comparison_evidence import observation_of
from hybridlint.proving.child.graphs import CUSTOM, Exported
from hybridlint.proving.child.proof_case import NOT_RUN, PROVED, REFUTED
from hybridlint.proving.child.runs.exported_block import comparable
from hybridlint.proving.child.runs.prelu_gradients import multiplied_gradients
from hybridlint.proving.child.runs.results import first_difference
from hybridlint.proving.child.runs.rounding import equal_in_double, within_rounding, without
from hybridlint.proving.child.runs.runs import CallPlan, Observation, PlannedCall
from hybridlint.proving.child.runs.variants import CHANGED, COMPILED, EAGER, EAGER_HALF, FULL, HALF, ON_GPU, REORDERED
from hybridlint.proving.child.wire import WireError, WireMessage

if TYPE_CHECKING:
    from collections.abc import Callable

_VARIANTS = {variant.name: variant for variant in (EAGER, *FULL, *ON_GPU, REORDERED, CHANGED, EAGER_HALF, HALF)}
UNCONFIRMED = "its process reports a proof that its results do not show"
#: The note on a further run of which no call has worked, or none has been compared to its end.
NO_RESULTS = "it has no results to compare"
ADVICE = "Take out of the module what changes Python, numpy or mxnet themselves, or the process of the proof."


class _Trial:
    """The observations of a trial, which variants agree with the eager run by them, and the first that does not."""

    def __init__(self) -> None:
        self.seen: dict[int, Observation] = {}
        self.passing: set[int] = set()
        self.reference: list[Observation] | None = None
        self.agreed: set[str] = set()
        self.mismatch: Mismatch | None = None
        #: Why the exported graph does not compute what its process says, in another one.
        self.elsewhere: str | None = None


class ResultVerifier:
    """Compares the results that one block's process hands over. `fixed` says that there is a text after a fix.

    `run` returns the outputs of an exported graph, computed in a process that never ran the project's code, or why
    there are none.
    """

    def __init__(self, run: Callable[[Exported], Sequence[Any] | str], *, fixed: bool) -> None:
        self.run = run
        self.fixed = fixed
        self._trials: dict[int, _Trial] = {}

    def take(self, frame: WireMessage) -> None:
        """Take a frame of evidence, as `EVIDENCE` declares it. Raises FrameError for one that is wrong in itself."""
        message = frame.message
        number = message["trial"]
        try:
            if message["event"] == "trial":
                for trial in self._trials.values():
                    trial.seen.clear()
                self._trials[number] = _Trial()
            elif message["event"] == "observation":
                self._observe(self._trials[number], frame)
            else:
                self._agree(self._trials[number], message, frame.arrays)
        except MemoryError:
            raise
        except Exception:
            # Made-up arrays may fail a comparison in any way.
            raise WireError("it sends results that are none") from None

    def _observe(self, trial: _Trial, frame: WireMessage) -> None:
        number = frame.message["number"]
        if number in trial.seen:
            raise ValueError(number)
        trial.seen[number] = observation_of(frame.message, frame.arrays)
        if not frame.message["keep"]:
            trial.passing.add(number)

    def _agree(self, trial: _Trial, message: Mapping[str, Any], arrays: Sequence[Any]) -> None:
        variant = _VARIANTS[message["variant"]]

        def observed(numbers: Sequence[int]) -> list[Observation]:
            return [trial.seen[number] for number in numbers]

        expected, found = observed(message["expected"]), observed(message["found"])
        moved = by_call(observed(message["moved"]))
        if variant is COMPILED or (variant is EAGER and trial.reference is None):
            trial.reference = expected
        if variant.half:
            full = {seen.call: seen for seen in observed(message["full"])}
            left_out = {seen.call: _gradients(message["left out"]) for seen in expected}
            mismatch = first_mismatch(expected, found, variant, full, left_out)
        elif variant is CHANGED:
            mismatch = first_mismatch(expected, found, variant)
        else:
            values = dict(zip(message["values"], arrays))  # noqa: B905 - this also runs under Python 3.8
            plan = CallPlan({}, [], values, {}, set(message["trainable"]))
            first, second = (by_call(observed(numbers)) for numbers in message["wide"])
            one, other = by_call(expected), by_call(found)
            known = one.keys() & other.keys()

            def slopes() -> dict[PlannedCall, list[str]]:
                return {} if variant.flags is None else {c: multiplied_gradients(one[c], other[c], plan) for c in known}

            def rounded() -> dict[PlannedCall, list[str]]:
                both = known & moved.keys()
                return {c: within_rounding(one[c], moved[c], other[c], exported=variant.exported) for c in both}

            def doubled() -> dict[PlannedCall, list[str]]:
                both = known & first.keys() & second.keys()
                return {c: equal_in_double(one[c], other[c], (first[c], second[c])) for c in both}

            mismatch = explained_mismatch(expected, found, variant, (slopes, rounded, doubled))
        if variant.exported and mismatch is None:
            first_moved = moved.get(expected[0].call)
            trial.elsewhere = trial.elsewhere or self._elsewhere(expected[0], first_moved, message, arrays)
        if mismatch is None and by_call(expected):
            trial.agreed.add(variant.name)
        trial.mismatch = trial.mismatch or mismatch
        for number in trial.passing:
            trial.seen.pop(number, None)
        trial.passing.clear()

    def _elsewhere(
        self, first: Observation, moved: Observation | None, message: Mapping[str, Any], arrays: Sequence[Any]
    ) -> str | None:
        """Return why the graph of a run does not compute the first call, run by itself; None if it does.

        `moved` is that call with nudged parameters, if rounding explains differences of its run.
        """
        text, names, numpy_mode, unordered = message["graph"]
        weights, *inputs = arrays[len(message["values"]) :]
        if CUSTOM in text or first.failure is not None or first.call.mode != "predict":
            return None
        given = [str(name) for name in names]
        found = self.run(Exported(str(text), weights, given, inputs, bool(numpy_mode), bool(unordered)))
        if isinstance(found, str):
            return f"its graph does not run by itself: {found}"
        results = {f"output[{k}]": value for k, value in enumerate(found)}
        expected, seen = comparable(first.results, results)
        expected = {name: value for name, value in expected.items() if name.startswith("output")}
        if moved is not None:
            rounded = within_rounding(first, moved, Observation(first.call, seen), exported=True)
            expected, seen = without(expected, rounded), without(seen, rounded)
        difference = first_difference(expected, seen)
        return None if difference is None else f"run by itself, {difference.what} of its graph {difference.message}"

    def judged(self, claim: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the outcome that a process claims for its block, or another one if the results do not show it."""
        if claim.get("status") != PROVED:
            return claim
        trial = self._trials.get(claim.get("trial", 0))
        if trial is None or trial.reference is None:
            return _unconfirmed("it sends no results")
        if trial.mismatch is not None:
            return _refuted(trial.mismatch, fixed=self.fixed)
        why = self._unshown(trial)
        if why is not None:
            return _unconfirmed(why)
        ran = [o for o in trial.reference if o.failure is None]
        gradients = any(name.startswith("gradient") for o in ran for name in o.results)
        variants = [_shown(variant, trial.agreed) for variant in claim.get("variants", ())]
        return {**claim, "runs": len(ran), "gradients": gradients, "variants": variants}

    def _unshown(self, trial: _Trial) -> str | None:
        """Return the results that a trial lacks for a proof, None if they suffice."""
        needed = {COMPILED.name, *([EAGER.name] if self.fixed else [])}
        if missing := sorted(needed - trial.agreed):
            return f"it sends no results of the run {missing[0]}"
        if trial.elsewhere is not None:
            return trial.elsewhere
        assert trial.reference is not None
        if not any_finite(trial.reference):
            return "no output in them is finite"
        named = any(name.startswith("output") for o in trial.reference for name in o.results)
        return None if named else "there is no output in them"


def _shown(variant: Mapping[str, Any], agreed: Collection[str]) -> Mapping[str, Any]:
    """Return a variant of a claim, with a note if the claim has a further run that no results show.

    A process may leave out a further run by a note of its own, so a run that is not shown is no reason for doubt.
    """
    name = variant["name"]
    unshown = variant["note"] is None and name in _VARIANTS and name not in agreed
    return {**variant, "note": NO_RESULTS} if unshown else variant


def _gradients(names: Sequence[str]) -> list[str]:
    """Return the names that are those of gradients; nothing else may be left out."""
    return [name for name in names if name.startswith("gradient of ")]


def _refuted(mismatch: Mismatch, *, fixed: bool) -> dict[str, Any]:
    after = " after the fix" if fixed else ""
    return {
        "status": REFUTED,
        "reason": f"{mismatch.variant.name}{after}: {mismatch.sentence}; its own process took that for equal",
        "row": None,
        "fixed": fixed,
        "fault": fixed,
        "call": str(mismatch.call),
        "variant": f"{mismatch.variant.name}{after}",
        "difference": None if mismatch.difference is None else mismatch.difference._asdict(),
        "setup": "",
        "variants": [],
        "parting": None,
        "graph": [],
    }


def _unconfirmed(why: str) -> dict[str, Any]:
    reason = f"{UNCONFIRMED}: {why}"
    return {"status": NOT_RUN, "reason": reason, "add": ADVICE, "row": None, "fixed": False, "directive": None}
