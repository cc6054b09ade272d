"""`spygames rules`."""

from dataclasses import dataclass
from typing import Annotated

import tyro
from tyro.conf import Positional

from spygames_app.cli.arguments import GameId, GameOptions, WrongArguments, fitted, say, values


@dataclass(frozen=True)
class Rules:
    """Print the rules of a game: the short rules, a chapter, one rule, or a card.

        spygames rules heimlich
        spygames rules heimlich movement
        spygames rules HC-20
        spygames rules getaway car
        spygames rules agent_avenue --option mode=advanced

    The short rules are those of one variant; --option chooses it. Each line ends with the IDs of the rules that it
    restates. A rule is found by its ID, a chapter by its first words, and a card by its name, in any game.
    """

    words: Positional[
        Annotated[tuple[str, ...], values(str, "GAME|CHAPTER|CARD|ID", least=0), tyro.conf.arg(help_behavior_hint="")]
    ] = ()
    """A game, and then a chapter, a card or a rule; or a card or a rule alone."""
    game: GameId = None
    """The game, such as agent_avenue_v0. (default: the one that the words name)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""

    def run(self) -> int:
        from spygames.core.game.registry import canonical_id, game_ids, make_game
        from spygames_app.rules import found_in, rules_in_words

        words, name = list(self.words), self.game
        if name is None and words and canonical_id(words[0]) in game_ids():
            name = canonical_id(words.pop(0))
        wanted, options = " ".join(words), dict(self.option)
        if name is None and not wanted:
            raise WrongArguments(f"name a game, a card or a rule, as in spygames rules {game_ids()[0]}")
        if name is None and options:
            raise WrongArguments("--option needs a game")
        games = [make_game(name or each, **options) for each in ([name] if name else game_ids())]
        if not wanted:
            command = f"spygames rules {f'--game {name}' if self.game else self.words[0]}"
            say(fitted(rules_in_words(games[0], command=command)))
            return 0
        found = [(game, text) for game in games if (text := found_in(game, wanted))]
        if not found:
            raise ValueError(
                f"no rule, chapter or card {wanted!r:.100} in {' or '.join(game.id for game in games)}; "
                "spygames rules GAME lists the chapters"
                f"{'' if name else '; for a game of your own, add --game'}"
            )
        say("\n\n".join(text if len(games) == 1 else f"{game.name}\n{text}" for game, text in found))
        return 0
