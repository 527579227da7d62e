"""Executors: what runs the plan of a graph, and the engines that make them."""
