"""Ask players what they believe about hidden things, at the same positions for all, and keep the answers in a folder.

A folder has these files:

- `probe.json`: which questions are asked: the game, the players of the games, the seed and so on.
- `games.jsonl`: the games, as records.
- `answers.jsonl`: a line for the answers of one player in one game.
- `told/`: transcripts of language models.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.json_numbers import written
from spygames.core.basics.json_values import is_count, is_number, parse_json
from spygames.core.basics.text import one_line, shown
from spygames.core.chat.transcripts import stored_lines
from spygames.core.game.game import Game
from spygames.core.players.player import Player
from spygames.core.playing.rows import spread
from spygames.core.records.record import GameRecord, RecordError, play_record, read_games
from spygames_training.evaluation.belief_positions import Asked, Position, positions_of
from spygames_training.evaluation.belief_scores import Probabilities, results
from spygames_training.evaluation.believers import KNOWN, Answers, Believer, KnowsPlayers, RulesAlone, models_of
from spygames_training.evaluation.digests import facts_in_words, game_digest, player_digest
from spygames_training.files.atomic import write_whole

VERSION = 1
"""Version of the questions and scores; raised when the same command may give other figures."""
PROBE, GAMES, ANSWERS, TOLD = "probe.json", "games.jsonl", "answers.jsonl", "told"
AT_ONCE = 8
"""Number of games whose positions are asked together, so that a language model is asked side by side."""
DIGITS = 6
"""Decimals of a probability in the file."""


@dataclass(frozen=True)
class Probe:
    """Which questions are asked."""

    game: Game
    players: tuple[Player, ...]
    """The players of the games, one per seat."""
    seed: int
    """0..2^64-1, of the deals, the positions and all draws."""
    per_game: int
    """Maximum number of positions of a game."""
    worlds: int
    """Number of worlds of the rules alone and of what could be known."""

    def __post_init__(self) -> None:
        if self.game.questions is None:
            raise ValueError(f"{self.game.id} has no questions about hidden information (Game.questions)")

    def facts(self) -> dict[str, Any]:
        """Return what identifies the questions, as plain JSON values."""
        return {
            "version": VERSION,
            "game": {"id": self.game.id, "options": dict(self.game.options)},
            "rules": game_digest(self.game),
            "determinize": self.game.worlds_version,
            "games of": [{"name": p.name, "digest": player_digest(self.game, p)} for p in self.players],
            "seed": written(self.seed),
            "per game": self.per_game,
            "worlds": self.worlds,
        }

    def standards(self) -> list[Believer]:
        """Return the believers beside the players: the rules alone, and someone who knows the players if possible."""
        models = models_of(self.game, self.players)
        known = [] if models is None else [KnowsPlayers(self.game, models, self.worlds)]
        return [RulesAlone(self.game, self.worlds), *known]


@dataclass(frozen=True)
class Found:
    """What a folder holds of some games: the positions, and the answers of each player."""

    asked: list[Asked]
    answers: dict[str, list[list[Probabilities]]]
    about: dict[str, list[list[dict[str, Any]]]]
    """Further facts about the answers (`Answers.about`)."""


def ask(
    probe: Probe,
    believers: Sequence[Believer],
    games: int,
    folder: Path,
    progress: Callable[[int], None] | None = None,
) -> Found:
    """Play games, ask all believers at the same positions, and keep everything in a folder.

    What the folder has already is not done again. The caller must lock the folder (`only_one`) and check that it is for
    these questions (`check_probe`).

    Args:
        probe: which questions are asked.
        believers: with different names.
        games: number of games.
        folder: the folder; it must exist.
        progress: called with the number of games of believers that are done since the last call.

    Raises:
        ValueError: the folder holds answers of another player with the same name, or answers that do not fit.
        PlayerFailed: a player of the games failed.
        PlayerUnavailable: a language model cannot be asked any more.
    """
    records, lines = _read_games(folder / GAMES, games), _read_answers(folder / ANSWERS, believers)
    found = Found([], {each.name: [] for each in believers}, {each.name: [] for each in believers})
    seeds = spread(np.uint64(probe.seed), games).tolist()
    for first in range(0, games, AT_ONCE):
        part, asked = range(first, min(first + AT_ONCE, games)), []
        for number in part:
            if number == len(records):
                records.append(play_record(probe.game, probe.players, seeds[number]))
                _append(folder / GAMES, records[number].to_line())
            asked.append(positions_of(probe.game, records[number], number, probe.seed, probe.per_game))
        for each in believers:
            missing = [k for k, number in enumerate(part) if each.resumes or (each.name, number) not in lines]
            positions = [position for k in missing for position in asked[k].positions]
            answers = iter(each.believe(positions) if positions else [])
            for k in missing:
                told = [_as_json(p.move, next(answers)) for p in asked[k].positions]
                if (each.name, part[k]) in lines:
                    continue
                line = {"player": each.name, "digest": each.digest, "game": part[k], "positions": told}
                lines[each.name, part[k]] = line
                _append(folder / ANSWERS, json.dumps(line))
            for k, number in enumerate(part):
                told = _fitting(lines[each.name, number], asked[k], folder / ANSWERS)
                found.answers[each.name].append([position["probabilities"] for position in told])
                found.about[each.name].append([position["about"] for position in told])
            if progress:
                progress(len(part))
        found.asked.extend(asked)
    return found


def as_json(probe: Probe, found: Found, digests: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the results as plain JSON values, with everything that is needed to ask the same questions again.

    Args:
        probe: the questions.
        found: the answers.
        digests: by player.
    """
    scores = results(found.asked, found.answers, probe.seed % 2**63)
    effective = [each["effective"] for game in found.about.get(KNOWN, []) for each in game]
    counts = {"median": float(np.median(effective)), "least": min(effective)} if effective else None
    return {
        **probe.facts(),
        "games": len(found.asked),
        "positions": sum(len(game.positions) for game in found.asked),
        "sampling": sampling(found, probe),
        "effective worlds": counts,
        "players": {name: {"digest": digest} for name, digest in digests.items()},
        "results": [asdict(result) for result in scores],
    }


