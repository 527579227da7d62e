"""The verdict on a block: on its setup, on other uses of it, and on larger blocks that contain it."""
