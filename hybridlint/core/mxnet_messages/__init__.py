"""MXNet's own messages, with their meaning, the advice, and the rules that find their cause.

The texts are those of MXNet 1.9.1, measured: a program for each cause was run. Where MXNet raises an exception without
a text, the message is the exception and the function of MXNet that raised it.
"""

from __future__ import annotations

from hybridlint.core.mxnet_message import Message, MessageReading
from hybridlint.core.mxnet_messages.blocks import BLOCKS
from hybridlint.core.mxnet_messages.control_flow import CONTROL_FLOW
from hybridlint.core.mxnet_messages.devices import DEVICES
from hybridlint.core.mxnet_messages.files import FILES
from hybridlint.core.mxnet_messages.gradients import GRADIENTS
from hybridlint.core.mxnet_messages.operators import OPERATORS
from hybridlint.core.mxnet_messages.parameters import PARAMETERS
from hybridlint.core.mxnet_messages.strict import STRICT
from hybridlint.core.mxnet_messages.symbols import SYMBOLS
from hybridlint.core.mxnet_messages.training import TRAINING

#: The more general a message, the later it stands among those of its theme, and the more general themes stand last.
MESSAGES: tuple[Message, ...] = (
    *STRICT,
    *CONTROL_FLOW,
    *GRADIENTS,
    *FILES,
    *DEVICES,
    *PARAMETERS,
    *TRAINING,
    *BLOCKS,
    *OPERATORS,
    *SYMBOLS,
)


def read_message(text: str) -> MessageReading | None:
    """Return the first message that a text holds, None for a text that is not known."""
    return next((reading for message in MESSAGES if (reading := message.reading_of(text)) is not None), None)
