"""Native code by which threads run kernels together: one leads, and all claim shares of the current kernel.

The leading thread runs the kernels in order. Of a shared kernel it publishes the shares, claims them one after another
as the helpers do, and waits until all claimed shares are done. It never waits for a helper that has claimed nothing: a
helper that comes late, or never, costs only time.

The threads communicate through two words of memory, on separate cache lines: which shares can be claimed, and how many
are done. The first word has a number that grows with each kernel, so that a late claim fails.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.compiled.engines.jit.llvm import YIELD, ir

#: The size of what threads say to each other, in words of 64 bits, and where in it the number of finished shares is.
WORDS, _DONE = 32, 16
#: The bits of the first word, lowest first: the next share, the number of shares, the kernel; then the growing number.
_SHARE, _KERNEL, _SERIAL = 10, 20, 32
#: The kernel that means that there are no more.
ENDED = (1 << (_SERIAL - _KERNEL)) - 1
#: A thread looks so many times before it lets others run. A helper looks so many times before it leaves: while a run is
#: under way, and after its end, where the next one may begin at once (some 0.2 ms).
_LOOKS, _PATIENCE, _LINGER = 256, 1 << 16, 1 << 12


@dataclass(frozen=True, slots=True)
class Task:
    """A kernel as something to call: ``call(builder, table, (share, shares))``, and its number of shares."""

    call: Callable[[Any, Any, Sequence[Any]], None]
    shares: int


def begin_word(word: int) -> int:
    """Return the first word for a new run, given the last run's word: there is nothing to claim yet."""
    return word >> _SERIAL << _SERIAL


def end_word(word: int) -> int:
    """Return the first word after a run, which tells helpers to leave; `word` is the run's first word."""
    return begin_word(word) | ENDED << _KERNEL


def write_team(module: Any, number: int, tasks: Sequence[Task]) -> None:
    """Write ``lead<number>`` and ``help<number>``, which take the table and the words."""
    _Team(module, number, tasks).write()


