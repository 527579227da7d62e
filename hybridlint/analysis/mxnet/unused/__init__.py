"""Parts of a block that its graph lacks, because nothing calls them or uses their results."""
