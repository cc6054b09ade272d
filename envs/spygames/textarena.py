"""The games in the form of TextArena's environments; TextArena itself is not needed.

All seats answer in texts, one at a time:

    from spygames import make_game
    from spygames.textarena import TextArenaEnv

    env = TextArenaEnv(make_game("agent_avenue_v0"))
    env.reset(num_players=2, seed=1)
    done = False
    while not done:
        player, text = env.get_observation()
        done, info = env.step(ask(player, text))  # your call of a model
    rewards, info = env.close()
"""

from typing import Any

from spygames import NOBODY, Game
from spygames.text import Mode, TextGame

__all__ = ["TextArenaEnv"]


class TextArenaEnv:
    """A game with the methods of `textarena.Env`. The players are the seats, and all of them answer in texts.

    The text of an observation is complete: the briefing, the question, and a correction after an answer without a legal
    action. The last answer without one forfeits the game.

    Example:
        >>> from spygames import make_game
        >>> from spygames.textarena import TextArenaEnv
        >>> env = TextArenaEnv(make_game("agent_avenue_v0"))
        >>> env.reset(num_players=2, seed=1)
        >>> player, text = env.get_observation()
        >>> env.step("I discard one. [discard codebreaker]")
        (False, {'verdict': 'ok', 'action': 'discard codebreaker'})

    Args:
        game: the game to play.
        mode, retries: as in `TextGame`.
    """

    def __init__(self, game: Game, mode: Mode = "listed", retries: int = 2):
        self.table = TextGame(game, mode=mode, retries=retries)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a game.

        Args:
            num_players: the number of seats of the variant.
            seed: 0..2^64-1, of the deal; None: from the system's entropy.

        Raises:
            ValueError: the variant has another number of seats, or the seed is invalid.
        """
        if num_players != (players := self.table.game.num_players):
            raise ValueError(f"num_players must be {players} in this variant, not {num_players!r:.100}")
        self.table.begin(seed)

    def get_observation(self) -> tuple[int, str]:
        """Return the player to answer, and what it is told; NOBODY and an empty text once the game is over."""
        return self.table.seat, self.table.prompt

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Read an answer; return whether the game is over, and the verdict on the answer.

        Raises:
            ResetNeeded: no decision is due.
            TypeError: the answer is not a text.
        """
        reply = self.table.answer(action)
        return self.table.over, {"verdict": str(reply.verdict), "action": reply.action}

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, Any]]]:
        """Return the result of each player, and what each has answered; `invalid_move` marks the one that forfeited."""
        forfeited = self.table.forfeited
        counts = [answers.as_dict() for answers in self.table.answers]
        info = {seat: {"invalid_move": forfeited == seat != NOBODY, **each} for seat, each in enumerate(counts)}
        return dict(enumerate(self.table.results)), info
