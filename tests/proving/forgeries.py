"""Code that tries to have a wrong block called proved, or to take the outcomes of other blocks away.

`FORGERIES` has statements by name; each stands in a function that is called when the module is imported, or when the
block `Forged` is called. `Forged` computes something else once compiled, so *proved* would be forged. The blocks
`Right` and `Wrong` beside it do nothing of the kind. ``python -m tests.proving.forgeries [NAME ...]`` tries them all.
"""

from __future__ import annotations

import sys
import tempfile
import textwrap
from pathlib import Path

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.prover import prove_file
from hybridlint.proving.settings import ProofSettings

#: What keeps a process busy, or ends it.
ENDING = {
    "os._exit": "os._exit(0)",
    "sys.exit": "sys.exit(0)",
    "SystemExit without status": "raise SystemExit",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "GeneratorExit": "raise GeneratorExit",
    "a BaseException of its own": "raise type('Away', (BaseException,), {})()",
    "kill": "os.kill(os.getpid(), 9)",
    "closed descriptors": "os.closerange(3, 256)",
    "all descriptors closed": "os.closerange(0, 256)",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "an exception handler": "sys.excepthook = lambda *a: os._exit(0); raise MemoryError",
}
#: What says something in the place of the proof.
SPEAKING = {
    "print": "print(PROVED)",
    "print to all descriptors": """
        for number in range(3, 64):
            try:
                os.write(number, (PROVED + "\\n").encode())
            except OSError:
                pass
    """,
    "print to all descriptors and end": """
        for number in range(64):
            try:
                os.write(number, (PROVED + "\\n" + END + "\\n").encode())
            except OSError:
                pass
        os._exit(0)
    """,
    "half a line": """
        for number in range(3, 64):
            try:
                os.write(number, b'{"event": "outcome", ')
            except OSError:
                pass
    """,
    "a length of gigabytes": """
        for number in range(3, 64):
            try:
                os.write(number, b"\\xff" * 64)
            except OSError:
                pass
    """,
    "json.dumps": """
        real = json.dumps
        def forged(message, *rest, **more):
            if isinstance(message, dict) and message.get("event") == "outcome":
                message = {**message, **json.loads(PROVED), "block": message["block"]}
            return real(message, *rest, **more)
        json.dumps = forged
    """,
    "json's encoder": """
        import json.encoder
        real = json.encoder.JSONEncoder.encode
        def forged(self, message):
            return real(self, message).replace('"refuted"', '"proved"')
        json.encoder.JSONEncoder.encode = forged
    """,
    "the worker's own message": """
        frame = sys._getframe()
        while frame is not None:
            worker = frame.f_locals.get("self")
            if type(worker).__name__ == "Worker":
                for name in ("Forged", "Right", "Wrong"):
                    worker._send({"event": "start", "block": name})
                    worker._send({**json.loads(PROVED), "block": name})
                worker._send({"event": "end"})
                os._exit(0)
            frame = frame.f_back
    """,
    "every text stream": """
        import gc, io
        for thing in gc.get_objects():
            if isinstance(thing, io.TextIOWrapper):
                try:
                    thing.write(PROVED + "\\n")
                    thing.flush()
                except Exception:
                    pass
    """,
    "an exit handler": "import atexit; atexit.register(print, PROVED)",
    "gigabytes of output": """
        text = "x" * 1_000_000
        for _ in range(3_000):
            sys.stdout.write(text)
    """,
    "a thread that prints": """
        import threading
        def speak():
            for _ in range(200):
                for number in range(3, 32):
                    try:
                        os.write(number, (PROVED + "\\n").encode())
                    except OSError:
                        pass
        threading.Thread(target=speak, daemon=True).start()
    """,
}
#: What changes that with which a proof compares.
PATCHING = {
    "np.abs": "np.abs = lambda value, *a, **k: value * 0",
    "np.allclose": "np.allclose = np.array_equal = lambda *a, **k: True",
    "all of numpy": """
        for name in ("abs", "isnan", "isfinite", "isinf", "any", "where", "argmax"):
            setattr(np, name, lambda value, *a, **k: np.zeros(3))
    """,
    "numpy's array": "np.array = np.asarray = lambda *a, **k: np.zeros(())",
    "builtins": """
        import builtins
        builtins.any = lambda items: False
        builtins.all = lambda items: True
        builtins.abs = lambda value: 0.0
    """,
    "builtins' types": """
        import builtins
        builtins.isinstance = lambda thing, kind: True
    """,
    "sys.modules": """
        for name in list(sys.modules):
            if "compare" in name:
                sys.modules[name] = type(sys)(name)
    """,
    "modules of the proof": """
        for name, module in list(sys.modules.items()):
            if name.startswith("hybridlint.proving"):
                for key in ("first_mismatch", "first_difference", "leaf_difference", "compiled_mismatch", "refuted"):
                    if hasattr(module, key):
                        setattr(module, key, lambda *a, **k: None)
    """,
    "functions of the proof": """
        import gc, types
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and "hybridlint.proving" in str(thing.__module__):
                if thing.__name__ in ("first_mismatch", "first_difference", "leaf_difference"):
                    thing.__code__ = (lambda *a, **k: None).__code__
    """,
    "tolerances of the proof": """
        import gc
        for thing in gc.get_objects():
            if isinstance(thing, dict) and "float32" in thing and "float16" in thing:
                for key in thing:
                    thing[key] = (1e9, 1e9)
    """,
    "classes of the proof": """
        import gc
        for thing in gc.get_objects():
            if isinstance(thing, type) and thing.__name__ == "Comparison":
                thing.mismatch = lambda *a, **k: None
    """,
    "hybridize": "mx.gluon.HybridBlock.hybridize = mx.gluon.Block.hybridize = lambda self, *a, **k: None",
    "the call of a block": "mx.gluon.HybridBlock.__call__ = lambda self, x: x * 2",
    "asnumpy": """
        real = mx.nd.NDArray.asnumpy
        mx.nd.NDArray.asnumpy = lambda self: real(self) * 0 + 1
    """,
    "runs of the proof": """
        import gc, types
        def runs(real, kept=[]):
            def observe(*a, **k):
                if not kept:
                    kept.append(real(*a, **k))
                return kept[0]
            return observe
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith("hybridlint.proving") and hasattr(module, "observe"):
                module.observe = runs(module.observe)
    """,
    "an operator": "mx.nd.NDArray.__mul__ = mx.sym.Symbol.__mul__ = lambda self, other: self",
    "a profile hook": "sys.setprofile(None); sys.settrace(None)",
    "a finder of modules": "sys.meta_path.insert(0, type('F', (), {'find_spec': lambda *a: None})())",
}
#: What does not end, or stays.
STAYING = {
    "a sleep": "import time; time.sleep(10_000)",
    "a loop": "\nwhile True:\n    pass",
    "signals ignored": """
        import signal, time
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(10_000)
    """,
    "a fork": "os.fork()",
    "a thread": """
        import threading, time
        threading.Thread(target=time.sleep, args=(10_000,)).start()
    """,
    "a handler that never returns": "import atexit, time; atexit.register(time.sleep, 10_000)",
}
#: What speaks at the import, and costs no block its outcome: it neither ends the process nor changes what runs there.
SAID_AT_IMPORT = ("print", "print to all descriptors", "half a line", "a length of gigabytes", "a thread that prints")
FORGERIES = {**ENDING, **SPEAKING, **PATCHING, **STAYING}

