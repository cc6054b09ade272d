"""What all games share: the contract of a game, and one module for each way to use one."""
