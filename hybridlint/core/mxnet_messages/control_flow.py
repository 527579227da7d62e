"""Messages of the operators of control flow: foreach, while_loop and cond."""

from hybridlint.core.mxnet_message import define_message

CONTROL_FLOW = (
    define_message(
        "cond outputs must be (nested) list of Symbol, but got 3 of type <class 'int'>",
        r"(?P<name>foreach|while(?:_loop)?|cond) (?P<part>[\w ]+) must be \(nested\) list of Symbol, but got",
        "`{name}` got what is no tensor as {part}: in a graph it takes and returns tensors only.",
        "Give tensors to the operator and return tensors from its functions, made with `F`: `F.zeros((1,))` for a "
        "number.",
        "HYB516",
        "HYB503",
    ),
    define_message(
        "the state arrays have to be used in the loop body",
        r"the (?P<part>data|state) arrays have to be used in the loop body",
        "`foreach` needs a function that uses all of its inputs; it does not use the {part}.",
        "Use every argument of the function, or hand over only those that it uses.",
        "HYB516",
    ),
    define_message(
        "The 1-th loop_var doesn't involve into the computation",
        r"The (?P<position>\d+)-th loop_var doesn't involve into the computation",
        "`while_loop` needs functions that use all loop variables; nothing uses the one at index {position}.",
        "Use the variable in `cond` or `func`, or leave it out of `loop_vars`.",
        "HYB516",
    ),
    define_message(
        "Number of outputs differs between then-branch and else-branch",
        r"Number of outputs differs between then-branch and else-branch|Return of cond must be a Symbol",
        "The functions of a control flow operator return what a graph cannot hold.",
        "Let both branches return tensors of the same structure, and the condition one tensor.",
        "HYB516",
    ),
    define_message(
        "Error in operator net0__cond0_backward: ../src/imperative/cached_op.cc:1194: Check failed: "
        "in_attrs->size() == bwd_input_eid.size() (3 vs. 2) :",
        r"in_attrs->size\(\) == bwd_input_eid\.size\(\)|storage_type_num_unknown_nodes",
        "MXNet cannot differentiate this control flow operator: one of its functions gives outputs that do not depend "
        "on all inputs.",
        "Let every output of the function depend on its inputs, or choose with `F.where`.",
        "HYB516",
    ),
)
