"""Messages of Trainers, optimizers and data."""

from hybridlint.core.mxnet_message import MessageOrigin, define_message

TRAINING = (
    define_message(
        "Gradient of Parameter `dense0_bias` on context cpu(0) has not been updated by backward since last `step`.",
        r"Gradient of Parameter `(?P<name>[^`]+)` on context \S+ has not been updated by backward since last `step`",
        "`Trainer.step` finds no new gradient for {name}: `backward` was not called, or the loss does not depend on "
        "it.",
        "Call `loss.backward()` before `step`. Where parts of the network rest, give the Trainer the other parameters "
        "alone, or call `step(n, ignore_stale_grad=True)`.",
        "HYB815",
        "HYB606",
        "HYB605",
        origin=MessageOrigin.PROGRAM,
    ),
    define_message(
        "First argument must be a list or dict of Parameters, got <class 'mxnet.gluon.nn.basic_layers.Dense'>.",
        r"First argument must be a list or dict of Parameters, got",
        "A Trainer takes parameters, and got something else.",
        "Write `gluon.Trainer(net.collect_params(), ...)`.",
    ),
    define_message(
        "Cannot find optimizer sdg",
        r"Cannot find (?P<kind>optimizer|metric|initializer|lr_scheduler) (?P<name>[^\s.]+)",
        "MXNet has no {kind} called {name}.",
        "Check the spelling: the names are those of the classes in small letters (`sgd`, `adam`).",
    ),
    define_message(
        "All arrays must have the same length; array[0] has length 4 while array[2] has 5.",
        r"All arrays must have the same length; array\[0\] has length (?P<one>\d+) while array\[\d+\] has "
        r"(?P<other>\d+)",
        "The arrays of a dataset have different lengths: {one} and {other}.",
        "Give one label to each sample.",
    ),
    define_message(
        "TBlob.get_with_shape: Check failed: this->shape_.Size() == static_cast<size_t>(shape.Size()) (3 vs. 2) : new "
        "and old shape do not match total elements",
        r"new and old shape do not match total elements",
        "Arrays of different shapes are joined to one batch, or an array is given data of another size.",
        "Bring the samples to one shape (crop, resize, pad), or hand `batchify_fn` to the DataLoader.",
    ),
)
