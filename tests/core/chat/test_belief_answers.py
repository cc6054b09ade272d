"""Language models that are asked what they believe, against servers on loopback that answer by a script."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from spygames import make_game
from spygames.players import LanguageModel, Limits, PlayerUnavailable, Transcripts
from spygames.text import BeliefVerdict, belief_briefing, belief_question, belief_turn_of
from tests.support.chat_server import Reaction, chat_server

pytest.importorskip("httpx", reason="needs the extra llm")

GAME = make_game("agent_avenue_v0")
TURNS = [belief_turn_of(GAME, GAME.start(seed), [f"something {seed}"]) for seed in range(6)]


def questions(text: str) -> dict[str, list[str]]:
    """Return the questions of a prompt with their possible answers."""
    _, _, rest = text.partition("each with its possible answers:\n")
    return {about: answers.split(", ") for about, answers in re.findall(r"^- (.+): ([^:]+)$", rest, re.MULTILINE)}


def even(messages: list[dict[str, str]], number: int) -> str:
    """Answer every question of the conversation with equal chances."""
    asked = questions(messages[1]["content"])
    return json.dumps({"beliefs": {q: dict.fromkeys(answers, 1 / len(answers)) for q, answers in asked.items()}})


def test_a_model_is_asked_once_for_each_decision() -> None:
    with chat_server(even) as server:
        model = LanguageModel(GAME, f"m@{server.url}", pause=0.0)
        found = model.believe(TURNS, range(6))
        model.close()
    assert len(server.requests) == model.account.decisions == model.account.ok == 6
    for turn, (beliefs, told) in zip(TURNS, found, strict=True):
        assert beliefs.verdict is BeliefVerdict.OK
        assert beliefs.probabilities == ((pytest.approx([0.2] * 5)),) * 8
        assert [each["prompt"] for each in told] == [belief_question(turn)]
    for request in server.requests:
        assert [each["role"] for each in request["messages"]] == ["system", "user"]
        assert request["messages"][0]["content"] == belief_briefing(GAME, 0)


def test_wrong_answers_are_corrected_counted_and_never_guessed() -> None:
    """The first answer has no object, the second lacks a question, and from then on all is well."""
    answers = ["I do not know.", '{"beliefs": {}}']

    def script(messages: list[dict[str, str]], number: int) -> str:
        tries = len(messages) // 2 - 1
        return answers[tries] if tries < 2 else even(messages, number)

    with chat_server(script) as server:
        patient, hasty = (LanguageModel(GAME, f"m@{server.url},retries={n}", pause=0.0) for n in (2, 1))
        ((good, told),), ((bad, _),) = patient.believe(TURNS[:1], [1]), hasty.believe(TURNS[:1], [1])
        patient.close()
        hasty.close()
    assert [each["verdict"] for each in told] == ["unparseable", "invalid", "ok"]
    assert "there is no object with beliefs" in told[1]["prompt"]
    assert "copies of double agent in player_1's hand: it is missing" in told[2]["prompt"]
    assert "- and 3 more" in told[2]["prompt"]
    assert good.verdict is BeliefVerdict.OK
    assert (bad.verdict, bad.probabilities) == (BeliefVerdict.INVALID, (None,) * 8)
    a = patient.account
    assert (a.decisions, a.answers, a.retries, a.unparseable, a.invalid, a.ok, a.illegal) == (1, 3, 2, 1, 1, 1, 0)


def test_failures_of_the_server_end_the_command_and_a_later_run_continues(tmp_path: Path) -> None:
    def script(messages: list[dict[str, str]], number: int) -> str | Reaction:
        return Reaction(500) if number >= 3 else even(messages, number)

    with chat_server(script) as server:
        name = f"m@{server.url}"
        first = LanguageModel(GAME, name, pause=0.0, transcripts=Transcripts(tmp_path), concurrent=1)
        with pytest.raises(PlayerUnavailable, match="continues from here"):
            first.believe(TURNS, range(6))
        first.close()
        asked, server.script = len(server.requests), even
        again = LanguageModel(GAME, name, pause=0.0, transcripts=Transcripts(tmp_path), limits=Limits(tokens=10**6))
        found = again.believe(TURNS, range(6))
        again.close()
        assert len(server.requests) == asked + 3
    assert (again.account.resumed, again.account.answers, again.account.ok) == (3, 6, 6)
    assert all(beliefs.verdict is BeliefVerdict.OK for beliefs, _ in found)


def test_a_refused_or_endless_answer_is_no_answer() -> None:
    with chat_server(lambda messages, number: Reaction(400) if number == 0 else "x" * 100_000) as server:
        model = LanguageModel(GAME, f"m@{server.url},retries=0", pause=0.0, concurrent=1)
        found = model.believe(TURNS[:2], [0, 1])
        model.close()
    assert [beliefs.verdict for beliefs, _ in found] == [BeliefVerdict.UNPARSEABLE] * 2
    assert (model.account.failures["400"], model.account.oversize, model.account.unparseable) == (1, 1, 1)
    assert np.isfinite(model.account.seconds)
