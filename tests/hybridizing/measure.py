"""Asks MXNet whether the converted blocks give what the plain ones gave: ``MXNET -m tests.hybridizing.measure``.

Each plain block runs eagerly; the converted one runs eagerly and hybridized with the same parameters.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.hybridizing.cases import CASES, LIBRARIES, TOKENS, Case

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.json"


def main() -> None:
    """Write the answers to `answers.json`, each file in a process of its own: numpy mode stays where it is set."""
    if len(sys.argv) > 1:
        print(json.dumps(_of_file(sys.argv[1])))
        return
    answers = {}
    for name in CASES:
        done = subprocess.run(
            [sys.executable, "-m", "tests.hybridizing.measure", name],
            check=True, stdout=subprocess.PIPE, env=os.environ, cwd=str(HERE.parents[1]),
        )  # fmt: skip
        answers[name] = json.loads(done.stdout.decode().strip().splitlines()[-1])
    ANSWERS.write_text(json.dumps(answers, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def digest(text: str) -> str:
    """Return what identifies a converted text."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _of_file(name: str) -> dict[str, Any]:
    before, after = (HERE / folder / f"{name}.py" for folder in ("plain", "converted"))
    if name in LIBRARIES:
        import mxnet as mx  # type: ignore[import-not-found]

        mx.npx.set_np()
    old, new = _loaded(before), _loaded(after)
    told = {cls: _told(old[cls], new[cls], case) for cls, case in CASES[name].items()}
    return {"of": digest(after.read_text(encoding="utf-8")), "blocks": told}


def _loaded(path: Path) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    return space


def _told(old: Any, new: Any, case: Case) -> str:
    import mxnet as mx

    inputs = [_array(mx, shape, k) for k, shape in enumerate(case.inputs)]
    plain = old(*case.args)
    plain.initialize(mx.init.Uniform(0.5))
    expected = _flat(plain(*inputs))
    block = new(*case.args)
    block.initialize()
    block(*inputs)
    own = block._collect_params_with_prefix()
    for name, parameter in plain._collect_params_with_prefix().items():
        own[name].set_data(parameter.data())
    if not _same(expected, _flat(block(*inputs))):
        return "eagerly it differs"
    block.hybridize()
    try:
        found = _flat(block(*inputs))
    except Exception as error:
        return f"hybridized it fails: {type(error).__name__}"
    return "agrees" if _same(expected, found) else "hybridized it differs"


def _array(mx: Any, shape: Any, seed: int) -> Any:
    import numpy as np

    if isinstance(shape, list):
        return [_array(mx, each, seed + 10 + k) for k, each in enumerate(shape)]
    rng = np.random.RandomState(seed)
    whole = shape[0] == "tokens"
    value = rng.randint(0, TOKENS, shape[1:]) if whole else rng.uniform(0.1, 1.0, shape)
    return (mx.np if mx.util.is_np_array() else mx.nd).array(value.astype("float32"))


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in _flat(each)]
    return [value.asnumpy()]


def _same(expected: list[Any], found: list[Any]) -> bool:
    import numpy as np

    if [a.shape for a in expected] != [b.shape for b in found]:
        return False
    return all(np.allclose(a, found[k], rtol=1e-4, atol=1e-5) for k, a in enumerate(expected))


if __name__ == "__main__":
    main()
