"""Settings of a search, and their text form after `+search:` in a player's name."""

import math
import os
from dataclasses import dataclass
from typing import Literal, get_args

from spygames.core.basics.plain import plain
from spygames.core.basics.text import shown
from spygames.core.game.game import Game
from spygames.core.players.mixture import MIX
from spygames.core.players.names import PlayerName

Mode = Literal["strong", "safe"]
SearchPrecision = Literal["float32", "bfloat16"]

VERSION = 1
"""Version of the search's decisions. It is raised when the same settings, weights and seed may lead to another action.
A ladder then tells the new search from the old one (`player_digest`). If only the worlds of one game change,
`Game.worlds_version` is raised instead."""
MAX_WORLDS = 100_000
"""Limit for `SearchSettings.worlds`."""
RANGES = (
    ("tau", 0, math.inf), ("lam", 0, 1), ("least", 0, 1), ("most", 1, math.inf), ("memory", 0, math.inf),
    ("slip", 0, 1), ("bot_slip", 0, 1), ("effective", 0, 1),
)  # fmt: skip
"""Settings with the least and the greatest value, by name."""
NAMED = ("worlds", "rivals", "mode", "precision")
"""Settings that the name of a search states."""
POLICY = "policy"
"""The name for the searching policy itself in `SearchSettings.rivals`."""


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a policy's search. Returns are in units of `Game.lowest_return`.

    Raises:
        ValueError: a setting is out of its range.
    """

    worlds: int = 64
    """K, the number of worlds that are played out, 1 to 100,000; four times as many are drawn and weighted."""
    rivals: tuple[str, ...] = (POLICY,)
    """Models of the other seats, equally likely at first: `policy`, scripted bots by name, and the policies of
    checkpoints by name or folder, with a slash."""
    mode: Mode = "strong"
    """`strong` takes the most likely action after the step, or the policy's own if the gain is within one standard
    error. `safe` draws an action after a smaller step, which opponents can exploit less."""
    tau: float | None = None
    """Temperature of the step, at least 0; 0 takes the best action. None: 0.1 in strong mode, 0.3 in safe mode."""
    lam: float | None = None
    """Lambda of the lambda-return, 0 to 1. None: 0.7, or 0.9 with rivals other than the policy, since its values
    mislead against them."""
    least: float = 0.02
    """Minimum probability of a candidate action, 0 to 1."""
    most: int = 8
    """Maximum number of candidate actions, at least 1."""
    memory: int = 16
    """Number of recent decisions per seat that are used as evidence; all decisions if that costs little, as in Heimlich
    & Co. without cards. 0: all worlds are equally likely."""
    slip: float = 0.002
    """Assumed probability, 0 to 1, that a policy takes a random legal action instead of its own."""
    bot_slip: float = 0.1
    """The same for a bot."""
    precision: SearchPrecision = "float32"
    """Number format of the networks. float32 is exact enough that only nearly equal actions depend on the processor.
    bfloat16 is up to four times faster on processors and GPUs with instructions for it. Elsewhere it is emulated and
    slower than float32, and on Intel's processors without AMX it is slower, too. It rounds coarsely, so it is another
    player."""
    effective: float = 1 / 16
    """Minimum effective number of worlds, as a fraction of `worlds`, 0 to 1; below it weights are flattened. Flattening
    costs strength, so the minimum is low."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "worlds", plain(self.worlds))
        if not isinstance(self.rivals, tuple | list) or not all(isinstance(rival, str) for rival in self.rivals):
            raise ValueError(
                f"the rivals of a search must be a tuple of names, as in ('policy', 'expert'), not {shown(self.rivals)}"
            )
        object.__setattr__(self, "rivals", tuple(self.rivals))
        if isinstance(self.worlds, bool) or not isinstance(self.worlds, int) or not 1 <= self.worlds <= MAX_WORLDS:
            raise ValueError(
                f"a search must play out 1 to {MAX_WORLDS} worlds, as in +search:64, not {shown(self.worlds)}"
            )
        if self.mode not in get_args(Mode):
            raise ValueError(f"the mode of a search must be {' or '.join(get_args(Mode))}, not {shown(self.mode)}")
        if self.precision not in get_args(SearchPrecision):
            known = " or ".join(get_args(SearchPrecision))
            raise ValueError(f"the precision of a search must be {known}, not {shown(self.precision)}")
        if not self.rivals or len(set(self.rivals)) < len(self.rivals):
            given = shown("|".join(self.rivals))
            raise ValueError(f"the rivals of a search must be different names, as in rivals=policy|expert, not {given}")
        for name, least, most in RANGES:
            object.__setattr__(self, name, number := plain(getattr(self, name)))
            whole = name in ("most", "memory")
            kinds = int if whole else (int, float)
            if number is None and name in ("tau", "lam"):
                continue
            if isinstance(number, bool) or not isinstance(number, kinds) or not least <= number <= most:
                what = "an integer" if whole else "a number"
                limits = f"from {least:g} to {most:g}" if most < math.inf else f"of at least {least:g}"
                raise ValueError(f"{name} of a search must be {what} {limits}, not {shown(number)}")

    @property
    def step_tau(self) -> float:
        """Temperature of the step, in units of `Game.lowest_return`."""
        return (0.1 if self.mode == "strong" else 0.3) if self.tau is None else self.tau

    @property
    def step_lam(self) -> float:
        """Lambda of the lambda-return."""
        return (0.7 if self.rivals == (POLICY,) else 0.9) if self.lam is None else self.lam

    @property
    def horizon(self) -> int | None:
        """Number of decisions after which a value weighs less than a hundredth, so that the rest is not played. None:
        no limit."""
        h = 1
        while self.step_lam**h >= 0.01 and h <= 64:
            h += 1
        return h if h <= 64 else None

    @property
    def name(self) -> str:
        """The settings as text, as `read_settings` reads them."""
        rivals = "" if self.rivals == (POLICY,) else f",rivals={'|'.join(self.rivals)}"
        mode = "" if self.mode == "strong" else f",mode={self.mode}"
        return f"{self.worlds}{rivals}{mode}{'' if self.precision == 'float32' else f',precision={self.precision}'}"


