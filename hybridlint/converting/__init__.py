"""`hybridlint convert`: Gluon code and exported networks as PyTorch code, with weights and a proof."""
