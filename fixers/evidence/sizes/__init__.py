"""The sizes and axes of tensors that the code of a function shows, by itself and by the rules of operators."""
