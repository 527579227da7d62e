"""What is known of code along its flow: truth, effects, what outlives a call."""
