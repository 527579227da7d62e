"""Groups of operators as loops over memory, shared by the engines that write their own code."""
