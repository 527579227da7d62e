"""Shapes of results whose inputs have unknown shapes, as far as operators tell them all the same."""
