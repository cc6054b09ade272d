"""A language model as a player, python:my_llm.Model: any function from a prompt to an answer; here a fake one."""

import re

from spygames import Game
from spygames.text import Turn, Verdict, briefing, correction, parse, question


def ask(messages: list[dict[str, str]]) -> str:
    """Put the call of your model here; it gets the messages of a chat. This fake takes the first action listed."""
    moves = re.findall(r"^- (.+)$", messages[-1]["content"].partition("Your legal actions:")[2], re.MULTILINE)
    return f'I have thought about it. {{"action": "{moves[0]}"}}' if moves else "I do not know."


class Model:
    """One conversation a game and seat, two more tries after an answer without a legal action."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.messages = [{"role": "system", "content": briefing(game, seat)}]

    def act_text(self, turn: Turn) -> str:
        """Ask the model until its answer names one legal action."""
        told, answer = question(turn), ""
        for _ in range(3):
            self.messages.append({"role": "user", "content": told})
            answer = ask(self.messages)
            self.messages.append({"role": "assistant", "content": answer})
            reply = parse(answer, turn.legal)
            if reply.verdict is Verdict.OK:
                break
            told = correction(reply, turn.legal, turn.why_not(reply.said))
        return answer
