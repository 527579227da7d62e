"""Operators of neural network layers: activations, normalization, dense and recurrent layers, attention, losses."""
