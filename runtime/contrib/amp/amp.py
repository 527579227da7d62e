"""``mx.contrib.amp.amp``: the names exported there."""

from __future__ import annotations

from hybridlint.runtime.contrib.refused import refused

_REASON = "there is no automatic mixed precision on the CPU; leave amp out, or cast the network with net.cast"

init = refused("contrib.amp.init", _REASON)
init_trainer = refused("contrib.amp.init_trainer", _REASON)
scale_loss = refused("contrib.amp.scale_loss", _REASON)
unscale = refused("contrib.amp.unscale", _REASON)
convert_symbol = refused("contrib.amp.convert_symbol", _REASON)
convert_model = refused("contrib.amp.convert_model", _REASON)
convert_bucketing_module = refused("contrib.amp.convert_bucketing_module", _REASON)
convert_hybrid_block = refused("contrib.amp.convert_hybrid_block", _REASON)

#: Programs that run with and without it test this flag.
_amp_initialized = False
