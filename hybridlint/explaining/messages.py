"""MXNet's own messages for hybridized code, what each means, and the rules that find its cause.

The texts are those of MXNet 1.9.1, measured: a block for each cause was hybridized and called.
"""

from __future__ import annotations

import re

from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class Message:
    """A message as MXNet printed it, a pattern of all like it, its meaning, and the rules that find its cause.

    `selectors` are codes of rules, or beginnings of codes.
    """

    example: str
    pattern: re.Pattern[str]
    meaning: str
    selectors: tuple[str, ...]


def meaning_of(text: str) -> Message | None:
    """Return the first message that a text holds, None for a text that is not known."""
    return next((message for message in MESSAGES if message.pattern.search(text)), None)


def _message(example: str, pattern: str, meaning: str, *selectors: str) -> Message:
    return Message(example, re.compile(pattern), meaning, selectors)


_ONLY_ARRAYS = "is not implemented for Symbol and only available in NDArray"

#: The more general a message, the later it stands.
MESSAGES = (
    _message(
        "Error in operator net0__plus0: Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node net0__plus0 "
        "at 1-th input: expected [2,3], got [2,1]",
        r"Incompatible attr in node",
        "Between Symbols, an operator such as `+` or `>` takes operands of one shape. NDArrays broadcast, "
        "Symbols do not: the operators that start with `broadcast_` do.",
        "HYB301",
    ),
    _message(
        "'Symbol' object has no attribute 'shape'",
        r"Symbol' object has no attribute '(shape|size|ndim)'",
        "A Symbol stands for a tensor that does not exist yet, so that its shape cannot be read.",
        "HYB101",
    ),
    _message(
        "'Symbol' object has no attribute 'T'",
        r"Symbol' object has no attribute '(T|dtype|context|ctx|grad|stype)'",
        "A Symbol stands for a tensor that does not exist yet, and has few of an NDArray's attributes.",
        "HYB102",
        "HYB103",
        "HYB104",
    ),
    _message(
        "'Symbol' object does not support item assignment",
        r"Symbol' object (has no attribute '__setitem__'|does not support item assignment)",
        "A node of a graph cannot be written to: assemble the tensor from parts, or choose with `F.where`.",
        "HYB205",
    ),
    _message(
        "'Symbol' object has no attribute 'copyto'",
        r"Symbol' object has no attribute",
        "A Symbol has fewer methods than an NDArray.",
        "HYB1",
    ),
    _message(
        f"Function asnumpy {_ONLY_ARRAYS}.",
        rf"Function (asnumpy|asscalar|as_in_context|copyto|wait_to_read) {_ONLY_ARRAYS}",
        "While a graph is traced there are no numbers yet.",
        "HYB106",
        "HYB107",
    ),
    _message(
        f"Function detach {_ONLY_ARRAYS}.",
        rf"Function (detach|attach_grad|backward) {_ONLY_ARRAYS}",
        "A graph has no gradients of its own that could be detached or attached: use `F.BlockGrad`.",
        "HYB108",
    ),
    _message(
        f'Function __bool__ (namely operator "bool") {_ONLY_ARRAYS}.',
        r"Function __bool__ ",
        "Python asks whether a tensor is true (`if`, `while`, `and`, `not`, `max`), and a Symbol has no numbers yet: "
        "choose in the graph with `F.where` or `F.contrib.cond`.",
        "HYB4",
        "HYB210",
    ),
    _message(
        f"Function __iadd__ (namely operator \"+=\") with arguments (<class 'int'>, <class 'int'>) {_ONLY_ARRAYS}.",
        rf"Function __i\w+__ .*{_ONLY_ARRAYS}",
        "In-place operators change an array, and a Symbol is a node of a graph: bind the name to the result.",
        "HYB302",
        "HYB303",
    ),
    _message(
        f"Function copy {_ONLY_ARRAYS}.",
        _ONLY_ARRAYS,
        "Only an NDArray has this method.",
        "HYB1",
    ),
    _message(
        "Symbol only support integer index to fetch i-th output",
        r"Symbol only support integer index to fetch i-th output",
        "A Symbol's subscript selects an output of the operator that made it, not rows: select rows with "
        "`F.slice_axis`, `F.slice` or `F.take`.",
        "HYB202",
        "HYB203",
        "HYB204",
    ),
    _message(
        'Cannot find output that matches name "a"',
        r"Cannot find output that matches name",
        "A text between the brackets of a Symbol selects an output by its name.",
        "HYB202",
    ),
    _message(
        "float() argument must be a string or a number, not 'Symbol'",
        r"(float|int)\(\) argument must be .* not '_?Symbol'|type _?Symbol doesn't define __round__",
        "A number is made of a tensor, and a Symbol has no numbers yet.",
        "HYB505",
        "HYB106",
    ),
    _message(
        "Argument data must have NDArray type, but got <Symbol data>",
        r"must have NDArray type, but got <_?Symbol",
        "A function of `nd` gets a Symbol: call it through `F`.",
        "HYB502",
        "HYB501",
    ),
    _message(
        "type <class 'mxnet.ndarray.ndarray.NDArray'> not supported",
        r"type <class 'mxnet\.(symbol\.symbol\.Symbol|ndarray\.ndarray\.NDArray)'> not supported",
        "An NDArray stands beside a Symbol: a parameter is an argument of hybrid_forward, and a constant is made by "
        "`self.params.get_constant` or through `F`.",
        "HYB503",
        "HYB605",
    ),
    _message(
        "type <class 'numpy.ndarray'> not supported",
        r"type <class 'numpy\.ndarray'> not supported",
        "An array of numpy stands beside a Symbol: make it a constant of the block, or through `F`.",
        "HYB503",
        "HYB504",
    ),
    _message(
        "Invalid Parameter format for shape expect Shape(tuple) but value='(0, <Symbol data>)', in operator Reshape",
        r"Invalid Parameter format for shape expect Shape\(tuple\) but value='.*<_?Symbol",
        "A shape holds a tensor, or what was computed from one: use the codes of reshape, or `F.reshape_like`.",
        "HYB101",
        "HYB110",
    ),
    _message(
        "When hybridized, the input of HybridBlock output must be (nested) list of Symbol or NDArray, but got "
        "{'a': <Symbol data>} of type <class 'dict'>",
        r"must be \(nested\) list of Symbol or NDArray, but got",
        "What hybrid_forward takes and returns are tensors and nested lists of them: no number, None or dict.",
        "HYB807",
        "HYB206",
        "HYB504",
    ),
    _message(
        "Expected a list of symbols as input",
        r"Expected a list of symbols as input",
        "hybrid_forward returns None or an empty list.",
        "HYB807",
    ),
    _message(
        "Argument y must be Symbol instances, but got 0",
        r"(Argument \w+|Positional arguments) must be Symbol instances, but got",
        "An operator of `F` gets what is no tensor, which only its eager form takes.",
        "HYB513",
        "HYB5",
    ),
    _message(
        "unsupported operand type(s) for //: 'Symbol' and 'int'",
        r"unsupported operand type\(s\) for .*'_?Symbol'",
        "A Symbol lacks this operator of Python.",
        "HYB305",
        "HYB3",
    ),
    _message(
        "module 'mxnet.symbol' has no attribute 'waitall'",
        r"module 'mxnet\.symbol(\.\w+)?' has no attribute",
        "Only `mx.nd` has this function.",
        "HYB501",
    ),
    _message(
        "Children of HybridBlock must also be HybridBlock, but Block() has type <class 'mxnet.gluon.block.Block'>. If "
        "you are using Sequential, please try HybridSequential instead.",
        r"Children of HybridBlock must also be HybridBlock",
        "A HybridBlock holds a child that is a Block, which cannot be traced.",
        "HYB801",
        "HYB802",
    ),
)
