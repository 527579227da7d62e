"""Parts of a block that its graph does not hold, because nothing calls them or uses what they give."""
