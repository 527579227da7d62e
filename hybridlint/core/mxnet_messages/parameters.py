"""Messages of parameters: their initialization, shapes and names."""

from hybridlint.core.mxnet_message import MessageOrigin, define_message

PARAMETERS = (
    define_message(
        "Deferred initialization failed because shape cannot be inferred. Cannot decide shape for the following "
        "arguments (0s in shape means unknown dimensions). Consider providing them as input:\n\tdense0_weight: (2, 0)",
        r"Cannot decide shape for the following arguments \(0s in shape means unknown dimensions\)[^\n]*\s+"
        r"(?P<name>\w+): (?P<shape>\([^)]*\))",
        "MXNet cannot infer the shape {shape} of the parameter {name} from the graph: what the layer gets has sizes "
        "that depend on data, or that the graph does not tell.",
        "Give the size to the layer (`in_units`, `in_channels`, `input_size`), so that nothing has to be inferred.",
        "HYB903",
        "HYB815",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Deferred initialization failed because shape cannot be inferred. 'dense1_weight'",
        r"Deferred initialization failed because shape cannot be inferred\. '(?P<name>[^']+)'",
        "The parameter {name} waits for its shape, and the graph does not use it: nothing calls its layer.",
        "Call the layer, remove it, or give it its input size (`in_units`, `in_channels`).",
        "HYB815",
        "HYB806",
    ),
    define_message(
        "Deferred initialization failed because shape cannot be inferred. MXNetError: InferShapeKeyword argument name "
        "data1 not found.",
        r"InferShapeKeyword argument name (?P<name>\w+) not found",
        "Parameters wait for their shapes, and the graph does not use the input {name}.",
        "Remove the argument that is not used, or give the layers their input sizes (`in_units`, `in_channels`).",
        "HYB806",
    ),
    define_message(
        "Parameter 'dense0_weight' has not been initialized yet because initialization was deferred. Actual "
        "initialization happens during the first forward pass.",
        r"Parameter '(?P<name>[^']+)' has not been initialized yet because initialization was deferred",
        "The parameter {name} has no values yet: its shape follows from the first input, and the network was not "
        "called.",
        "Call the network on one batch before parameters are read, or give the layer its input size (`in_units`, "
        "`in_channels`).",
        "HYB605",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Parameter 'dense0_weight' has not been initialized. Note that you should initialize parameters and create "
        "Trainer with Block.collect_params() instead of Block.params",
        r"Parameter '(?P<name>[^']+)' has not been initialized",
        "The parameter {name} has no values: `initialize()` was not called, or the layer was added, or replaced, after "
        "it; a layer in a plain list is not reached by it.",
        "Call `net.initialize()` before the network is called, and hold layers as attributes or in a HybridSequential.",
        "HYB803",
        "HYB809",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Cannot initialize Parameter 'net0_scale' because it has invalid shape: (0, 3).",
        r"Cannot initialize Parameter '(?P<name>[^']+)' because it has invalid shape: (?P<shape>[^.]*)\.",
        "The parameter {name} has the unknown shape {shape}, and may not wait for the first input.",
        "Give it its shape, or `allow_deferred_init=True` in `self.params.get(...)`.",
    ),
    define_message(
        "Xavier initializer cannot be applied to vector net0_scale. It requires at least 2D.",
        r"(?P<kind>\w+) initializer cannot be applied to vector (?P<name>\S+)\. It requires at least 2D",
        "The initializer {kind} needs two axes or more, and the parameter {name} has one.",
        'Give the parameter an initializer of its own: `self.params.get("...", shape=..., init="ones")`.',
    ),
    define_message(
        "Unknown initialization pattern for scale. Default initialization is now limited to "
        '"weight", "bias", "gamma" (1.0), and "beta" (0.0). Please use mx.sym.Variable(init=mx.init.*)',
        r"Unknown initialization pattern for (?P<name>\S+?)\. Default initialization is now limited",
        "The initializer does not know what to do with the parameter {name}: its name ends in none of the known words.",
        'Give the parameter an initializer of its own: `self.params.get("...", init="ones")`, or '
        "`mx.sym.Variable(..., init=mx.init.One())`.",
    ),
    define_message(
        "Expected shape (3, 2) is incompatible with given shape (2, 3).",
        r"Expected shape (?P<new>\(.*?\)) is incompatible with given shape (?P<old>\(.*?\))",
        "A parameter of the shape {old} is to have the shape {new}.",
        "Hand over an array of the parameter's shape, or build the layer with the new sizes.",
    ),
    define_message(
        "Cannot update self with other because they have different Parameters with the same name 'fc_weight'",
        r"they have different Parameters with the same name '(?P<name>[^']+)'",
        "Two parameters of the network have the same name {name}: two layers have the same prefix.",
        "Leave out `prefix`, create the layers within `with self.name_scope():`, or share parameters with `params=`.",
        "HYB904",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Cannot retrieve Parameter 'net0_scale' because desired attribute does not match with stored for attribute "
        "'shape': desired '(4,)' vs stored '(3,)'.",
        r"Cannot retrieve Parameter '(?P<name>[^']+)' because desired attribute does not match with stored for "
        r"attribute "
        r"'(?P<attribute>\w+)': desired '(?P<new>[^']*)' vs stored '(?P<old>[^']*)'",
        "The parameter {name} exists with another {attribute}, {old}, and is asked for with {new}.",
        "Give the second parameter another name, or share one that has the same {attribute}.",
    ),
)
