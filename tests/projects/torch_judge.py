"""Convert the models of gluoncv's zoo to PyTorch as `hybridlint convert` does, and count those that are proved.

    PYTHON -m hybridlint run -m tests.projects.torch_judge [--seconds 120] [NAME ...]
    PYTHON -m hybridlint run -m tests.projects.torch_judge --count

It needs gluoncv 0.10.5.post0 and PyTorch. Each model gets parameters that its name decides; its graph is written as
JSON and read again, converted, and both are run on the same inputs. Without names, all models are gone through that
MXNet builds and that are not kept as proved yet, those first that took MXNet the least
memory. Answers are kept in `torch.json` as soon as they are there; at the end they are counted by family.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import re
import sys
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hybridlint.converting.graph_module import convert_network
from hybridlint.converting.graph_proof import prove_network
from hybridlint.converting.graph_reading import ExportedNetwork, network_of
from hybridlint.core.proof_outcome import ProofStatus

from . import answers, gluoncv_models
from .drawn import draw, leaves

mx: Any = importlib.import_module("mxnet")

KEPT = Path(__file__).parent / "torch.json"
#: Smaller inputs than those whose memory is measured.
_SMALLER: list[tuple[str, list[tuple[int, ...]]]] = [
    (r"^(fcn|psp|deeplab|danet)_(?!v3b)", [(1, 3, 96, 96)]),
    (r"^hrnet.*_s$", [(1, 3, 160, 160)]),
    (r"^(res(net|next|nest)|se_res|senet|vgg|dla|darknet|mobilenet|hrnet.*_c$)", [(1, 3, 64, 64)]),
    (r"^(simple|alpha)_pose", [(1, 3, 128, 96)]),
]
PROVED = ProofStatus.PROVED.value
_FAMILIES = re.compile(
    r"(center_net|siamrpn|(?:simple|alpha|mobile)_pose|se_resne[x]?t|faster_rcnn|mask_rcnn|doublehead_rcnn"
    r"|custom_mask_rcnn|cifar_[a-z]+|mobilenetv\d|monodepth2|i3d|r2plus1d|p3d|c3d|[a-z]+)"
)


def built_by_mxnet() -> list[str]:
    """Return the names of the models that the real MXNet builds and traces, those that took the least memory first."""
    kept = answers.load()
    names = [name for name, found in kept.items() if answers.verdict(found, "here") is not answers.Verdict.NEITHER]
    return sorted(names, key=lambda name: kept[name]["mxnet"].get("megabytes", 0))


def exported(name: str) -> tuple[ExportedNetwork, dict[str, tuple[int, ...]]]:
    """Return the network of a model as it is exported, and the shapes of its inputs."""
    with patch.object(gluoncv_models, "_INPUTS", [*_SMALLER, *gluoncv_models._INPUTS]):
        shapes = gluoncv_models.inputs(name)
        net = gluoncv_models.build(name)
    names = ["data"] if len(shapes) == 1 else [f"data{place}" for place in range(len(shapes))]
    by_name = dict(zip(names, shapes, strict=True))
    net.hybridize()
    outputs = list(leaves(net(*map(mx.sym.var, names))))
    symbol = mx.sym.load_json(mx.sym.Group(outputs).tojson())
    sizes = _sizes(symbol, by_name)
    arrays = {}
    for structural, parameter in net._collect_params_with_prefix().items():
        if isinstance(parameter, mx.gluon.Constant):
            arrays[parameter.name] = parameter.value.asnumpy()
        elif parameter.name in sizes:
            arrays[parameter.name] = draw(structural, sizes[parameter.name], _gain(name))
    return network_of(symbol, arrays, by_name), by_name


def _gain(name: str) -> float:
    """Return what weights are multiplied by: where scores are all 1, or the last digit decides, order is by chance."""
    if name.startswith("ssd_"):
        return 0.5
    return 0.7 if re.match(r".*rcnn|danet", name) else gluoncv_models.gain(name)


def _sizes(symbol: Any, inputs: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the parameters of a graph by name."""
    arguments, _, states = symbol.infer_shape(**inputs)
    names = (*symbol.list_arguments(), *symbol.list_auxiliary_states())
    return dict(zip(names, (*arguments, *states), strict=True))


def judged(name: str, seconds: float, folder: str | None) -> dict[str, str]:
    """Return the outcome of one model with its reason: `proved`, `refuted`, `not run`, or that it is not built."""
    try:
        network, shapes = exported(name)
    except Exception as error:
        traceback.print_exc(limit=-3)
        return {"outcome": "not built", "reason": f"{type(error).__name__}: {error}"[:200]}
    converted = convert_network(network, "Net")
    if folder is not None:
        Path(folder, f"{name}.py").write_text(converted.text, "utf-8")
    outcome = prove_network(network, converted, Path(f"{name}-symbol.json"), shapes, seconds)
    reason = outcome.reason[:200]
    if outcome.difference is not None and outcome.difference.largest_absolute is not None:
        reason += f" by {outcome.difference.largest_absolute:.2g}, of {outcome.difference.largest_relative:.2g}"
    if converted.problems:
        kinds = Counter(re.sub(r"\d+", "N", problem.reason) for problem in converted.problems)
        reason = "; ".join(f"{number} times {kind}" for kind, number in kinds.most_common(4))
    return {"outcome": outcome.status.value, "reason": "" if outcome.status is ProofStatus.PROVED else reason}


def family(name: str) -> str:
    """Return the family of a model by the first words of its name."""
    match = _FAMILIES.match(name)
    return match[1] if match else name


def count(kept: Mapping[str, Mapping[str, str]]) -> str:
    """Return how many of each family are proved, and how many of all that MXNet builds."""
    names = built_by_mxnet()
    known = Counter(map(family, names))
    tried = Counter(family(name) for name in names if name in kept)
    proved = Counter(family(name) for name in names if kept.get(name, {}).get("outcome") == PROVED)
    lines = [f"{kind:20} {proved[kind]:3} of {tried[kind]:3} of {known[kind]:3}" for kind in sorted(known)]
    return "\n".join([*lines, f"{proved.total()} proved of {tried.total()} tried of {len(names)} that MXNet builds"])


def load() -> dict[str, Any]:
    """Return the answers by name."""
    return dict(json.loads(KEPT.read_text("utf-8"))) if KEPT.exists() else {}


def main(given: Sequence[str]) -> None:
    """Judge models one by one, keep each answer, and print what was counted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=120, help="the limit of a model in PyTorch")
    parser.add_argument("--keep", metavar="FOLDER", help="where the new modules are written, too")
    parser.add_argument("--count", action="store_true", help="only count the answers that are kept")
    parser.add_argument("names", nargs="*", metavar="NAME")
    asked = parser.parse_args(given)
    left = [name for name in built_by_mxnet() if load().get(name, {}).get("outcome") != PROVED]
    for name in () if asked.count else asked.names or left:
        found = judged(name, asked.seconds, asked.keep)
        gc.collect()
        rows = sorted({**load(), name: found}.items())
        KEPT.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in rows) + "\n}\n", "utf-8")
        print(name, found["outcome"], found["reason"], flush=True)
    print(count(load()))


if __name__ == "__main__":
    # gluoncv refuses to be imported beside a PyTorch that is newer than it.
    sys.modules["torch"] = None  # type: ignore[assignment]
    importlib.import_module("gluoncv.model_zoo")
    del sys.modules["torch"]
    main(sys.argv[1:])