class _Team:
    def __init__(self, module: Any, number: int, tasks: Sequence[Task]) -> None:
        self.module, self.number, self.tasks = module, number, tasks
        shared = [k for k, task in enumerate(tasks) if task.shares > 1][:ENDED]
        #: The numbers of the kernels that are shared, by their positions.
        self.kernels = {position: kernel for kernel, position in enumerate(shared)}
        self.word, self.pointer, self.nothing = ir().IntType(64), ir().PointerType(), ir().VoidType()

    def write(self) -> None:
        """Write the team's functions in LLVM's IR."""
        share = self._share()
        claim = self._claim(share)
        self._lead(claim)
        self._help(claim)

    def _share(self) -> Any:
        """Write the function that runs one share of a kernel, given the table, the kernel and the share."""
        run, b = self._function("share", self.nothing, [self.pointer, self.word, self.word])
        table, kernel, share = run.args
        none = run.append_basic_block("none")
        choice = b.switch(kernel, none)
        for position, number in self.kernels.items():
            block = run.append_basic_block(f"kernel{number}")
            choice.add_case(self._const(number), block)
            b.position_at_end(block)
            task = self.tasks[position]
            task.call(b, table, (share, self._const(task.shares)))
            b.ret_void()
        b.position_at_end(none)
        b.ret_void()
        return run

    def _claim(self, share: Any) -> Any:
        """Write the function that runs shares while there are some, and returns the first word as it is then."""
        claim, b = self._function("claim", self.word, [self.pointer, self.pointer])
        table, words = claim.args
        look, try_it, own, leave = (claim.append_basic_block(name) for name in ("look", "try", "own", "leave"))
        b.branch(look)
        b.position_at_end(look)
        word = self._load(b, words)
        following, shares = self._field(b, word, 0, _SHARE), self._field(b, word, _SHARE, _KERNEL)
        b.cbranch(b.icmp_unsigned("<", following, shares), try_it, leave)
        b.position_at_end(try_it)
        swapped = b.cmpxchg(words, word, b.add(word, self._const(1)), "acq_rel", "acquire")
        b.cbranch(b.extract_value(swapped, 1), own, look)
        b.position_at_end(own)
        b.call(share, [table, self._field(b, word, _KERNEL, _SERIAL), following])
        b.atomic_rmw("add", self._done(b, words), self._const(1), "release")
        b.branch(look)
        b.position_at_end(leave)
        b.ret(word)
        return claim

    def _lead(self, claim: Any) -> None:
        lead, b = self._function("lead", self.nothing, [self.pointer, self.pointer], shown=True)
        table, words = lead.args
        alone = [self._const(k) for k in (0, 1)]
        serial = b.lshr(self._load(b, words), self._const(_SERIAL))
        for position, task in enumerate(self.tasks):
            number = self.kernels.get(position)
            if number is None:
                task.call(b, table, alone)
                continue
            serial = b.add(serial, self._const(1))
            b.atomic_rmw("xchg", self._done(b, words), self._const(0), "monotonic")
            self._publish(b, words, serial, number, task.shares)
            b.call(claim, [table, words])
            self._await(lead, b, words, task.shares)
        self._publish(b, words, serial, ENDED, 0)
        b.ret_void()

    def _publish(self, b: Any, words: Any, serial: Any, kernel: int, shares: int) -> None:
        told = b.or_(b.shl(serial, self._const(_SERIAL)), self._const(kernel << _KERNEL | shares << _SHARE))
        b.atomic_rmw("xchg", words, told, "release")

    def _await(self, lead: Any, b: Any, words: Any, shares: int) -> None:
        """Wait until a given number of shares are done."""
        wait, after = lead.append_basic_block("wait"), lead.append_basic_block("after")

        def finished() -> Any:
            return b.icmp_unsigned("==", self._load(b, self._done(b, words)), self._const(shares))

        before = b.block
        b.cbranch(finished(), after, wait)
        b.position_at_end(wait)
        looks = b.phi(self.word)
        looks.add_incoming(self._const(0), before)
        following = self._pause(lead, b, looks)
        looks.add_incoming(following, b.block)
        b.cbranch(finished(), after, wait)
        b.position_at_end(after)

    def _help(self, claim: Any) -> None:
        help_, b = self._function("help", self.nothing, [self.pointer, self.pointer], shown=True)
        table, words = help_.args
        before = b.block
        look, wait, leave = (help_.append_basic_block(name) for name in ("look", "wait", "leave"))
        b.branch(look)
        b.position_at_end(look)
        looks, last = b.phi(self.word), b.phi(self.word)
        looks.add_incoming(self._const(0), before)
        last.add_incoming(self._const(0), before)
        word = b.call(claim, [table, words])
        kernel = self._field(b, word, _KERNEL, _SERIAL)
        # Patience begins anew with each kernel.
        waited = b.select(b.icmp_unsigned("==", word, last), looks, self._const(0))
        over = b.icmp_unsigned("==", kernel, self._const(ENDED))
        patience = b.select(over, self._const(_LINGER), self._const(_PATIENCE))
        b.cbranch(b.icmp_unsigned(">", waited, patience), leave, wait)
        b.position_at_end(wait)
        following = self._pause(help_, b, waited)
        looks.add_incoming(following, b.block)
        last.add_incoming(word, b.block)
        b.branch(look)
        b.position_at_end(leave)
        b.ret_void()

    def _pause(self, function: Any, b: Any, looks: Any) -> Any:
        """Write a short pause, at times one in which other threads run. Return the number of looks after it."""
        rest, after = function.append_basic_block("rest"), function.append_basic_block("after")
        following = b.add(looks, self._const(1))
        if platform.machine().lower() in {"x86_64", "amd64"}:
            b.call(self._declared("llvm.x86.sse2.pause"), [])
        b.cbranch(b.icmp_unsigned("==", b.urem(following, self._const(_LOOKS)), self._const(0)), rest, after)
        b.position_at_end(rest)
        b.call(self._declared(YIELD), [])
        b.branch(after)
        b.position_at_end(after)
        return following

    # -- small parts

    def _function(self, name: str, result: Any, taken: Sequence[Any], *, shown: bool = False) -> tuple[Any, Any]:
        function = ir().Function(self.module, ir().FunctionType(result, taken), f"{name}{self.number}")
        if not shown:
            function.linkage = "internal"
        return function, ir().IRBuilder(function.append_basic_block("entry"))

    def _declared(self, name: str) -> Any:
        known = self.module.globals.get(name)
        return known or ir().Function(self.module, ir().FunctionType(self.nothing, []), name)

    def _const(self, number: int) -> Any:
        return ir().Constant(self.word, number)

    def _load(self, b: Any, place: Any) -> Any:
        return b.load_atomic(place, "acquire", 8, typ=self.word)

    def _done(self, b: Any, words: Any) -> Any:
        return b.gep(words, [self._const(_DONE)], source_etype=self.word)

    def _field(self, b: Any, word: Any, begin: int, end: int) -> Any:
        """Return some bits of a word."""
        return b.and_(b.lshr(word, self._const(begin)), self._const((1 << (end - begin)) - 1))