def is_checkpoint(rival: str) -> bool:
    """Whether a name in `SearchSettings.rivals` is that of a checkpoint: it has a slash."""
    return "/" in rival or os.sep in rival


def read_settings(game: Game, text: str) -> SearchSettings:
    """Parse settings such as `64,rivals=policy|expert,mode=safe,precision=bfloat16`. Raise ValueError, of one line, for
    any other text."""
    budget, *rest = text.split(",")
    if not budget.isdecimal() or len(budget) > 9:
        raise ValueError(f"a search must play out 1 to {MAX_WORLDS} worlds, as in +search:64, not {shown(budget)}")
    given: dict[str, str] = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals or key not in ("rivals", "mode", "precision") or key in given:
            raise ValueError(
                f"a search takes rivals=A|B, mode=safe and precision=bfloat16, each once, not {shown(part)}"
            )
        given[key] = value
    rivals = tuple(given.get("rivals", POLICY).split("|"))
    for rival in rivals:
        if rival.startswith(f"{MIX}:"):
            raise ValueError(
                f"a mixture is no rival of a search: name its players, as in rivals=A|B, not {shown(rival)}"
            )
        if is_checkpoint(rival) and PlayerName.parse(rival).search:
            raise ValueError(f"a rival of a search has no search itself: name it alone, not {shown(rival)}")
        if rival != POLICY and rival not in game.bots and not is_checkpoint(rival):
            known = ", ".join([POLICY, *game.bots])
            raise ValueError(
                f"the rivals of a search in {game.id} must be among {known}, or checkpoints by a name or folder with a "
                f"slash, not {shown(rival)}"
            )
    mode, precision = given.get("mode", "strong"), given.get("precision", "float32")
    return SearchSettings(int(budget), rivals, mode, precision=precision)  # type: ignore[arg-type]
