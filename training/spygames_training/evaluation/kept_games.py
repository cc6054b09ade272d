"""Keep the results of a long match in a folder, so that it resumes where it was stopped."""

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar, cast
from zipfile import BadZipFile

import numpy as np

from spygames.core.game.game import Game
from spygames.core.players.player import Player
from spygames_training.evaluation.digests import game_digest, player_digest
from spygames_training.files.atomic import write_whole
from spygames_training.parallel.executor import SERIAL, Executor, Progress, Task

T = TypeVar("T")
TOGETHER = 64
"""Number of games played in lockstep. With more a stop loses more, with fewer a network gets smaller batches."""


class KeptGames(Executor):
    """Plays the games of `settled_matches` and keeps their results. The same match with the same folder resumes.

    Args:
        folder: of the results; it is made when the first games have ended.
        executor: computes the games.
    """

    lockstep = TOGETHER

    def __init__(self, folder: Path, executor: Executor = SERIAL):
        self.folder, self.executor = folder, executor
        self.parallel, self.elsewhere = executor.parallel, executor.elsewhere

    def run(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[tuple[int, T]]:
        """See `Executor.run`.

        Raises:
            ValueError: a kept result cannot be read.
        """
        all_tasks = list(tasks)
        files = [self.folder / f"{_name(*task)}.npz" for task in all_tasks]
        left = [number for number, file in enumerate(files) if not file.exists()]
        for number, file in enumerate(files):
            if number not in left:
                result = _read(file)
                if progress:
                    progress(len(result[0]))
                yield number, cast(T, result)
        for k, result in self.executor.run(function, (all_tasks[number] for number in left), progress, cpus):
            returns, failed = cast(tuple[np.ndarray, np.ndarray], result)
            content = BytesIO()
            np.savez(content, returns=returns, failed=failed)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(files[left[k]], content.getvalue())
            yield left[k], result

    def forget(self) -> None:
        """Remove the results, also one that a kill left half written, and the folder if nothing else is in it."""
        if self.folder.exists():
            for file in [*self.folder.glob("*.npz"), *self.folder.glob(".*.npz.new")]:
                file.unlink()
            if not any(self.folder.iterdir()):
                self.folder.rmdir()


def _read(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read the returns and the failures of one task."""
    try:
        with np.load(file, allow_pickle=False) as found:
            return found["returns"], found["failed"]
    except (OSError, ValueError, EOFError, KeyError, AttributeError, TypeError, BadZipFile) as error:
        raise ValueError(f"{file} is damaged: remove it, and its games are played again ({error})") from error


def _name(game: Game, players: tuple[Player, ...], *rest: Any) -> str:
    """Return a digest of the rules, the players, the games, their random streams and the limit.

    Raises:
        ValueError: the code or the weights of a player are not known.
    """
    found = [game.title, game_digest(game)]
    for player in players:
        if (digest := player_digest(game, player)) is None:
            raise ValueError(f"the games of {player.name} cannot be kept: its code is not known")
        found += [player.name, digest]
    found += [sha256(each.tobytes()).hexdigest() if isinstance(each, np.ndarray) else str(each) for each in rest]
    return sha256("\n".join(found).encode()).hexdigest()[:16]
