"""Files of MXNet 1.x, byte for byte: arrays (.params, `nd.save`) here, graphs beside them."""
