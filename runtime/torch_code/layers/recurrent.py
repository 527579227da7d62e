"""Recurrent layers, which take whole sequences, and cells, which take one step."""

from __future__ import annotations

from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.layer_call import LayerCall, TorchLayer, builds, written

_STARTS = {
    "i2h_weight_initializer": "weight_ih_l0",
    "h2h_weight_initializer": "weight_hh_l0",
    "i2h_bias_initializer": "bias_ih_l0",
    "h2h_bias_initializer": "bias_hh_l0",
}


@builds("RNN", "LSTM", "GRU")
def _recurrent(call: LayerCall) -> TorchLayer:
    if call.kind == "LSTM":
        call.only_default("projection_size", "state_clip_min", "state_clip_max", "state_clip_nan")
    call.only_default("dtype")
    layout = call.value("layout")
    layers = call.text("num_layers") if call.given("num_layers") else ""
    nonlinearity = ""
    if call.kind == "RNN":
        kind = call.value("activation")
        nonlinearity = f'nonlinearity="{kind}"' if kind != "tanh" else ""
    text = written(
        f"nn.{call.kind}",
        call.needed_size("input_size"),
        call.text("hidden_size"),
        layers and f"num_layers={layers}",
        nonlinearity,
        "batch_first=True" if layout == "NTC" else "",
        f"dropout={call.text('dropout')}" if call.given("dropout") else "",
        f"bidirectional={call.text('bidirectional')}" if call.given("bidirectional") else "",
    )
    if layout not in ("TNC", "NTC"):
        raise NoTranslationError(f"the layout {layout!r}")
    starts = call.starts(**_STARTS) if not layers and not call.given("bidirectional") else ()
    return TorchLayer(text, starts=starts, sequences=True)


@builds("SequentialRNNCell", "HybridSequentialRNNCell")
def _stacked_cells(call: LayerCall) -> TorchLayer:
    return TorchLayer("SequentialCell()")


@builds("DropoutCell")
def _dropout_cell(call: LayerCall) -> TorchLayer:
    call.only_default("axes")
    return TorchLayer(f"nn.Dropout({call.text('rate')})")


@builds("RNNCell", "LSTMCell", "GRUCell")
def _cell(call: LayerCall) -> TorchLayer:
    if call.kind == "LSTMCell":
        call.only_default("activation", "recurrent_activation")
    nonlinearity = ""
    if call.kind == "RNNCell" and call.given("activation"):
        nonlinearity = f'nonlinearity="{call.value("activation")}"'
    text = written(f"nn.{call.kind}", call.needed_size("input_size"), call.text("hidden_size"), nonlinearity)
    places = {name: place.removesuffix("_l0") for name, place in _STARTS.items()}
    return TorchLayer(text, starts=call.starts(**places))
