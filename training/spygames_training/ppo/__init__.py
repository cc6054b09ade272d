"""Self-play PPO: playing, opponents, advantages, losses and updates."""
