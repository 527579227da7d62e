"""The sandbox that confines the project's code to a folder of its own during a proof."""
