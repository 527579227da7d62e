"""The compiled engine: from Symbol to typed graph, passes that shorten it, a plan of memory, executors that run it."""