_MODULE = """
import json, os, sys
import numpy as np
import mxnet as mx
from mxnet.gluon import HybridBlock, nn

PROVED = json.dumps({{
    "event": "outcome", "block": "Forged", "status": "proved", "reason": "compiled = eager", "only": [], "rows": [],
    "runs": 18, "rounds": [], "gradients": True, "setup": "", "directive": None, "variants": [], "graph": [],
    "seconds": None, "stopped": [],
}})
END = json.dumps({{"event": "end"}})
FIRST = []


def forge():
{forgery}


{at_import}
class Forged(HybridBlock):
    def hybrid_forward(self, F, x):
{in_call}
        return F.exp(x) if F is mx.nd else F.exp(x) + 1


class Right(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.exp(x) + 1


class Wrong(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.exp(x) * 2 if F is mx.nd else F.exp(x) * 3
"""


def module(name: str, *, at_import: bool) -> str:
    """Return a module with a forgery that is called at its import, or with each call of its first block."""
    body = textwrap.indent(textwrap.dedent(FORGERIES[name]).strip("\n"), "    ")
    once = "if not FIRST:\n    FIRST.append(1)\n    forge()\n"
    return _MODULE.format(
        forgery=body,
        at_import=once if at_import else "",
        in_call="" if at_import else textwrap.indent(once, "        "),
    )


def tried(name: str, *, at_import: bool, limit: float) -> dict[str, ProofOutcome]:
    """Return the outcomes of the blocks of a module with a forgery."""
    with tempfile.TemporaryDirectory() as folder:
        path, text = Path(folder) / "model.py", module(name, at_import=at_import)
        path.write_text(text, encoding="utf-8")
        settings = ProofSettings(timeout=limit, samples=1)
        return {outcome.block: outcome for outcome in prove_file(path, text, None, settings)}


def failures(name: str, *, at_import: bool, limit: float) -> list[str]:
    """Return what a forgery achieves: a proof of a wrong block, or an outcome that another block loses."""
    found = tried(name, at_import=at_import, limit=limit)
    wrong = {block for block in ("Forged", "Wrong") if block in found and found[block].status is ProofStatus.PROVED}
    failed = [f"{block} is proved" for block in sorted(wrong)]
    if not at_import or name in SAID_AT_IMPORT:
        failed += ["Right is lost"] if found["Right"].status is not ProofStatus.PROVED else []
        failed += ["Wrong is lost"] if found["Wrong"].status is not ProofStatus.REFUTED else []
    return failed


def main() -> None:
    """Print what each forgery achieves."""
    for name in sys.argv[1:] or FORGERIES:
        for at_import in (True, False):
            failed = "; ".join(failures(name, at_import=at_import, limit=6.0)) or "nothing"
            print(f"{name:34} {'at import' if at_import else 'in a call':10} {failed}", flush=True)


if __name__ == "__main__":
    main()
