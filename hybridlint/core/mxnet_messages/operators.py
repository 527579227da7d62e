"""Messages of operators: shapes, dtypes and options that they refuse."""

from hybridlint.core.mxnet_message import MessageOrigin, define_message

_SHAPE = r"[\[(][\d,\s?-]*[\])]"

OPERATORS = (
    define_message(
        "Error in operator net0__plus0: Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node net0__plus0 "
        "at 1-th input: expected [2,3], got [2,1]",
        rf"(?:Incompatible attr in node \S* ?at \d+-th (?:in|out)put: expected|\w+: expected shape) (?P<one>{_SHAPE}), "
        rf"got (?P<other>{_SHAPE})",
        "An operator that goes by elements got the shapes {one} and {other}. Between Symbols, an operator such as `+` "
        "or "
        "`>` takes operands of one shape. NDArrays broadcast, Symbols do not.",
        "Use the operators that start with `broadcast_`: `F.broadcast_add(x, y)` for `x + y`. They take axes of size "
        "1.",
        "HYB301",
        "HYB207",
        "HYB201",
        "HYB515",
    ),
    define_message(
        "Error in operator net0__plus0: Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node net0__plus0 "
        "at 1-th input: expected float16, got float32",
        r"Incompatible attr in node \S* ?at \d+-th (?:in|out)put: expected (?P<one>\w+), got (?P<other>\w+)",
        "An operator got two dtypes, {one} and {other}: MXNet converts neither. `net.cast` converts parameters, not "
        "the "
        "inputs of the network and not the tensors that it makes.",
        'Convert one of them: `x.astype("{one}")`, `F.cast(x, dtype="{one}")`; make constants with `F.ones_like(x)`, '
        "or "
        "with the dtype of the network.",
    ),
    define_message(
        "Error in operator net0_dense0_fwd: Shape inconsistent, Provided = [2,5], inferred shape=(2,4)",
        rf"Shape inconsistent, Provided = (?P<one>{_SHAPE}), inferred shape=(?P<other>{_SHAPE})",
        "An input or parameter has the shape {one}, and the other inputs of the operator require {other}.",
        "Compare `in_units`, `in_channels` or `input_size` of the layer with the width of what it gets, or leave them "
        "out.",
        "HYB515",
        "HYB207",
        "HYB201",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Error in operator net0_broadcast_add0: Check failed: l == 1 || r == 1: operands could not be broadcast "
        "together "
        "with shapes [2,3] [2,2]",
        r"operands could not be broadcast together with shapes (?P<one>\[.*?\]) (?P<other>\[.*?\])",
        "The shapes {one} and {other} do not broadcast: sizes of an axis have to be equal, or one of them 1.",
        "Insert axes with `expand_dims`, or swap them with `transpose`, so that the axes that belong together meet.",
        "HYB201",
        "HYB207",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Error in operator net0_dot0: Check failed: L[!Ta].Size() == R[Tb].Size() (3 vs. 2) : dot shape error: [2,3] X "
        "[2,3]",
        r"dot shape error: (?P<one>\[.*?\]) X (?P<other>\[.*?\])",
        "A product of matrices got the shapes {one} and {other}: the last axis of the first has to be as long as the "
        "first of the second.",
        "Transpose an operand (`transpose_a=True`, `transpose_b=True`), or check its shape.",
        "HYB201",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Error in operator net0_concat0: Check failed: shape_assign(&(*in_shape)[i], dshape): Incompatible input "
        "shape: "
        "expected [2,-1], got [3,3]",
        r"Incompatible input shape: expected (?P<one>\[.*?\]), got (?P<other>\[.*?\])",
        "Tensors of the shapes {one} and {other} are joined: sizes differ in another axis than that of the joining.",
        "Check `dim` (`axis`), and the shapes of the parts.",
        "HYB201",
        "HYB207",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Error in operator conv0_fwd: Check failed: dshp.ndim() == 4U (3 vs. 4) : Input data should be 4D in "
        "batch-num_filter-y-x",
        r"Input data should be (?P<rank>\d)D in (?P<layout>[\w-]+)",
        "The layer takes a tensor of {rank} axes, {layout}, and gets another number of axes.",
        "Add the axis that is missing, such as that of the batch: `x.expand_dims(0)`.",
        "HYB201",
        "HYB207",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "NDArray.Reshape: Check failed: shape_.Size() >= shape.Size() (6 vs. 10) : target shape size is larger than "
        "the "
        "current shape",
        r"\((?P<one>\d+) vs\. (?P<other>\d+)\) : target shape size is",
        "A tensor of {one} elements is reshaped to {other} elements.",
        "Use -1 for one size, and 0 for sizes that stay.",
        "HYB101",
        "HYB610",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Error in operator net_reshape0: src/operator/numpy/np_matrix_op.cc:231: Check failed: src[src_inx] == 1 (2 "
        "vs. "
        "1) : -3 index should only be used to skip dimension size 1",
        r"np_matrix_op\.cc:\d+: Check failed: src\[src_inx\] == 1",
        "The codes of `npx.reshape` skip an axis whose size is not 1.",
        "Use the code -2 to copy a size, and -3 for axes of size 1 alone.",
        "HYB204",
    ),
    define_message(
        "Invalid Parameter format for shape expect Shape(tuple) but value='(0, <Symbol data>)', in operator Reshape",
        r"Invalid Parameter format for (?P<option>\w+) expect Shape\(tuple\) but value='[^']*<_?Symbol",
        "The option `{option}` holds a tensor, or what was computed from one, and a graph knows no numbers yet.",
        "Use the codes of reshape, `F.reshape_like`, `F.slice_like` or `F.broadcast_like`.",
        "HYB101",
        "HYB110",
        "HYB204",
    ),
    define_message(
        "Invalid Parameter format for scalar expect double but value='True', in operator _mul_scalar",
        r"Invalid Parameter format for \w+ expect \S+ but value='?[^']*?(?P<value>True|False)"
        r"|Some trailing characters could not be parsed: '(?:alse|rue)'",
        "A Symbol's operator gets True or False as its number, which only NDArrays take.",
        "Write 1 or 0, or convert with `float(...)`.",
        "HYB304",
    ),
    define_message(
        'Invalid Parameter format for axis expect int but value=\'last\', in operator softmax(name="", axis="last")',
        r"Invalid Parameter format for (?P<option>\w+) expect (?P<kind>.+?) but value='?(?P<value>[^']*?)'?, in "
        r"operator "
        r"(?P<code>\w+)",
        "The operator `{code}` takes {kind} as `{option}`, and got {value}.",
        "Give `{option}` a value of that kind.",
        "HYB406",
        "HYB110",
        "HYB513",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Cannot find argument 'axes', Possible Arguments:\n----------------\naxis : int, optional, default='-1'",
        r"Cannot find argument '(?P<code>\w+)', Possible Arguments",
        "An operator has no option `{code}`.",
        "Check its spelling; the message lists the options there are. Some functions of `nd` take more options than "
        "those of `F`.",
        "HYB111",
        "HYB212",
        "HYB513",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Not enough argument to call operator sgd_update",
        r"Not enough argument to call operator (?P<code>\w+)",
        "The operator `{code}` got fewer tensors than it needs: in a graph, those that it writes to are inputs too.",
        "Call operators that change their arguments outside of hybrid_forward.",
        "HYB501",
    ),
    define_message(
        "Check failed: kv.second->outputs.size() == 1U (2 vs. 1) : Keyword Argument data is a tuple, single value is "
        "required",
        r"Argument (?P<name>\w+) is a tuple(?: of \d+ outputs)?, single value is required",
        "An operator that takes one tensor gets several: a Symbol with several outputs.",
        "Select an output: `F.split(...)[0]`.",
        "HYB406",
        "HYB510",
        "HYB201",
        "HYB212",
    ),
    define_message(
        "Check failed: e.node->is_variable(): Mutation target can only be Variable",
        r"Mutation target can only be Variable",
        "An operator such as BatchNorm gets a computed tensor as its auxiliary state, which it would write to.",
        "Hand over the parameter itself.",
        "HYB514",
    ),
    define_message(
        "spotrf failed in lapack on cpu. This may happen when the input matrix is either not symmetric or not positive "
        "definite.",
        r"(?P<name>\w+) failed in lapack on (?P<device>\w+)",
        "A decomposition of a matrix failed for the numbers that it got. MXNet computes later than it is called: the "
        "operator stands before the line that waits for the result.",
        "Check the matrix: it has to be symmetric and positive definite; add a small multiple of the identity.",
    ),
    define_message(
        "Deferred initialization failed because shape cannot be inferred. MXNetError: Error in operator net0_pad0: "
        "Check "
        "failed: param.pad_width.ndim() == dshape.ndim() * 2 (4 vs. 6) :",
        r"Deferred initialization failed because shape cannot be inferred\. (?P<reason>[^\n]*)",
        "At the first call of a block, MXNet infers the shapes of its parameters, and an operator refuses its inputs: "
        "{reason}",
        "Check the shapes of what the operator gets: the name of the node tells the block and the operator.",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Error in operator net0_pad0: Check failed: param.pad_width.ndim() == dshape.ndim() * 2 (4 vs. 6) :",
        r"Error in operator (?P<node>\w+)(?: at [^\n]+?)?: (?P<reason>[^\n]*)",
        "The operator that made the node `{node}` refuses its inputs: {reason}",
        "Check the shapes and dtypes of what the operator gets: the name of the node tells the block and the operator.",
        origin=MessageOrigin.PROGRAM,
    ),
)
