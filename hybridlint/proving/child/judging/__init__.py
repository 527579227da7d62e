"""The verdict on a block: on its setup, on other ways to use it, and on larger blocks that hold it."""
