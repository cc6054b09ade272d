"""What every game promises, as checks for a game of your own (`check_game`).

>>> from spygames import make_game
>>> from spygames.testing import check_game
>>> print(check_game(make_game("my_package.my_game")))  # doctest: +SKIP

It raises `ContractError`, whose one line says which promise is broken, where, what was found and what is right; or it
returns a short report. It needs no more than the environments do (no pytest, no torch), and at most a minute.

What it checks, in this order (`CHECKS`, each by itself with `checks=["leaks"]`):

form: `layout` (records without bytes of no field, float32 views, options that are JSON, a bot `random`), `pickle`.
play: `play` (games end; the mask is 0 or 1, never empty before the end and empty after it; no results before the end,
one for a team, none where a game is cut off; no count wraps; the invariants that you pass hold), `views` (every field
is written, finite and within `view_ranges`, and looking changes nothing), `texts` (different, and they read back),
`mapping` (JSON that reads back to the byte), `seeds`, `bots` (legal answers, from view, mask and random stream alone).
secrets: `leaks` (view, mask, texts, drawing, picture, order and results of a seat are the same in all worlds that
`determinize` draws for it, and what was true does not decide the draw), `moves` (moves of others that a seat cannot
tell apart have one text), `environment` (nor do errors tell), `redraws` (what is hidden is drawn anew at all),
`rewinds` (a world that was turned back shows a seat nothing of the truth, and `ways` is above 0 and reads nothing
hidden of the present; for a game that has `rewind`), `strata` (worlds by their numbers; for a game that has
`determinize_stratum`), `questions` (answers within their range, and which are asked is known to the seat; for a game
that has `questions`). Only tests of the game can know the distribution of
determinized states.
environments: `pettingzoo` and `gymnasium` (their own tests), `copies` (copied, pickled, saved at any point, games go
on alike), `saves`, `known` (`is_known`, of a game that has it, takes what its mapping gives back), `ownership`,
`refused_actions`, `refused_resets`, `refused_batch`, `refused_single` (what is refused changes nothing).
machine code: `equal_bytes` (batch, environment and bare kernels, also into used memory), `interpreted` (a fresh process
that interprets the sources shows the same bytes: found are integers that overflow and machine code that is older than
an edit; not for a game made in a notebook or a script itself, which no other process can import).
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from spygames.core.basics.text import say
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game
from spygames.testing import copies, form, hidden, playing, refusals, transcript
from spygames.testing.trial import ContractError, Skip, Trial, short

__all__ = ["CHECKS", "ContractError", "Report", "check_game"]

CHECKS: Mapping[str, Callable[[Trial], None]] = {
    "layout": form.layout,
    "pickle": form.pickling,
    "play": playing.play,
    "views": playing.views,
    "texts": playing.texts,
    "mapping": playing.mapping,
    "seeds": playing.seeds,
    "bots": playing.bots,
    "leaks": hidden.leaks,
    "moves": hidden.moves,
    "redraws": hidden.redraws,
    "rewinds": hidden.rewinds,
    "strata": hidden.strata,
    "questions": hidden.questions,
    "environment": hidden.environment,
    "pettingzoo": form.pettingzoo,
    "gymnasium": form.gymnasium,
    "copies": copies.copies,
    "saves": copies.saves,
    "known": copies.known,
    "ownership": copies.ownership,
    "refused_actions": refusals.actions,
    "refused_resets": refusals.resets,
    "refused_batch": refusals.batch,
    "refused_single": refusals.single,
    "equal_bytes": transcript.equal_bytes,
    "interpreted": transcript.interpreted,
}
"""The promises by name, in the order in which they are checked."""


@dataclass(frozen=True)
class Report:
    """What a game has passed."""

    game: str
    """Its title."""
    seconds: dict[str, float]
    """How long each check took."""
    skipped: dict[str, str]
    """Checks that cannot be done for this game, each with the reason."""
    notes: list[str] = field(default_factory=list)
    """What is no fault, but worth knowing."""

    def __str__(self) -> str:
        lines = [f"{self.game} keeps {len(self.seconds)} promises ({sum(self.seconds.values()):.0f} s)"]
        lines += [f"not checked: {name}: {why}" for name, why in self.skipped.items()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def check_game(
    game: Game,
    *,
    seed: int = 0,
    effort: float = 1.0,
    checks: Iterable[str] | None = None,
    invariants: Callable[[Record], None] | None = None,
    hidden: bool = True,
    progress: bool = False,
) -> Report:
    """Checks all that a game promises; the module's text lists it.

    Args:
        game: what `make_game` made.
        seed: equal seeds look at equal games and positions.
        effort: how many of them: 2 looks at twice as many as 1.
        checks: names of `CHECKS`; None: all.
        invariants: called with states (records of STATE) of random play; raises AssertionError where one is impossible.
        hidden: whether there is anything at all that some seat cannot know.
        progress: whether each check is named on stderr before it begins.

    Returns:
        What was checked, with seconds, and what could not be.

    Raises:
        ContractError: a promise is broken; one line says where, what was found and what is right.
        ValueError: `checks` names one that there is not.
    """
    names = list(CHECKS) if checks is None else list(checks)
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        raise ValueError(f"no check {unknown[0]!r:.60}; there are {', '.join(CHECKS)}")
    report = Report(game.title, {}, {})
    for name in names:
        if progress:
            say(f"spygames: checking {game.title}: {name}")
        started = time.perf_counter()
        trial = Trial(game, name, seed, effort, invariants, hidden, notes=report.notes)
        try:
            CHECKS[name](trial)
        except Skip as why:
            report.skipped[name] = str(why)
            continue
        except ContractError:
            raise
        except Exception as error:
            raise ContractError(
                ": ".join(
                    part for part in (game.title, name, trial.at, f"{type(error).__name__}: {short(error)}") if part
                )
            ) from error
        report.seconds[name] = time.perf_counter() - started
    return report
