"""The compiled engine: Symbol, typed graph, optimization passes, memory plan, and executors."""
