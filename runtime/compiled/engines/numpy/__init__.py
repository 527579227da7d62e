"""The engine `numpy`: kernels of the array module, called one after another. It needs no further package."""
