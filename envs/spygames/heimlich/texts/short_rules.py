"""The rules of Heimlich & Co. in short, for people and language models. Numbers come from the tables of the game."""

from spygames.core.game.game import Game
from spygames.core.game.rulebook import RuleLine, RuleSection, rule, section, words
from spygames.heimlich.board import (
    AGENTS,
    BUILDINGS,
    CHURCH,
    FACES,
    FINISH,
    IN_PLAY,
    LOOP,
    MARK,
    RUINS,
    SAFE_START,
    VALUES,
)
from spygames.heimlich.cards import (
    ALL_CARDS,
    CARD_LIMIT,
    CARD_SCORE,
    CARDS,
    COPIES,
    DEALT,
    HAND,
    KINDS,
    NEW_IDENTITY,
    STEP_SET,
    STEPS,
)
from spygames.heimlich.layout import Settings
from spygames.heimlich.rules.predictions import BONUS


def short_rules(game: Game) -> tuple[RuleSection, ...]:
    """Return the rules of a variant in short sections; see `Game.short_rules`."""
    o = Settings.of(game)
    agents = IN_PLAY[o.edition][o.players - 2]
    swaps = o.new_identity == "swap" and o.players < agents
    return (
        _opening(),
        _table(o, agents),
        *([_cards(swaps)] if o.top_secret else []),
        _setup(o, agents),
        _turn(o),
        *([_rounds(o, swaps)] if o.top_secret else []),
        *([_predictions()] if o.secret_identities else []),
        _end(o),
    )


def _opening() -> RuleSection:
    return section(
        "In short",
        rule("Bring the token of your secret agent furthest ahead on the score track, and hide which agent is yours.",
             "HC-5", "HC-18", name="Goal"),
        rule(
            "Roll the die and share its points among any agents; if one stops at the safe, all score their buildings' "
            "values.",
            "HC-8", "HC-9", "HC-12", "HC-14", name="Your turn",
        ),
        rule(f"Once a token reaches {FINISH}, the owner of the token furthest ahead wins.", "HC-17", "HC-18",
             name="The end"),
    )  # fmt: skip


def _table(o: Settings, agents: int) -> RuleSection:
    free = agents - o.players
    owned = f"; {free} {'has' if free == 1 else 'have'} no owner" if free else ", each with an owner"
    plain = o.edition == "ravensburger"
    numbers = f"{BUILDINGS[CHURCH + 1]} to {BUILDINGS[RUINS - 1]}"
    return section(
        "On the table",
        rule(f"{agents}{owned}; everybody may move all of them", "HC-36" if plain else "HC-3", "HC-5", "HC-9",
             name="agents"),
        rule(f"{LOOP} in a circle: church ({VALUES[CHURCH]} points), {numbers} (their number), ruins ({VALUES[RUINS]})",
             "HC-1", name="buildings"),
        rule(f"the place where a scoring happens; then it moves to another building{', an empty one' if plain else ''}",
             "HC-15", *(["HC-36"] if plain else []), name="safe"),
        None if plain else rule("face of the die: you choose how many of these points you use", "HC-10", name="1-3"),
        rule("drawn in the ruins or on a 1-3, and played before a scoring", "HC-22", "HC-23", "HC-25", name="cards")
        if o.top_secret
        else None,
        rule(
            f"once a token reaches {MARK}, everybody writes down who owns each agent; each right answer is worth "
            f"{BONUS} points at the end", "HC-33", "HC-34", name="predictions",
        )
        if o.secret_identities
        else None,
    )  # fmt: skip


def _setup(o: Settings, agents: int) -> RuleSection:
    edition = "HC-36" if o.edition == "ravensburger" else "HC-3"
    free = "; the others are free" if o.players < agents else ""
    first = "The first player is drawn" if o.first_player == "random" else f"player_{o.first_player} starts"
    return section(
        "Setup",
        rule(f"The agents in their order: {', '.join(AGENTS[:agents])}. Each player gets one{free}.",
             edition, "HC-5", "HC-7"),
        rule(
            f"Agents start in the church, the safe in building {BUILDINGS[SAFE_START]}. {first}; play goes to the "
            "left.", "HC-4", "HC-6",
        ),
        details=True,
    )  # fmt: skip


def _turn(o: Settings) -> RuleSection:
    plain = o.edition == "ravensburger"
    edition = ["HC-36"] if plain else []
    faces = [*([str(1)] if plain else ["`1-3`"]), *map(str, range(2, FACES + 1))]
    return section(
        "A turn, step by step",
        rule(
            f"You roll a die ({', '.join(faces)}) and spend all points on any agents: `move AGENT POINTS`.",
            "HC-8", "HC-9", *edition,
        ),
        rule("A point is one building clockwise. Agents move in the order of their list, each once.", "HC-9", "HC-11"),
        None if plain else rule("On a `1-3` you spend at least one of these points; `done` leaves the rest.", "HC-10"),
        rule("If a moved agent ends in the building of the safe, every agent scores its building's value.",
             "HC-12", "HC-13", "HC-14", *(["HC-26"] if o.top_secret else [])),
        rule("Scores never fall below zero. An agent that stays with the safe causes no scoring.", "HC-14", "HC-16"),
        rule(
            f"After a scoring you move the safe to any other {'empty ' if plain else ''}building: `safe BUILDING`.",
            "HC-15", *edition, *(["HC-27"] if o.top_secret else []),
        ),
        details=True,
    )  # fmt: skip


