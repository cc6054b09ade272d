"""Text for people and language models: short rules, positions, events and legal actions of a seat, and its answers.

>>> from spygames import make_game
>>> from spygames.text import parse, prompt, turn_of
>>> game = make_game("agent_avenue_v0")
>>> turn = turn_of(game, game.start(seed=1))
>>> text = prompt(turn)  # who you are, rules, what happened, position, legal actions
>>> parse('I keep my moles. {"action": "Play enforcer, codebreaker"}', turn.legal).verdict
<Verdict.ILLEGAL: 'illegal'>

A `Turn` is one decision of one seat. A class with `act_text(turn) -> str` is a player (`python:module.name`), and a
program can ask for the same texts (`docs/bot_protocol.md`). `briefing` is told once in a game, `question` at each
decision, and `prompt` is both. `parse` reads an answer and `correction` is the message for a second try. `TextGame` is
a whole game whose seats answer in texts.

A player may also be asked what it believes about hidden things (`spygames beliefs`): `unknowns` are the questions of a
position, `belief_briefing` and `belief_question` the texts, and `parse_beliefs` reads an answer.

A text never holds what its seat cannot know: positions and effects are written from `Game.seen_to_dict` of the seat.
"""

from spygames.core.chat.model_name import Mode
from spygames.core.chat.text_game import Answers, TextGame, deals
from spygames.core.game.rulebook import RuleLine, RuleSection
from spygames.core.players.inquiry import (
    BELIEF_GRAMMAR,
    Beliefs,
    BeliefVerdict,
    belief_briefing,
    belief_correction,
    belief_question,
    belief_turn_of,
    parse_beliefs,
    read_beliefs,
    unknowns,
)
from spygames.core.players.replies import GRAMMAR, Reply, Verdict, canonical, correction, parse
from spygames.core.players.turns import Turn, Unknown, briefing, prompt, question, rules, turn_of

__all__ = [
    "BELIEF_GRAMMAR",
    "GRAMMAR",
    "Answers",
    "BeliefVerdict",
    "Beliefs",
    "Mode",
    "Reply",
    "RuleLine",
    "RuleSection",
    "TextGame",
    "Turn",
    "Unknown",
    "Verdict",
    "belief_briefing",
    "belief_correction",
    "belief_question",
    "belief_turn_of",
    "briefing",
    "canonical",
    "correction",
    "deals",
    "parse",
    "parse_beliefs",
    "prompt",
    "question",
    "read_beliefs",
    "rules",
    "turn_of",
    "unknowns",
]
