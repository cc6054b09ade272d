"""Self-play PPO: rollouts, opponents, advantages, losses and updates."""
