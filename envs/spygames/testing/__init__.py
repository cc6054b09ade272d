"""Check that a game of your own meets the contract of `spygames.Game` (`check_game`).

>>> from spygames import make_game
>>> from spygames.testing import check_game
>>> print(check_game(make_game("my_package.my_game")))  # doctest: +SKIP

`check_game` returns a short report, or raises `ContractError`. The one-line message says which check failed, where,
what was found and what is right. The checks need no more packages than the environments (no pytest, no torch), and at
most a minute.

The checks run in this order (`CHECKS`); choose some of them with `checks=["leaks"]`.

Form:

- `layout`: all bytes of a record belong to a field, views are float32, options are JSON, and there is a bot `random`.
- `pickle`: the game can be pickled, and comes back as an equal game.

Play:

- `play`: games end. The mask is 0 or 1, has a legal action before the end and none after it. Results are 0 before the
  end and in a game that is cut off, and equal within a team. No integer overflows, and your invariants hold. A note
  says if the results of the sides do not add up to 0.
- `views`: `observe` writes every field, finite and within `view_ranges`, and changes nothing.
- `texts`: legal actions have different texts, which read back.
- `mapping`: the state's mapping is JSON and reads back to the same bytes.
- `seeds`: different seeds start different games.
- `bots`: bots return legal actions, which depend only on view, mask and random stream.

Hidden information:

- `leaks`: everything that a seat can see is the same in all worlds that `determinize` draws for it: view, mask, texts,
  drawing, picture, key order and results. `determinize` does not depend on the true state.
- `moves`: moves of other seats that a seat cannot tell apart are the same events for it (`GameEnv.history`).
- `parts`: public fields of a view are the same in all worlds that are possible for another seat. Only for games with
  `view_parts`.
- `redraws`: `determinize` redraws what is hidden. Its distribution can be checked only by tests of the game.
- `rewinds`: a rewound world reveals nothing of the true state. `ways` is above 0 and reads nothing hidden of the
  present. Only for games with `rewind`.
- `strata`: `determinize_stratum` draws possible worlds and does not depend on the true state. Only for games with
  `determinize_stratum`.
- `questions`: the answers of belief targets are in range, and the seat knows which targets are `UNASKED`. Only for
  games with belief targets.
- `environment`: the environment, errors included, reveals nothing hidden.

Environments:

- `pettingzoo`, `gymnasium`: the environments pass the tests of these libraries.
- `copies`: a game that is copied, pickled or saved at any point continues in the same way.
- `saves`: `restore` refuses invalid saves and changes nothing.
- `known`: `is_known` accepts exactly the states whose mapping reads back as the same bytes. Only for games with
  `is_known`.
- `ownership`: arrays that were returned do not change later, and writing into them does not change the game.
- `refused_actions`, `refused_resets`, `refused_batch`, `refused_single`: refused input changes nothing.

Machine code:

- `equal_bytes`: batch, environment and bare kernels give the same bytes, even in buffers with old contents.
- `interpreted`: a fresh process that interprets the sources gives the same bytes. The check finds integers that
  overflow, and machine code that is older than the sources. It is skipped for a game made in a notebook or script,
  which no other process can import.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from spygames.core.basics.text import say
from spygames.core.basics.whole_numbers import whole
from spygames.core.compiling.kernel import Record
from spygames.core.game import validation
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
    "parts": hidden.parts,
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
"""The checks by name, in the order in which they run."""


@dataclass(frozen=True)
class Report:
    """The report on a game that passed its checks."""

    game: str
    """The title of the game."""
    seconds: dict[str, float]
    """The duration of each check, by name."""
    skipped: dict[str, str]
    """The reason for each check that cannot be done for this game, by name."""
    notes: list[str] = field(default_factory=list)
    """Remarks that are not faults, such as warnings of PettingZoo and Gymnasium, or results that do not add up to 0."""

    def __str__(self) -> str:
        lines = [f"{self.game} passed {len(self.seconds)} checks ({sum(self.seconds.values()):.0f} s)"]
        lines += [f"skipped: {name}: {why}" for name, why in self.skipped.items()]
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
    """Check a game. The docstring of this module describes the checks.

    Args:
        game: the game.
        seed: seed of the random games and positions; equal seeds give equal games and positions.
        effort: multiplier of the number of games and positions, at least 0.
        checks: names from `CHECKS`; None runs all.
        invariants: a function that is called with states (records of STATE) of random play, and raises AssertionError
            for an impossible one.
        hidden: whether the game has any hidden information.
        progress: whether to print the name of each check on stderr before it starts.

    Returns:
        The report, with the duration of each check and the skipped ones.

    Raises:
        ContractError: a check failed; the one-line message says where, what was found and what is right.
        TypeError: `game` is not a Game.
        ValueError: `checks` is not a list or has an unknown name, or `seed` or `effort` is negative.
    """
    validation.check_game(game)
    seed, effort = whole("seed", seed, 0), validation.number("effort", effort, 0)
    if isinstance(checks, str):
        raise ValueError(f"checks must be a list of names, such as ['leaks'], not {checks!r:.60}")
    names = list(CHECKS) if checks is None else list(checks)
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        raise ValueError(f"no check {unknown[0]!r:.60}; available checks: {', '.join(CHECKS)}")
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
