"""Messages of backward passes."""

from hybridlint.core.mxnet_message import MessageOrigin, define_message

GRADIENTS = (
    define_message(
        "Check failed: !xs.empty(): There are no inputs in computation graph that require gradients.",
        r"There are no inputs in computation graph that require gradients",
        "The compiled block returns what depends on none of its inputs and parameters, so that there is no gradient.",
        "Compute the output from an input or a parameter, or call the block outside of `autograd.record()`.",
        "HYB902",
        "HYB516",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Check failed: !AGInfo: :IsNone(*i): Cannot differentiate node because it is not in a computational graph. You "
        "need to set is_recording to true or use autograd.record() to save computational graphs for backward. If you "
        "want to differentiate the same graph twice, you need to pass retain_graph=True to backward.",
        r"Cannot differentiate node because it is not in a computational graph",
        "`backward` was called on an array that autograd has not recorded, or whose graph an earlier `backward` freed.",
        "Compute the loss inside `with autograd.record():`; check that some parameter has another `grad_req` than "
        '"null"; give `retain_graph=True` to `backward` where one graph is differentiated twice; and let no compiled '
        "block return its input as it is.",
        "HYB901",
        "HYB606",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Operator _shuffle is non-differentiable because it didn't register FGradient attribute.",
        r"Operator (?P<name>\w+) is non-differentiable because",
        "The operator `{name}` has no gradient in a graph.",
        "Stop the gradient before it with `F.BlockGrad`, or use another operator.",
        "HYB511",
    ),
    define_message(
        "Check failed: pNode->num_inputs() == pNode->inputs.size() (1 vs. 2) : Number of inputs to operator "
        "_backward_npi_copysign_scalar (1) does not match the actual number of inputs provided to operator "
        "net_copysign_scalar0_backward (2).",
        r"Number of inputs to operator _backward_(?P<name>\w+) \(\d+\) does not match",
        "The operator `{name}` has no right gradient in a graph: MXNet's own rule for it fails.",
        "Stop the gradient before it with `F.BlockGrad`, or use another operator.",
        "HYB511",
    ),
    define_message(
        "Check failed: AGInfo: :IsNone(*output): Assigning to NDArrays that are already in a computational graph will "
        "cause undefined behavior when evaluating gradients. Please call backward first to clear the graph or do this "
        "out side of a record section. Also note that you cannot use inplace operations like +=, *=, relu(x, out=x), "
        "y[idx]=x, etc inside a record section.",
        r"Assigning to NDArrays that are already in a computational graph"
        r"|Inplace operations \(\+=, -=, x\[:\]=, etc\) are not supported when recording",
        "An array is changed in place while autograd records it.",
        "Bind the name to the result instead (`y = y + 1`), or choose with `nd.where`.",
        "HYB302",
        "HYB205",
        "HYB704",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "Cannot get gradient array for Parameter 'dense0_weight' because grad_req='null'",
        r"Cannot get gradient array for Parameter '(?P<name>[^']+)' because grad_req='null'",
        "The parameter {name} is frozen, so that it has no gradient.",
        'Set `grad_req = "write"` of the parameter, or leave it out where gradients are read.',
    ),
)
