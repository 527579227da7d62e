"""Messages of devices (contexts), and of the two kinds of arrays: legacy and numpy mode."""

from hybridlint.core.mxnet_message import MessageOrigin, define_message

DEVICES = (
    define_message(
        "Check failed: inputs[i]->ctx() == default_ctx (cpu(0) vs. cpu(1)) : CachedOp requires all inputs to live on "
        "the same context. But data is on cpu(1) while dense0_weight is on cpu(0)",
        r"requires all inputs to live on the same context\. But (?P<one>\S+) is on (?P<here>\S+) while (?P<other>\S+) "
        r"is "
        r"on (?P<there>[\w()]+)",
        "Inputs and parameters lie on different devices (contexts): {one} on {here}, and {other} on {there}.",
        "Move the input before the call (`x.as_in_context({there})`), or the network (`net.collect_params()"
        ".reset_ctx({here})`).",
        "HYB518",
        "HYB506",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Parameter 'dense0_weight' was not initialized on context cpu(1). It was only initialized on [cpu(0)].",
        r"Parameter '(?P<name>[^']+)' was not initialized on context (?P<here>[\w()]+)\. It was only initialized on "
        r"\[(?P<there>[^\]]*)\]",
        "The parameter {name} lies on another device (context) than the input: on {there}, and the input on {here}.",
        "Move the input before the call (`x.as_in_context({there})`), or the network (`net.collect_params()"
        ".reset_ctx({here})`).",
        "HYB518",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "All Parameters must be initialized on the same set of contexts, but Parameter dense1_weight is initialized on "
        "[cpu(1)] while previous Parameters are initialized on [cpu(0)].",
        r"All Parameters must be initialized on the same set of contexts, but Parameter (?P<name>\S+) is initialized "
        r"on "
        r"(?P<here>\[.*?\]) while previous Parameters are initialized on (?P<there>\[.*?\])",
        "The parameters of a Trainer lie on different devices (contexts): {name} on {here}, others on {there}.",
        "Initialize all blocks with the same `ctx`, or move them with `collect_params().reset_ctx(ctx)`.",
    ),
    define_message(
        "Cannot reset context for Parameter 'dense0_weight' because it has not been initialized.",
        r"Cannot reset context for Parameter '(?P<name>[^']+)' because it has not been initialized",
        "The parameter {name} is on no device yet: the block was not initialized.",
        "Call `net.initialize(ctx=ctx)` instead of `reset_ctx`.",
    ),
    define_message(
        "GPU is not enabled",
        r"GPU is not enabled|Compile with USE_CUDA=1 to enable GPU usage",
        "This build of MXNet has no support for GPUs.",
        "Use `mx.cpu()`, or `mx.gpu() if mx.context.num_gpus() else mx.cpu()`, or install a build for CUDA "
        "(`mxnet-cu112`).",
        "HYB518",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Operator `relu` registered in backend is known as `relu` in Python. This is a legacy operator which can only "
        "accept legacy ndarrays, while received an MXNet numpy ndarray.",
        r"known as `(?P<code>\w+)` in Python\. This is a legacy operator which can only accept legacy ndarrays",
        "`{code}` is a function of `nd` and got an array of `mx.np`.",
        "Call the function of `mx.np` or `mx.npx`, or convert the array with `as_nd_ndarray()`.",
    ),
    define_message(
        "Operator `_npi_exp` registered in backend is known as `exp` in Python. This is a numpy operator which can "
        "only "
        "accept MXNet numpy ndarrays, while received a legacy ndarray.",
        r"known as `(?P<code>\w+)` in Python\. This is a numpy operator which can only accept MXNet numpy ndarrays",
        "In numpy mode (`npx.set_np()`) the operator `{code}` got an array of `mx.nd`.",
        "Make the array with `mx.np.array`, or convert it with `as_np_ndarray()`; data loaders and images give arrays "
        "of `mx.nd` too.",
    ),
)