def _rounds(o: Settings, swaps: bool) -> RuleSection:
    opens = "the left neighbor of the player in turn" if o.card_round_opens == "left" else "the player in turn"
    total = ALL_CARDS - (0 if swaps else int(COPIES[NEW_IDENTITY]))
    return section(
        "Cards, step by step",
        rule(f"{total} cards. Everybody starts with {DEALT} and holds at most {HAND}.", "HC-20", "HC-21", "HC-31"),
        rule("You draw one if an agent that you moved by the die ends in the ruins.", "HC-22", "HC-24"),
        rule("On a `1-3` you may `draw` one instead of moving.", "HC-23"),
        rule(
            f"Before the scoring all may play cards (`card CARD`) or `pass`, from {opens} on, until all have passed.",
            "HC-25",
        ),
        rule("A card asks for its choices: `agent AGENT`, `step STEP`, `building BUILDING`, `done`.", "HC-32"),
        rule("Used cards are out of the game. An empty deck stays empty.", "HC-29"),
        details=True,
    )  # fmt: skip


def _predictions() -> RuleSection:
    return section(
        "Predictions",
        rule(
            f"When the first token reaches {MARK}, everybody predicts once, secretly, who owns each agent: "
            "`guess AGENT OWNER`.", "HC-33",
        ),
        rule("OWNER is a player or `free`. You predict one agent for every other player.", "HC-33"),
        details=True,
    )  # fmt: skip


def _end(o: Settings) -> RuleSection:
    tie = "these players still win" if o.tie_with_free == "player" else "nobody wins"
    rewards = {
        "win": f"Winners share +1, the others -1. If nobody wins, all get {o.nobody_wins:g}.",
        "score": f"Your result is your final score minus the mean of the others' scores, divided by {FINISH}.",
    }[o.reward]
    return section(
        "The end of the game",
        rule(f"The game ends when a scoring leaves a token at {FINISH} or more.", "HC-2", "HC-17",
             *(["HC-30"] if o.top_secret else [])),
        rule("If the token furthest ahead has no owner, nobody wins. Owners that are level share the win.",
             "HC-18", "HC-19"),
        rule(f"If players are level with a free agent, {tie}.", "HC-19"),
        rule(rewards, "HC-37"),
        details=True,
    )  # fmt: skip


def _cards(swaps: bool) -> RuleSection:
    kinds = [kind for kind in range(KINDS) if swaps or kind != NEW_IDENTITY]
    return section(
        "Top Secret cards: copies, then the effect",
        *map(_card, kinds),
        ids=["HC-20", "HC-26", "HC-28", "HC-31", "HC-32"],
    )


def _card(kind: int) -> RuleLine:
    copies = f"{COPIES[kind]} {'copies' if COPIES[kind] > 1 else 'copy'}"
    return rule(f"{copies}; {EFFECTS[CARDS[kind]]}", name=words(CARDS[kind]))


def _steps(card: str) -> str:
    """The steps of a card in words, those back first."""
    offered = [int(step) for i, step in enumerate(STEPS) if STEP_SET[CARDS.index(card)] >> i & 1]
    back, on = ([str(abs(step)) for step in offered if (step < 0) is backward] for backward in (True, False))
    back.reverse()
    parts = [
        f"{way} {' or '.join(filter(None, [', '.join(steps[:-1]), steps[-1]]))}"
        for way, steps in (("back", back), ("forward", on))
        if steps
    ]
    return " or ".join(parts)


EFFECTS = {
    "move_safe": "the safe to another building; a scoring that is due is canceled",
    "score_3": f"two different tokens +{CARD_SCORE} each, up to {CARD_LIMIT}",
    "back_1_2": f"one agent {_steps('back_1_2')}",
    "step_1": f"one agent {_steps('step_1')}",
    "two_back": f"two different agents {_steps('two_back')} each",
    "two_forward": f"two different agents {_steps('two_forward')} each",
    "off_safe": f"one agent in the building of the safe {_steps('off_safe')}",
    "to_ruins": "one agent to the ruins",
    "all_to_church": "all agents to the church",
    "swap": "two agents in different buildings change places",
    "join": "one agent to the building of another agent",
    "ruins_to_church": "one or two agents from the ruins to the church",
    "forward_1_3": f"one agent {_steps('forward_1_3')}",
    "to_safe": "one agent to the building of the safe",
    "new_identity": "exchange your agent for a free one, drawn at random; only you learn which",
}