def sampling(found: Found, probe: Probe) -> float:
    """Return how many nats a question the rules alone cost too much, on average, because their worlds are a sample.

    It is (a - 1) / 2m for a question of which a answers occur among m independent worlds, the first term in 1/m. It is
    0 in games with strata, where all strata have the same number of worlds, if nothing else is asked.
    """
    if probe.game.determinize_stratum is not None:
        return 0.0
    rules = next(iter(found.answers.values()))
    counts = [sum(p > 0 for p in chances) for game in rules for told in game for chances in told if chances is not None]
    return float(np.mean([(count - 1) / (2 * probe.worlds) for count in counts])) if counts else 0.0


def check_probe(folder: Path, probe: Probe) -> None:
    """Write which questions are asked into a folder; ValueError if it holds other questions."""
    file, facts = folder / PROBE, json.loads(json.dumps(probe.facts()))
    if not file.exists():
        if any((folder / name).exists() for name in (GAMES, ANSWERS)):
            raise ValueError(f"{folder} has answers without {PROBE}: name another folder")
        write_whole(file, json.dumps(facts, indent=2) + "\n")
        return
    try:
        there = parse_json(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"{file} is damaged: name another folder ({one_line(error)})") from error
    if not isinstance(there, dict):
        raise ValueError(f"{file} is not the description of questions")
    for key, value in facts.items():
        if there.get(key) != value:
            was, now = facts_in_words(there.get(key), value)
            raise ValueError(f"{folder} holds other questions ({key}: {was} there, {now} here): name another folder")


def _read_games(file: Path, most: int) -> list[GameRecord]:
    records: list[GameRecord] = []
    for number, line in stored_lines(file):
        if len(records) < most:
            try:
                records.extend(read_games(json.dumps(line)))
            except RecordError as error:
                raise ValueError(f"{file}, line {number}: {one_line(error)}") from None
    return records


def _read_answers(file: Path, believers: Sequence[Believer]) -> dict[tuple[str, int], dict[str, Any]]:
    digests = {each.name: each.digest for each in believers}
    lines: dict[tuple[str, int], dict[str, Any]] = {}
    for number, line in stored_lines(file):
        values: dict[str, Any] = line if isinstance(line, dict) else {}
        name: Any = values.get("player")
        game: Any = values.get("game")
        if not isinstance(name, str) or not is_count(game) or not isinstance(values.get("positions"), list):
            raise ValueError(f"{file}, line {number} does not hold the answers of a player in a game")
        if name in digests:
            if values.get("digest") != digests[name]:
                raise ValueError(
                    f"{file} has answers of another {one_line(name)} (digest {shown(values.get('digest'))}, here "
                    f"{digests[name]}): name another folder, or rename the player"
                )
            lines[name, game] = values
    return lines


def _fitting(line: dict[str, Any], asked: Asked, file: Path) -> list[dict[str, Any]]:
    """Return the answers of a line; ValueError if they are not answers to these questions."""
    told = line["positions"]
    if len(told) != len(asked.positions) or not all(map(_fits, told, asked.positions)):
        raise ValueError(f"{file}: the answers of {one_line(line['player'])} in game {line['game']} do not fit")
    return told


def _fits(told: Any, position: Position) -> bool:
    """Whether these are answers to the questions of a position."""
    chances = told.get("probabilities") if isinstance(told, dict) else None
    if not isinstance(chances, list) or len(chances) != len(position.unknowns):
        return False
    valid = (
        p is None or (isinstance(p, list) and len(p) == len(u.answers) and all(is_number(x) and 0 <= x <= 1 for x in p))
        for p, u in zip(chances, position.unknowns, strict=True)
    )
    return told.get("move") == position.move and isinstance(told.get("about"), dict) and all(valid)


def _as_json(move: int, answers: Answers) -> dict[str, Any]:
    """Return the answers at a position as plain JSON values, rounded."""
    chances = [None if p is None else [round(float(x), DIGITS) for x in p] for p in answers.probabilities]
    return {"move": move, "probabilities": chances, "about": dict(answers.about)}


def _append(file: Path, line: str) -> None:
    with open(file, "ab") as stream:
        stream.write(line.encode("ascii") + b"\n")
