"""What the rivals' past decisions tell of what they hide, and of who they are.

Worlds are drawn as if the rivals had done nothing yet (`Game.determinize`) and weighted by how likely their decisions
were in them: policy-based inference (Rebstock, Solinas, Buro, Sturtevant, "Policy based inference in trick-taking card
games", arXiv 1905.10911), as SPARTA has it for cooperation (Lerer and others, arXiv 1912.02318). Who sits there is
found by Bayes' rule among models that may.

Letters: j rivals, m worlds, t decisions that were noted, A actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spygames.core.game.game import Game, flat
from spygames.core.players.history import Noted
from spygames_training.search.array_kernels import log_told, same_rows
from spygames_training.search.draws import Draws
from spygames_training.search.loops import loops_of
from spygames_training.search.models import Model, Rival

ROWS = 2048
"""So many views of a seat are always asked about, where it can tell few worlds apart: all its decisions then."""
EARLIER = 64
"""Worlds of an earlier round, at whose end little is hidden any more."""
LEAST = -30.0
"""The least log-likelihood of one decision: a world in which it was illegal is out, unless all are."""


@dataclass(frozen=True)
class Belief:
    """What a seat believes about the world and its rivals."""

    worlds: np.ndarray
    """STATE [m], whose hidden parts are redrawn."""
    weights: np.ndarray
    """float64 [j, m], the probability of each rival with each world; of sum 1."""

    @property
    def rivals(self) -> np.ndarray:
        """The probability of each rival, float64 [j]."""
        return self.weights.sum(axis=1)

    def distribution(self, field: str) -> np.ndarray:
        """How likely each value of something hidden is.

        Args:
            field: of STATE, of whole numbers: `passports` of Heimlich & Co., say, which gives the probability of each
                agent for each seat, float64 [seat, agent].

        Returns:
            float64 [..., v]: the shape of the field, and a place for each value from 0 to the highest one that a world
            has. What is negative, as NONE is, has no place.
        """
        values, weights = self.worlds[field].astype(np.int64), self.weights.sum(axis=0)
        chances = [weights @ (values.reshape(len(weights), -1) == v) for v in range(max(int(values.max()), 0) + 1)]
        return np.stack(chances, axis=-1).reshape(*values.shape[1:], -1)


def believe(
    game: Game,
    root: np.ndarray,
    noted: Noted | None,
    partner: Model,
    rivals: Sequence[Rival],
    draws: Draws,
    m: int,
    memory: int,
    least: float = 0.0,
) -> Belief:
    """The belief of the seat to move.

    Args:
        game: what is played.
        root: STATE [1]; what its seat cannot know makes no difference.
        noted: the decisions so far; None: nothing is known of them.
        partner: the model of the seats of its own side.
        rivals: who may play all other seats, alike likely at first.
        draws: what is drawn.
        m: worlds.
        memory: so many of the latest decisions of each seat tell of the world; more, where a seat can tell few worlds
            apart (`log_likelihood`).
        least: the effective number of worlds, (sum w)^2 / (sum w^2), below which the weights of a rival are flattened:
            to the power of 1/2, 1/4 and so on. 0: never.
    """
    seat = int(root["to_move"][0])
    worlds = draws.worlds(root, seat, m)
    likelihood, earlier = np.zeros((len(rivals), len(worlds))), []
    if noted is not None and game.rewind is not None:
        present, earlier = in_reach(game, root, noted)
        likelihood = _likelihood(game, worlds, root, present, seat, partner, rivals, draws, memory)
    evidence = _log_mean(likelihood)
    for part in earlier if len(rivals) > 1 else ():  # it still tells who sits there
        end, before = part.states[-1:], Noted(part.states[:-1], part.actions[:-1])
        then = draws.worlds(end, seat, EARLIER)
        evidence += _log_mean(_likelihood(game, then, end, before, seat, partner, rivals, draws, memory))
    share = np.exp(evidence - evidence.max())
    weights = np.stack([flattened(row, least) for row in likelihood])
    return Belief(worlds, weights * (share / share.sum())[:, None])


def in_reach(game: Game, root: np.ndarray, noted: Noted) -> tuple[Noted, list[Noted]]:
    """Those of the noted decisions that can be rewound to from `root`, STATE [1]; and the parts of the game before
    them, such as earlier rounds (`Game.rewind_within`), each of which can be rewound from its own end."""
    if not game.rewind_within:
        return noted, []
    values = np.append(noted.states[game.rewind_within], root[game.rewind_within])
    cuts = np.append(np.flatnonzero(np.diff(values)) + 1, len(noted.actions))
    first = np.concatenate([[0], cuts[:-1]])
    parts = [Noted(noted.states[lo:hi], noted.actions[lo:hi]) for lo, hi in zip(first, cuts, strict=True) if lo < hi]
    if parts and parts[-1].states[game.rewind_within][-1] == root[game.rewind_within][0]:
        return parts[-1], parts[:-1]
    return Noted(noted.states[:0], noted.actions[:0]), parts


def _likelihood(
    game: Game,
    worlds: np.ndarray,
    now: np.ndarray,
    noted: Noted,
    seat: int,
    partner: Model,
    rivals: Sequence[Rival],
    draws: Draws,
    memory: int,
) -> np.ndarray:
    """Log-probability of the decisions of all other seats than `seat`, as `log_likelihood`."""
    found, side = np.zeros((len(rivals), len(worlds))), game.side_of[seat]
    for other in range(game.num_players):
        if other != seat:
            mine = np.flatnonzero(noted.states["to_move"] == other)[::-1]
            models = [Rival("partner", partner, rivals[0].slip)] if game.side_of[other] == side else rivals
            if len(mine):
                past = Noted(noted.states.take(mine), noted.actions[mine])
                found += log_likelihood(game, worlds, now, seat, past, other, models, draws, memory)
    return found


def redrawn(game: Game, belief: Belief, root: np.ndarray, draws: Draws, n: int) -> Belief:
    """The same belief of a game that has strata, with about `n` worlds, a stratum as often as it is likely, in which
    all else that is hidden is drawn anew: one likely stratum would else bring along one hand as if it were certain."""
    likely = belief.weights.sum(axis=0)
    copies = np.where(likely > 0, np.maximum(np.rint(n * likely), 1), 0).astype(np.int64)
    which = np.repeat(np.arange(len(likely)), copies)
    worlds = draws.anew(root, int(root["to_move"][0]), belief.worlds, which)
    return Belief(worlds, belief.weights[:, which] / copies[which])


def log_likelihood(
    game: Game,
    worlds: np.ndarray,
    now: np.ndarray,
    viewer: int,
    past: Noted,
    seat: int,
    rivals: Sequence[Rival],
    draws: Draws,
    memory: int,
) -> np.ndarray:
    """Log-probability of decisions of `seat` in `past`, the newest first, in each world by each rival, float64 [j, m].

    Worlds are drawn card by card, so each decision counts with the probability of one of its ways (`Game.ways`). Of
    the decisions that tell anything at most `memory` count, or so many that they make up `ROWS` rows. `worlds` were
    drawn for `viewer` from `now`, STATE [1].
    """
    world_of = None
    if game.determinize_stratum is not None:  # then many worlds are one to this seat
        first, world_of = told_apart(game, worlds, seat)
        worlds = worlds.take(first)
        memory = max(memory, ROWS // len(worlds))
    t, m, actions = min(len(past.actions), memory), len(worlds), game.num_actions
    views, mask, told = (
        np.zeros((t, m), game.view_dtype),
        np.zeros((t, m, actions), np.int8),
        np.zeros((t, m), np.int64),
    )
    counted = np.ones((t, m))
    undo = loops_of(game).rewind
    assert undo is not None
    t = int(
        undo(worlds.copy(), now, viewer, past.states, past.actions, seat, draws.streams(m), views, mask, told, counted)
    )
    if not t:
        return np.zeros((len(rivals), m if world_of is None else len(world_of)))
    views, mask, told = views[:t].reshape(-1), mask[:t].reshape(-1, actions), told[:t].reshape(-1)
    counted = counted[:t].reshape(-1)
    first, place = differing_rows(views, mask)
    views, mask, differ = views.take(first), mask[first], len(first)
    found = np.empty((len(rivals), t * m))
    for j, rival in enumerate(rivals):
        logits, _ = rival.model.ask(views, mask, draws.streams(differ), values=False)
        log_told(logits, mask, place, told, counted, rival.slip, LEAST, found[j])
    likelihood = found.reshape(-1, t, m).sum(axis=1)
    return likelihood if world_of is None else likelihood[:, world_of]


def told_apart(game: Game, worlds: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray]:
    """Those of `worlds`, STATE [m], that `seat` can tell apart, int64 [u]; and for each world, which of them it takes
    it for, int64 [m]."""
    views = game.new_views(len(worlds))
    loops_of(game).show_seat(worlds, seat, views)
    return differing_rows(views, np.zeros((len(worlds), 0), np.int8))


def differing_rows(views: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of `views`, VIEW [r], and `mask`, int8 [r, A], that differ, int64 [u]; and for each row, which of them
    it is like, int64 [r]."""
    r = len(views)
    first, place = np.empty(r, np.int64), np.empty(r, np.int64)
    slots = np.empty(1 << (2 * r).bit_length(), np.int64)
    words = flat(views).view(np.uint32 if views.dtype.itemsize % 8 else np.uint64)
    differ = int(same_rows(words, mask, slots, first, place))
    return first[:differ], place


def flattened(likelihood: np.ndarray, least: float) -> np.ndarray:
    """Probabilities of worlds, float64 [m], from their log-likelihoods [m], flattened as far as `believe` says."""
    power = 1.0
    while True:
        weights = np.exp(power * (likelihood - likelihood.max()))
        weights /= weights.sum()
        if 1 / (weights**2).sum() >= min(least, len(weights)) * (1 - 1e-9):
            return weights
        power /= 2


def _log_mean(x: np.ndarray) -> np.ndarray:
    """log(mean(exp(x))) of each row."""
    top = x.max(axis=1)
    return top + np.log(np.exp(x - top[:, None]).mean(axis=1))
