"""Groups of operators as loops over memory: what the engines that write code of their own share."""
