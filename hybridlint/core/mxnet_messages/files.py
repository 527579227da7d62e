"""Messages of saving, loading, exporting and importing networks."""

from hybridlint.core.mxnet_message import MessageOrigin, define_message

FILES = (
    define_message(
        "Parameter 'data' is missing in file: net-0000.params, which contains parameters: 'dense0_weight', "
        "'dense0_bias'. Please make sure source and target networks have the same prefix.\n"
        "(raised by mxnet.gluon.parameter.load_dict, called by mxnet.gluon.block.imports)",
        r"Parameter '(?P<name>[^']+)' is missing in file: ?(?P<file>\S+), which contains parameters: (?P<held>.*?)\. "
        r".*mxnet\.gluon\.block\.imports",
        "`SymbolBlock.imports` takes `{name}` for a parameter: the graph has an input `{name}` which the list of input "
        "names lacks.",
        "Name all inputs of the graph in their order, as `export` has called them: `data` for one input, "
        '`["data0", "data1"]` for two.',
    ),
    define_message(
        "Parameter 'dense0_weight' is missing in file: teacher-0000.params, which contains parameters: "
        "'student_teacher_dense0_weight', 'student_teacher_dense0_bias'. Please make sure source and target networks "
        "have the same prefix.",
        r"Parameter '(?P<name>[^']+)' is missing in file: ?(?P<file>\S+), which contains parameters: (?P<held>.*?)\. "
        r"Please make sure source and target networks have the same prefix",
        "The file {file} has no parameter `{name}`, only {held}: files of `export`, `ParameterDict.save` and "
        "`save_parameters` name parameters in different ways, and the first two hold the prefix of the network.",
        "Load a file of `save_parameters` with `load_parameters`, one of `export` with `SymbolBlock.imports`, and one "
        "of `collect_params().save` with `collect_params().load`; or give both networks the same `prefix`.",
    ),
    define_message(
        "Parameter '1.weight' is missing in file 'small.params', which contains parameters: '0.weight', '0.bias'. Set "
        "allow_missing=True to ignore missing parameters.",
        r"Parameter '(?P<name>[^']+)' is missing in file '(?P<file>[^']*)'",
        "The network has a parameter `{name}` which the file {file} lacks: it was saved from another network.",
        "Build the network as it was when it was saved. `allow_missing=True` loads what the file has and leaves the "
        "rest uninitialized.",
        "HYB803",
        "HYB818",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Parameter '1.weight' loaded from file 'large.params' is not present in ParameterDict, which contains "
        "parameters . Set ignore_extra=True to ignore.",
        r"Parameter '(?P<name>[^']+)' loaded from file '(?P<file>[^']*)' is not present in",
        "The file {file} has a parameter `{name}` which the network lacks: it was saved from another network.",
        "Build the network as it was when it was saved. `ignore_extra=True` leaves out what the network lacks.",
        "HYB803",
        "HYB818",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Failed loading Parameter 'dense1_weight' from saved params: shape incompatible expected (2, 4) vs saved (2, "
        "3)",
        r"Failed loading Parameter '(?P<name>[^']+)' from saved params: shape incompatible expected "
        r"(?P<expected>\(.*?\))"
        r" vs saved (?P<saved>\(.*?\))",
        "The parameter {name} has the shape {expected} in the network and {saved} in the file.",
        "Build the network with the sizes that it had when it was saved (numbers of classes, units, channels).",
    ),
    define_message(
        "Failed loading Parameter 'dense1_weight' from saved params: dtype incompatible expected float32 vs saved "
        "<class 'numpy.float16'>. Set cast_dtype=True to cast the dtype of saved params.",
        r"Failed loading Parameter '(?P<name>[^']+)' from saved params: dtype incompatible expected (?P<expected>\S+) "
        r"vs "
        r"saved (?:<class 'numpy\.)?(?P<saved>\w+)",
        "The parameter {name} has the dtype {expected} in the network and {saved} in the file.",
        'Cast the network before it loads (`net.cast("{saved}")`), or load with `cast_dtype=True`.',
    ),
    define_message(
        "Please first call block.hybridize() and then run forward with this block at least once before calling export.",
        r"Please first call block\.hybridize\(\) and then run forward with this block",
        "`export` writes the graph of a block, and the block has none yet: it was not hybridized, or not called since.",
        "Call `net.hybridize()` and then the network once, before `net.export(...)`.",
    ),
    define_message(
        "ndarray was saved in np shape semantics, must be loaded in the same semantics. Please turn on np shape "
        "semantics in Python using `with np_shape(True)`",
        r"ndarray was saved in np shape semantics, must be loaded in the same semantics",
        "The file was saved in numpy mode (`npx.set_np()`) and is loaded without it.",
        "Call `mx.npx.set_np()` before loading, as the program did that saved, or save the file without that mode.",
    ),
    define_message(
        "ndarray was not saved in np shape semantics, but being loaded in np shape semantics. Please turn off np shape "
        "semantics in Python",
        r"ndarray was (?:saved in legacy shape semantics|not saved in np shape semantics)",
        "The file was saved in legacy mode and is loaded in numpy mode (`npx.set_np()`).",
        "Load it before `mx.npx.set_np()` or within `mx.util.np_shape(False)`, or save it in numpy mode.",
    ),
    define_message(
        'LocalFileSystem: Check failed: allow_null: :Open "nowhere.params": No such file or directory',
        r'[Oo]pen "(?P<file>[^"]*)": (?P<reason>No such file or directory|[A-Z][\w ]+)',
        "MXNet cannot open the file {file}: {reason}.",
        "Check the name and the folder that the program runs in: `export` adds `-symbol.json` and `-0000.params`.",
    ),
)
