"""The messages between the processes of a proof, by their events: what each may say is declared beside its type."""

from __future__ import annotations

from hybridlint.core import schema
from hybridlint.core.proof_outcome import OUTCOME, UNRUN
from hybridlint.proving.child.build.module_statements import MODULE_END
from hybridlint.proving.child.sandbox.reads import READ
from hybridlint.proving.child.stages import IMPORTING, IMPORTING_FIXED, STAGE

_BLOCK = schema.text(500)
#: The file that is there for each module that is not built, by the module's name.
_UNBUILT = schema.fields({"files": schema.table(schema.text(500), schema.text(500))})
_STATUS = schema.whole(-(1 << 31), 1 << 32)
#: The beginning of the reason for a process whose messages differ from these.
MALFORMED = "the block's process sent a malformed message"

_FAILED = schema.fields(
    UNRUN,
    {
        "fixed": schema.flag,
        "directive": schema.optional(schema.text()),
        "stopped": schema.items(schema.text(), most=1_000),
    },
)
#: What a block's process says of its block: an outcome, and the trial that shows it.
CLAIM = schema.merge_fields(OUTCOME, schema.fields({}, {"trial": schema.whole()}))
STAGE_MESSAGE = schema.fields(STAGE)
#: From the process that imports the module, in the meantime: how far it has got.
OF_IMPORT = schema.by_event(
    {
        "stage": schema.fields(
            {
                "stage": schema.one_of(IMPORTING, IMPORTING_FIXED),
                "optional": schema.optional(schema.exact_text(100)),
                "within": schema.optional(schema.seconds),
            }
        ),
        "ready": schema.fields({}),
    }
)
#: From the same process once the import is over.
OF_MODULE = schema.by_event(
    {
        "read": READ,
        "unbuilt": _UNBUILT,
        "module end": MODULE_END,
        "loaded": schema.fields({"names": schema.items(_BLOCK, most=5_000)}),
        "failed": _FAILED,
        "ended": schema.fields({"block": _BLOCK, "status": _STATUS}),
    }
)
#: From the supervisor to whoever asked for the proof.
OF_PROOF = schema.by_event(
    {
        "stage": STAGE_MESSAGE,
        "read": READ,
        "unbuilt": _UNBUILT,
        "module end": MODULE_END,
        "ready": schema.fields({}),
        "start": schema.fields({"block": _BLOCK}),
        "outcome": schema.merge_fields(OUTCOME, schema.fields({"block": _BLOCK})),
        "failed": _FAILED,
        "ended": schema.fields({"status": _STATUS}, {"reason": schema.text()}),
        "end": schema.fields({}),
    }
)
