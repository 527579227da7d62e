"""The child process as seen by the parent: start, messages, time limits, and end."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeAlias

from hybridlint.core.proof_outcome import TOO_LONG
from hybridlint.core.schema import MalformedError, in_words, parse_json
from hybridlint.proving.child.messages import MALFORMED, OF_PROOF
from hybridlint.proving.child.stages import LOOKING
from hybridlint.proving.clock import ProofClock
from hybridlint.proving.scratch import PLAIN, WORK, passed_on, scratch_folder
from hybridlint.proving.stopping import check_stopped
from hybridlint.proving.zygote_client import POSSIBLE, ForkedProcess, NoForkError, ZygoteClient, ZygoteProgram

Process: TypeAlias = "subprocess.Popen[bytes] | ForkedProcess"

CHILD = Path(__file__).parent / "child"
#: Copies of a process that has imported the bundled runtime.
COPIES = ZygoteClient()
_END: None = None
#: The advice for a block that ends the process.
ENDED = "Say in a comment above the class how your program builds and calls it: what was tried ends the process."
#: Seconds between checks of whether the user has stopped the proof.
_POLLED = 0.25
#: Seconds within which the interpreter must have imported mxnet.
STARTING = 60.0
#: Seconds within which a child has ended, with all that it has started.
ENDING = 3.0
#: Messages that are held until they are looked at, and the bytes of one.
_HELD, _MOST_LINE = 64, 64 << 20
#: Bytes that are kept of what it prints, and seconds to wait for the rest of them.
_LAST, _PRINTING = 4_000, 0.5


class ChildEndedError(Exception):
    """Raised when the child process ended, or was too slow (`timeout`), before its work was done; `reason` says how.

    `variant` names the run that was being compared, None if there was none. The eager run took `seconds`; this run had
    taken `lasted` seconds. `optional` is the work that a new child can leave out, and `verdict` the verdict without it.
    `used` is the time in seconds that the block has taken so far. `over` says that it went over the budget of a proof.
    """

    def __init__(
        self,
        reason: str,
        stage: Mapping[str, Any],
        *,
        timeout: bool = False,
        lasted: float = 0.0,
        used: float = 0.0,
        over: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.timeout = timeout
        self.lasted = lasted
        self.variant: str | None = stage.get("variant")
        self.seconds: float = stage.get("seconds", 0.0)
        self.optional: str | None = stage.get("optional")
        self.verdict: Mapping[str, Any] | None = stage.get("verdict")
        self.used = used
        self.over = over


def messages(task: Mapping[str, Any], *, timeout: float, python: str | None = None) -> Iterator[dict[str, Any]]:
    """Run a task and yield the child's messages. Raises ChildEndedError if the child crashes or takes too long.

    Raises StoppedProofError if the user stops the proof. `timeout` is in seconds, without the time in which no
    processor was free for the child. It starts again once mxnet is imported, and with each block; for a block that was
    begun before, the task has the remaining seconds in `left`. `python` is the interpreter to run, None for the
    current one.
    """
    with scratch_folder() as scratch:
        process = _started(task, scratch / WORK, python)
        try:
            sent = {**task, "scratch": str(scratch), "shown": os.getcwd()}
            yield from _talk(process, json.dumps(sent).encode(), timeout, task["left"])
        finally:
            _kill(process)


def template(engine: str) -> ZygoteProgram:
    """Return the program that runs proofs of an engine, in the environment that this process passes on."""
    return ZygoteProgram(CHILD, (engine,), passed_on(os.environ, engine if engine == "onnx" else PLAIN))


def _started(task: Mapping[str, Any], folder: Path, python: str | None) -> Process:
    """Start the child. For the bundled runtime, fork a process that has imported it, if possible."""
    program = template(task["engine"])
    if POSSIBLE and python is None and task["engine"] != "mxnet":
        with suppress(NoForkError):
            return COPIES.copy(program, folder, within=STARTING)
    return subprocess.Popen(
        [python or sys.executable, str(CHILD)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=program.environment,
        start_new_session=os.name == "posix",
    )


def _talk(process: Process, task: bytes, timeout: float, left: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    lines = _Lines(process.stdout)
    errors = _Errors(process.stderr)
    try:
        # The stream stays open: once it is closed, the child ends with all that it has started.
        process.stdin.write(len(task).to_bytes(8, "big") + task)
        process.stdin.flush()
    except OSError:
        pass  # It is gone already; its exit status says more.
    stage: dict[str, Any] = {"stage": "starting"}
    clock = ProofClock(process.pid)
    began = started = clock.now()
    # On a busy machine the import of mxnet takes long, which is not the user's fault.
    deadline = until = clock.now() + max(timeout, STARTING)
    while True:
        check_stopped()
        try:
            line = lines.get(timeout=min(max(0.0, until - clock.now()), _POLLED))
        except queue.Empty:
            if clock.now() < until:
                continue
            at = clock.now()
            limit = timeout if stage.get("within") is None else round(at - began, 1)
            how = _how(f"{TOO_LONG} {limit:g} s", stage)
            raise ChildEndedError(how, stage, timeout=True, lasted=at - began, used=at - started) from None
        if line is _END:
            how = _how(_ending(process.wait()), stage, errors.last_words())
            raise ChildEndedError(how, stage, used=clock.now() - started)
        message = _message(line, stage, clock.now() - started)
        if message["event"] == "ended":
            over = "reason" in message
            how = message["reason"] if over else _how(_ending(message["status"]), stage, errors.last_words())
            raise ChildEndedError(how, stage, used=clock.now() - started, over=over)
        if message["event"] == "stage":
            stage, began = message, clock.now()
            # Optional work without a verdict so far must leave time to repeat the rest without it.
            until = (deadline + began) / 2 if stage["optional"] and not stage["verdict"] else deadline
            if stage["within"] is not None:
                until = min(deadline, began + stage["within"])
        elif message["event"] in {"ready", "start", "outcome"}:
            if message["event"] == "start":
                # What was said before, by others, is not about this block.
                stage = LOOKING._asdict()
            began = started = clock.now()
            deadline = until = started + left.get(message.get("block", ""), timeout)
        yield message
        if message["event"] in {"end", "failed"}:
            return


def _how(how: str, stage: Mapping[str, Any], words: str = "") -> str:
    return f"{how} ({stage['stage']}){words}"


def _message(line: bytes, stage: Mapping[str, Any], used: float) -> dict[str, Any]:
    """Return the message in a line. Raises ChildEndedError for other text, and then nothing more is trusted."""
    try:
        found: dict[str, Any] = OF_PROOF(parse_json(line))
    except MalformedError as error:
        raise ChildEndedError(f"{MALFORMED}: {in_words(error)}", stage, used=used) from None
    return found


class _Lines:
    """The lines of a stream. Few are held, and the writer waits until they are read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._held: queue.Queue[bytes | None] = queue.Queue(_HELD)
        self._stream = stream
        threading.Thread(target=self._read, daemon=True).start()

    def get(self, timeout: float) -> bytes | None:
        """Return the next line, or `_END`. Raises queue.Empty after `timeout` seconds."""
        return self._held.get(timeout=timeout)

    def _read(self) -> None:
        line: bytes | None = b""
        while line is not _END:
            try:
                line = self._stream.readline(_MOST_LINE) or _END
            except (OSError, ValueError):
                line = _END
            # Once nobody reads them, the stream is closed.
            while not self._stream.closed:
                with suppress(queue.Full):
                    self._held.put(line, timeout=_POLLED)
                    break


def _kill(process: Process) -> None:
    """End the child with all processes that it has started, daemons too; at the latest after `ENDING` seconds."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(ENDING)
    if os.name == "posix":
        import signal

        # What is left of its group, where it did not get to that itself.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _ending(status: int) -> str:
    if status >= 0:
        return f"it ended the process with exit status {status}"
    import signal

    try:
        return f"it crashed with {signal.Signals(-status).name}"
    except ValueError:
        return f"it crashed with signal {-status}"


class _Errors:
    """The output of the child: read at once, and only its end is kept."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._end = b""
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while data := os.read(stream.fileno(), 1 << 16):
                self._end = (self._end + data)[-_LAST:]

    def last_words(self) -> str:
        """Return the last line that was printed, "" if there is none."""
        self._thread.join(_PRINTING)
        lines = [line.strip() for line in self._end.decode(errors="replace").splitlines() if line.strip()]
        return f": {lines[-1][:200]}" if lines else ""
