"""A game of Agent Avenue in OpenSpiel: its information-set search against random play."""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.bots import uniform_random

from spygames.openspiel import register

rng = np.random.RandomState(1)
game = pyspiel.load_game(register("agent_avenue_v0"), {"rng_seed": 1})
search = ismcts.ISMCTSBot(
    game=game,
    uct_c=2.0,
    max_simulations=20,
    evaluator=mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng),
    random_state=rng,
)
search.set_resampler(lambda state, player: state.resample_from_infostate(player, rng.random_sample))
bots = [search, uniform_random.UniformRandomBot(1, rng)]
state = game.new_initial_state()
while not state.is_terminal():
    if state.is_chance_node():
        state.apply_action(0)
    else:
        state.apply_action(bots[state.current_player()].step(state))
print(state.returns())
