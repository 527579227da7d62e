"""The functions by which a converted module reads a checkpoint of Gluon without MXNet, as text."""

from __future__ import annotations

#: Reads the arrays of a file that Gluon's `save_parameters` wrote, and puts them into a module in their order.
READER = '''
def read_gluon(path):
    """Return the arrays in a checkpoint that Gluon's `save_parameters` wrote, by name."""
    with open(path, "rb") as file:
        def read(kind, count=1):
            return np.frombuffer(file.read(np.dtype(kind).itemsize * int(count)), kind)

        arrays = []
        for _ in range(read("<u8", 3)[2]):
            shape = read("<i8", read("<u4", 3)[2])
            kind = ("<f4", "<f8", "<f2", "u1", "<i4", "i1", "<i8", "?")[read("<i4", 3)[2]]
            arrays.append(torch.from_numpy(read(kind, shape.prod()).reshape(shape).copy()))
        return {file.read(read("<u8")[0]).decode(): array for array in arrays[: read("<u8")[0]]}


def load_gluon(net, path):
    """Load a checkpoint that Gluon's `save_parameters` wrote; modules have the same order in both libraries."""
    kinds = {"gamma": "weight", "beta": "bias", "alpha": "weight", "i2h_weight": "weight_ih"}
    kinds |= {"h2h_weight": "weight_hh", "i2h_bias": "bias_ih", "h2h_bias": "bias_hh"}
    names = [tuple(name.rpartition(".")) for name in net.state_dict() if not name.endswith("num_batches_tracked")]
    state = {}
    for gluon_name, array in read_gluon(path).items():
        own = gluon_name.rpartition(".")[2]
        module = [name for name in names if name[0] == names[0][0]]
        alike = [name for name in module if name[2].startswith(kinds.get(own, own))]
        # A layer without scale and offset has no such parameters in PyTorch.
        for name in [*(name for name in module if name[2] == own), *alike][:1]:
            names.remove(name)
            # Gluon's GroupNorm has one scale for a group, PyTorch's one for a channel.
            wanted = net.state_dict()["".join(name)]
            repeats = 1 if nn.parameter.is_lazy(wanted) or array.dim() != 1 else len(wanted) // max(len(array), 1)
            state["".join(name)] = array.repeat_interleave(repeats) if repeats > 1 else array
    if names:
        raise ValueError(f"{path} has nothing for {''.join(names[0])}")
    net.load_state_dict(state, strict=False)
'''


def with_reader(text: str) -> str:
    """Return a converted module with the functions that read a checkpoint."""
    lines = text.rstrip().split("\n")
    at = next(k for k, line in enumerate(lines) if line.startswith(("import torch", "from torch")))
    more = [] if "import torch" in lines else ["import torch"]
    if "import numpy as np" not in lines:
        more = ["import numpy as np", "", *more]
    lines[at:at] = more
    return "\n".join([*lines, "", "", READER.strip(), ""])
