"""The conversion of Blocks to HybridBlocks: which classes, in what order, how they are rewritten, and its proof."""
