"""Source text and syntax trees of a file: reading, editing, and mapping rows between two versions."""
