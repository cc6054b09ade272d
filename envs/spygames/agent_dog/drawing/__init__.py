"""The parts of the picture of Agent DOG."""
