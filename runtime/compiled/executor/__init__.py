"""Executors, which run the plan of a graph, and the engines that create them."""
