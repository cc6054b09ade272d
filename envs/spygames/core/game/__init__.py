"""What a game is: its layouts, options, actions, random numbers, and what its rules share with other games."""
