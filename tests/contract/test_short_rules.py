"""The short rules of every variant: short, complete, tied to rules that exist, with numbers from the game's tables."""

import ast
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from spygames import make_game
from spygames.agent_avenue import cards as agent_avenue_cards
from spygames.agent_avenue.texts import short_rules as agent_avenue_rules
from spygames.agent_dog import cards as agent_dog_cards
from spygames.core.game.game import Game
from spygames.core.game.rulebook import WIDTH, RuleLine, RuleSection, without_ids, words
from spygames.heimlich import cards as heimlich_cards
from spygames.heimlich.texts import short_rules as heimlich_rules
from spygames.text import rules
from tests.contract.test_rules_covered import stated
from tests.poker import kuhn

ENVS = Path(__file__).parents[2] / "envs" / "spygames"
MOST_LINES = 60
BOARD = {"track": 56, "holes": [2, 5, 6, 9, 12], "meeting": 7}
DECK = {"2": 5, "5": 6, "8": 5, "1/11": 10, "13": 4, "swap": 5, "copy": 5, "companion": 10}


def every(game_id: str, **values: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    """All combinations of the values of options."""
    return [(game_id, dict(zip(values, chosen, strict=True))) for chosen in product(*values.values())]


VARIANTS = [
    *every("agent_avenue_v0", mode=["simple", "advanced"], players=[2, 3, 4], first_player=[0, 1, "random"]),
    *every("agent_avenue_v0", mode=["simple", "advanced"], players=[3, 4], captain=["fixed"]),
    *every("heimlich_v0", players=[*range(2, 8)], top_secret=[False, True], secret_identities=[False, True],
           reward=["win", "score"], tie_with_free=["player", "nobody"]),
    *every("heimlich_v0", players=[*range(2, 8)], top_secret=[True], new_identity=["none"], first_player=["random"],
           card_round_opens=["active"], nobody_wins=[-1]),
    *every("heimlich_v0", players=[*range(2, 8)], secret_identities=[False, True], edition=["ravensburger"]),
    *every("agent_dog_v0", players=[2, 3, 4], hidden_colours=["table", "tracked"], deck=["standard", "royal", DECK],
           board=["standard", BOARD], first_player=[0, "random"]),
]  # fmt: skip


def lines_of(game: Game) -> list[tuple[RuleLine, tuple[str, ...]]]:
    """Each line of the short rules, and the IDs of its rules."""
    return [(line, line.ids or section.ids) for section in game.short_rules() for line in section.lines]


def readme(game: Game) -> str:
    return (ENVS / game.name / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("game_id", sorted({game_id for game_id, _ in VARIANTS}))
def test_every_variant_has_at_most_sixty_lines_tied_to_rules(game_id: str) -> None:
    known = {*stated((ENVS / game_id.rpartition("_v")[0] / "README.md").read_text(encoding="utf-8"))}
    for _, options in (each for each in VARIANTS if each[0] == game_id):
        game = make_game(game_id, **options)
        text = rules(game).splitlines()
        assert len(text) <= MOST_LINES, options
        assert max(map(len, text)) <= WIDTH, options
        for line, ids in lines_of(game):
            assert ids, line
            assert {*ids} | {*re.findall(r"\b[A-Z]{2}-\d+\b", line.text)} <= known, line
            assert line.text[0] not in " -"


CARDS = {
    "agent_avenue_v0": [*agent_avenue_cards.AGENTS, *agent_avenue_cards.MARKET_CARDS],
    "heimlich_v0": [*heimlich_cards.CARDS],
    "agent_dog_v0": [*agent_dog_cards.CARDS],
}
FULL: dict[str, dict[str, Any]] = {
    "agent_avenue_v0": {"mode": "advanced", "players": 3},
    "heimlich_v0": {"players": 4, "top_secret": True, "secret_identities": True},
    "agent_dog_v0": {"players": 3},
}


@pytest.mark.parametrize("game_id", CARDS)
def test_every_card_and_every_kind_of_action_is_explained(game_id: str) -> None:
    game = make_game(game_id, **FULL[game_id])
    explained = [name for section in cards_of(game) for line in section.lines for name in line.name.split(", ")]
    assert explained == [words(card) for card in CARDS[game_id]]
    s = game.start(1)[0]
    verbs = {game.action_to_string(s, action, 0).split()[0] for action in range(game.num_actions)}
    text = rules(game)
    assert [verb for verb in verbs if f"`{verb}" not in text] == []


def cards_of(game: Game) -> list[RuleSection]:
    """The sections of cards: between the three sentences with the parts, and the details."""
    return [
        each
        for each in game.short_rules()[1:]
        if not each.details and each.title not in ("On the table", "On the board")
    ]


@pytest.mark.parametrize("game_id", sorted({game_id for game_id, _ in VARIANTS}))
def test_every_variant_opens_with_three_sentences_and_its_parts(game_id: str) -> None:
    """A beginner can start after them: no seat numbers, texts of actions or IDs, and the details come last."""
    for _, options in (each for each in VARIANTS if each[0] == game_id):
        sections = make_game(game_id, **options).short_rules()
        assert [line.name for line in sections[0].lines] == ["Goal", "Your turn", "The end"]
        assert [each.details for each in sections] == sorted(each.details for each in sections)
        assert any(each.details for each in sections)
        for line in sections[0].lines:
            assert re.fullmatch(r"[A-Z][^.]*\.", line.text), f"not one sentence: {line.text}"
            assert len(line.text.split()) <= 25, line.text
        for each in sections:
            if not each.details:
                text = "\n".join([each.title, *(f"{line.name} {line.text}" for line in without_ids(each).lines)])
                assert not re.search(r"`|player_\d|[A-Z]{2}-\d", text), text


NUMBERS = r"\d|\b(three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|twenty|thirty|forty|hundred)\b"
NAMES = r"[A-Z]{2}-\d+|1-3|1/11|13|score_3|back_1_2|step_1|forward_1_3|\+1|-1|player_"
"""IDs of rules, names of cards and of a face of the die, and the results +1 and -1, which no option changes."""


@pytest.mark.parametrize("game", ["agent_avenue", "heimlich", "agent_dog"])
def test_numbers_come_from_the_tables_of_the_game(game: str) -> None:
    tree = ast.parse((ENVS / game / "texts" / "short_rules.py").read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert len(texts) > 50
    typed = [text for text in texts if re.search(NUMBERS, re.sub(NAMES, "", text))]
    zeros = {"from 0", "all get 0", " spaces, from 0. Start spaces: ", " spaces, `goal` 0 to "}  # where counting begins
    assert [text for text in typed if not any(zero in text for zero in zeros)] == []


def test_rules_follow_the_tables_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("agent_avenue_v0")
    assert "lead of 7 spaces" in rules(game)
    monkeypatch.setattr(agent_avenue_rules, "CATCH", 9)
    assert "lead of 9 spaces" in rules(game)
    full = make_game("heimlich_v0", **FULL["heimlich_v0"])
    assert "holds at most 4" in rules(full)
    monkeypatch.setattr(heimlich_rules, "HAND", 6)
    assert "holds at most 6" in rules(full)
    assert "26 cards" in rules(full)
    assert "25 cards" in rules(make_game("heimlich_v0", **FULL["heimlich_v0"], new_identity="none"))
    free = [make_game("heimlich_v0", players=players) for players in (6, 7)]
    assert ["the others are free" in rules(each) for each in free] == [True, False]
    assert "After 77 cards" in rules(make_game("agent_dog_v0", max_turns=77))
    assert "A loop of 56 spaces" in rules(make_game("agent_dog_v0", board=BOARD))


def test_a_companion_moves_any_pawn_once_a_side_of_the_team_is_home() -> None:
    assert "or over any once your or your partner's pawns are all home" in " ".join(
        rules(make_game("agent_dog_v0")).split()
    )
    assert "partner" not in rules(make_game("agent_dog_v0", players=2))


def test_a_game_without_short_rules_has_the_first_words_of_its_module() -> None:
    assert rules(kuhn.make_game()).splitlines() == [
        "Rules of kuhn_poker_v0",
        "The game:",
        '- Kuhn poker: three cards, ante and bet of one chip (H. W. Kuhn, "A simplified two-person poker", 1950).',
    ]
