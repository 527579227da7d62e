"""Messages of strict eager runs, which the bundled runtime refuses in place of a trace."""

from hybridlint.core.mxnet_message import define_message

STRICT = (
    define_message(
        "NotHybridizableError: HYB202: the subscript [:, 1:] raises once hybridized (`hybridlint rule HYB202` says "
        "what to write instead)",
        r"NotHybridizableError: (?P<rule>[A-Z]{3}\d+): (?P<reason>.*?) \(`hybridlint rule",
        "A strict run stops where a hybridized one would fail or differ: {reason}.",
        "`hybridlint rule {rule}` says what to write instead.",
    ),
)
