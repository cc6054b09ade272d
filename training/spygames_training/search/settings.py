"""How a search is to be done, and as text: what stands behind `+search:` in a player's name."""

from dataclasses import dataclass
from typing import Literal, get_args

from spygames.core.basics.plain import plain
from spygames.core.basics.text import shown
from spygames.core.game.game import Game

Mode = Literal["strong", "safe"]
SearchPrecision = Literal["float32", "bfloat16"]

VERSION = 1
"""Of what a search decides: raised when the same settings, weights and luck may lead to another action, so that a
ladder does not take the new search for the old one (`player_digest`). Where only the worlds of one game are drawn
otherwise, `Game.worlds_version` is raised instead."""
MAX_WORLDS = 100_000
POLICY = "policy"
"""The name of the checkpoint itself among rivals."""


@dataclass(frozen=True)
class SearchSettings:
    """What a search of a policy spends and trusts. Returns are in units of `Game.lowest_return`."""

    worlds: int = 64
    """K, worlds that are played out; four times as many are drawn and weighted."""
    rivals: tuple[str, ...] = (POLICY,)
    """Who may sit in the other seats, alike likely at first: `policy`, and scripted bots by name."""
    mode: Mode = "strong"
    """`strong` takes the best action, `safe` draws from the policy after a smaller step, which others can exploit
    less."""
    tau: float | None = None
    """The temperature of the step; None: 0.1 in strong mode, 0.3 in safe mode."""
    lam: float | None = None
    """Of the lambda-return; None: 0.7, or 0.9 where a rival is another than the policy, whose values then mislead."""
    least: float = 0.02
    """Actions less likely than this are not looked at."""
    most: int = 8
    """At most so many actions are looked at."""
    memory: int = 16
    """So many of the latest decisions of each seat tell of the world, all where that costs little, as in Heimlich
    & Co. without cards; 0: worlds are taken as they are drawn."""
    slip: float = 0.002
    """How often a policy is taken to do anything legal instead."""
    bot_slip: float = 0.1
    """The same of a bot."""
    precision: SearchPrecision = "float32"
    """What the networks compute in. float32 is exact enough that only near-equal actions depend on the processor.
    bfloat16 is up to four times faster where the processor or GPU has instructions for it; elsewhere it is emulated,
    which is slower than float32. It rounds coarsely, so it is another player."""
    effective: float = 1 / 16
    """The effective number of worlds, in units of `worlds`, below which weights are flattened. Flattening costs
    strength, so it only keeps a handful."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "worlds", plain(self.worlds))
        if isinstance(self.worlds, bool) or not isinstance(self.worlds, int) or not 1 <= self.worlds <= MAX_WORLDS:
            raise ValueError(f"a search plays out 1 to {MAX_WORLDS} worlds, as in +search:64, not {shown(self.worlds)}")
        if self.mode not in get_args(Mode):
            raise ValueError(f"the mode of a search is {' or '.join(get_args(Mode))}, not {shown(self.mode)}")
        if self.precision not in get_args(SearchPrecision):
            known = " or ".join(get_args(SearchPrecision))
            raise ValueError(f"the precision of a search must be {known}, not {shown(self.precision)}")
        if not self.rivals or len(set(self.rivals)) < len(self.rivals):
            raise ValueError(
                f"the rivals of a search are different names, as in rivals=policy|expert, not {shown(self.rivals)}"
            )

    @property
    def step_tau(self) -> float:
        """The temperature of the step, in units of the largest payoff."""
        return (0.1 if self.mode == "strong" else 0.3) if self.tau is None else self.tau

    @property
    def step_lam(self) -> float:
        """Lambda."""
        return (0.7 if self.rivals == (POLICY,) else 0.9) if self.lam is None else self.lam

    @property
    def horizon(self) -> int | None:
        """Decisions after which a value counts for less than a hundredth, so that the rest is not played."""
        h = 1
        while self.step_lam**h >= 0.01 and h <= 64:
            h += 1
        return h if h <= 64 else None

    @property
    def name(self) -> str:
        """As `read_settings` takes it."""
        rivals = "" if self.rivals == (POLICY,) else f",rivals={'|'.join(self.rivals)}"
        mode = "" if self.mode == "strong" else f",mode={self.mode}"
        return f"{self.worlds}{rivals}{mode}{'' if self.precision == 'float32' else f',precision={self.precision}'}"


def read_settings(game: Game, text: str) -> SearchSettings:
    """What `64,rivals=policy|expert,mode=safe,precision=bfloat16` says; ValueError, of one line, for anything else."""
    budget, *rest = text.split(",")
    if not budget.isdecimal() or len(budget) > 9:
        raise ValueError(f"a search plays out 1 to {MAX_WORLDS} worlds, as in +search:64, not {shown(budget)}")
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
        if rival != POLICY and rival not in game.bots:
            known = ", ".join([POLICY, *game.bots])
            raise ValueError(f"no rival {shown(rival)} of a search: {game.id} knows {known}")
    mode, precision = given.get("mode", "strong"), given.get("precision", "float32")
    return SearchSettings(int(budget), rivals, mode, precision=precision)  # type: ignore[arg-type]
