"""Messages of Gluon's blocks: how they are written, called, traced and compiled."""

from hybridlint.core.mxnet_message import MessageOrigin, define_message

BLOCKS = (
    define_message(
        "The argument structure of HybridBlock does not match the cached version. Stored format = [0, 0], input format "
        "= [0]",
        r"The argument structure of HybridBlock does not match the cached version|Invalid input format",
        "A compiled block takes the same structure of arguments as in its first call: the cached graph has one input "
        "for each tensor of that call, and None (-1) is none. Now there are other numbers of tensors, or a None "
        "elsewhere.",
        "Call the block with the same number of tensors each time: hand over a tensor in place of None (ones for a "
        "mask), or use one block for each way to call it.",
        "HYB816",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "In HybridBlock, we do not support mixed NDArrays and Symbols types for the input. Please check the type of "
        "the "
        "args.",
        r"In HybridBlock, we do not support mixed NDArrays and Symbols types for the input",
        "A child block is called with a Symbol and an NDArray: at the trace, inputs are Symbols, and an array that was "
        "made with `nd`, or is kept on self, is none.",
        "Make the array through `F`, or as a constant of the block (`self.params.get_constant`).",
        "HYB503",
        "HYB502",
        "HYB605",
    ),
    define_message(
        "In HybridBlock, there must be one NDArray or one Symbol in the input. Please check the type of the args.",
        r"there must be one NDArray or one Symbol in the input|requires the first argument to forward be either Symbol "
        r"or NDArray",
        "A block is called without any tensor: with arrays of numpy, numbers or None.",
        "Convert the input first: `mx.nd.array(x)`, or `mx.np.array(x)` in numpy mode.",
        "HYB816",
        "HYB503",
        "HYB504",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "When hybridized, the input of HybridBlock output must be (nested) list of Symbol or NDArray, but got "
        "{'a': <Symbol data>} of type <class 'dict'>",
        r"When hybridized, the (?:input of HybridBlock output|output of HybridBlock) must be \(nested\) list of "
        r"Symbol or NDArray, but got "
        r"(?P<value>.*?) of type (?:<class )?'?(?P<kind>[\w.]+)",
        "`hybrid_forward` returns a {kind}: a compiled block returns tensors and nested lists of tensors only, no "
        "number, None or dict.",
        "Return tensors in a tuple or list; make a number a tensor, and build a dict outside of the block.",
        "HYB807",
        "HYB206",
        "HYB504",
        "HYB508",
        "HYB902",
        "HYB505",
    ),
    define_message(
        "When hybridized, the input of HybridBlock input must be (nested) list of Symbol or NDArray, but got 3 of type "
        "<class 'int'>",
        r"When hybridized, the input of HybridBlock (?:input )?must be \(nested\) list of Symbol or NDArray, but got "
        r"(?P<value>.*?) of type (?:<class )?'?(?P<kind>[\w.]+)",
        "A compiled block is called with a {kind} ({value}): its inputs are tensors, nested lists of tensors, or None.",
        "Give the number or setting to `__init__` and keep it on self, or hand over a tensor of one element.",
        "HYB816",
        "HYB503",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Expected a list of symbols as input",
        r"Expected a list of symbols as input",
        "`hybrid_forward` returns None or an empty list, or an empty list was joined.",
        "Return a tensor on every path.",
        "HYB807",
        "HYB202",
        "HYB203",
    ),
    define_message(
        "__call__() got an unexpected keyword argument 'scale'",
        r"__call__\(\) got an unexpected keyword argument '(?P<code>\w+)'",
        "A block is called with the keyword `{code}`: arguments of a block go by position, `__call__` takes no "
        "keyword.",
        "Hand over the argument by position.",
        "HYB814",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "hybrid_forward() got an unexpected keyword argument 'scale'",
        r"hybrid_forward\(\) got an unexpected keyword argument '(?P<code>\w+)'",
        "The block has a parameter `{code}`, which Gluon hands to `hybrid_forward` by its name, and `hybrid_forward` "
        "has "
        "no such argument.",
        "Add `{code}` to the arguments of `hybrid_forward`, or remove the parameter from the block.",
        "HYB805",
        "HYB814",
    ),
    define_message(
        "hybrid_forward() missing 1 required positional argument: 'shift'",
        r"hybrid_forward\(\) missing \d+ required positional arguments?: '(?P<code>\w+)'",
        "`hybrid_forward` has an argument `{code}` that is neither an input of the call nor a parameter of this name.",
        "Hand it over in the call, give it a default, or declare the parameter: `self.{code} = self.params.get("
        '"{code}", ...)`.',
        "HYB814",
        "HYB813",
        "HYB805",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "hybrid_forward() takes 3 positional arguments but 4 were given",
        r"hybrid_forward\(\) takes (?:from \d+ to )?\d+ positional arguments? but \d+ (?:were|was) given",
        "The block is called with more inputs than `hybrid_forward` has arguments (`self` and `F` count too).",
        "Hand over as many inputs as `hybrid_forward` takes; its first argument after self has to be `F`.",
        "HYB814",
        "HYB813",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "hybrid_forward() got multiple values for argument 'weight'",
        r"hybrid_forward\(\) got multiple values for argument '(?P<code>\w+)'",
        "The block has a parameter `{code}` and is called with an input in its place.",
        "Put the names of parameters last among the arguments of `hybrid_forward`, and hand over fewer inputs.",
        "HYB814",
        "HYB813",
    ),
    define_message(
        '"dense0" must not be hybridized to print summary.',
        r'"(?P<name>[^"]*)" must not be hybridized to print summary',
        "`summary` runs the blocks eagerly, and {name} is hybridized.",
        "Call `net.summary(x)` before `net.hybridize()`, or `net.hybridize(False)` first.",
    ),
    define_message(
        "Unknown input to HybridBlock: dense0_weight",
        r"Unknown input to HybridBlock: (?P<name>\S+)",
        "The graph has an input `{name}` that is neither an input of the call nor a parameter of the block: a layer "
        "that "
        "is no registered child, a parameter that `collect_params` does not list, or a recurrent state that was not "
        "handed over.",
        "Hold layers as attributes or in a HybridSequential, declare parameters with `self.params.get`, and hand over "
        "all states.",
        "HYB803",
        "HYB809",
        "HYB818",
        "HYB515",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Children of HybridBlock must also be HybridBlock, but Block() has type <class 'mxnet.gluon.block.Block'>. If "
        "you are using Sequential, please try HybridSequential instead.",
        r"Children of HybridBlock must also be HybridBlock, but .* has type <class '(?P<kind>[^']+)'>",
        "A HybridBlock holds a child of the type {kind}, which cannot be traced.",
        "Derive the child from HybridBlock, use HybridSequential for Sequential, and HybridLambda for a function.",
        "HYB801",
        "HYB802",
    ),
    define_message(
        "'Net' object has no attribute '_children'",
        r"'(?P<name>\w+)' object has no attribute '(?:_children|_reg_params|_scope|_params|_forward_hooks|_active)'",
        "`{name}.__init__` assigns a block or parameter before the base class is ready.",
        "Call `super().__init__(**kwargs)` first in `__init__`.",
    ),
    define_message(
        "Changing attribute type for out from <class 'mxnet.gluon.nn.basic_layers.Dense'> to <class 'NoneType'>is not "
        "allowed.",
        r"Changing attribute type for (?P<code>\w+) from <class '(?P<old>[^']+)'> to <class '(?P<new>[^']+)'>",
        "The attribute `{code}` holds a child or parameter ({old}) and cannot become a {new}.",
        "Choose once, before the first assignment, or use another name.",
    ),
    define_message(
        "NotImplementedError\n(raised by mxnet.gluon.block.hybrid_forward)",
        r"NotImplementedError.*\(raised by mxnet\.gluon\.block\.(?:hybrid_)?forward\b",
        "A block without `hybrid_forward` of its own is called.",
        "Define `hybrid_forward(self, F, x)` in the class: check its spelling and indentation, and that of the base.",
    ),
    define_message(
        "Check failed: config_.static_alloc: static_alloc must be True when static_shape is True",
        r"static_alloc must be True when static_shape is True",
        "`hybridize(static_shape=True)` needs `static_alloc=True` too.",
        "Write `net.hybridize(static_alloc=True, static_shape=True)`.",
    ),
    define_message(
        "'list' object has no attribute 'mean'",
        r"'list' object has no attribute '(?P<code>\w+)'",
        "A block that returns a named tuple, or an object of its own, returns a list once hybridized, which has no "
        "`{code}`.",
        "Unpack the outputs by position.",
        "HYB817",
        origin=MessageOrigin.ANYWHERE,
    ),
)
