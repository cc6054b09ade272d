"""Inference of hidden information, and of the rivals' policies, from the rivals' past decisions.

Worlds are drawn as if the rivals had not decided anything yet (`Game.determinize`). They are weighted by the likelihood
of the rivals' decisions in them. This is policy-based inference (Rebstock, Solinas, Buro, Sturtevant, "Policy based
inference in trick-taking card games", arXiv 1905.10911). SPARTA uses it for cooperative games (Lerer and others, arXiv
1912.02318). The policy of the rivals is inferred by Bayes' rule among given models.

Letters: j rivals, m worlds, t recorded decisions, A actions, u distinct rows.
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

MIN_ROWS = 2048
"""Minimum number of rows to evaluate per seat in games with strata. If a seat can distinguish only a few worlds, this
covers all its decisions."""
EARLIER_WORLDS = 64
"""Number of worlds for an earlier round, at the end of which little is hidden."""
MIN_LOG_LIKELIHOOD = -30.0
"""Minimum log-likelihood of one decision. It excludes a world in which the decision was illegal, unless this holds for
all worlds."""


@dataclass(frozen=True)
class Belief:
    """A seat's belief about the world and its rivals: weighted samples."""

    worlds: np.ndarray
    """STATE [m], with redrawn hidden parts."""
    weights: np.ndarray
    """float64 [j, m], the joint probability of each rival and world; of sum 1."""

    @property
    def rivals(self) -> np.ndarray:
        """The probability of each rival, float64 [j]."""
        return self.weights.sum(axis=1)

    def distribution(self, field: str) -> np.ndarray:
        """Return the probability of each value of a hidden field.

        Args:
            field: name of an integer field of STATE. For example `passports` of Heimlich & Co. gives the probability of
                each agent for each seat, float64 [seat, agent].

        Returns:
            float64 [..., v]: the field's shape, and one entry for each value from 0 to the highest value in any world.
            Negative values, such as NONE, have no entry.
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
    """Compute the belief of the seat to move.

    Args:
        game: the game.
        root: STATE [1]; the result does not depend on what the seat to move cannot know.
        noted: the decisions so far; None: unknown.
        partner: the model of the other seats of its side.
        rivals: the models that may play the other sides; their prior is uniform.
        draws: the source of randomness.
        m: number of worlds.
        memory: number of recent decisions per seat that are used as evidence. It is larger if a seat can distinguish
            only a few worlds (`log_likelihood`).
        least: minimum effective number of worlds, (sum w)^2 / (sum w^2). Below it the weights of a rival are flattened
            by the power 1/2, 1/4 and so on. 0: never.
    """
    seat = int(root["to_move"][0])
    worlds = draws.worlds(root, seat, m)
    likelihood, earlier = np.zeros((len(rivals), len(worlds))), []
    if noted is not None and game.rewind is not None:
        present, earlier = in_reach(game, root, noted)
        likelihood = _likelihood(game, worlds, root, present, seat, partner, rivals, draws, memory)
    evidence = _log_mean(likelihood)
    for part in earlier if len(rivals) > 1 else ():  # earlier rounds are evidence about the rivals' models
        end, before = part.states[-1:], Noted(part.states[:-1], part.actions[:-1])
        then = draws.worlds(end, seat, EARLIER_WORLDS)
        evidence += _log_mean(_likelihood(game, then, end, before, seat, partner, rivals, draws, memory))
    share = np.exp(evidence - evidence.max())
    weights = np.stack([flattened(row, least) for row in likelihood])
    return Belief(worlds, weights * (share / share.sum())[:, None])


def in_reach(game: Game, root: np.ndarray, noted: Noted) -> tuple[Noted, list[Noted]]:
    """Split the recorded decisions at the points that `rewind` cannot cross (`Game.rewind_within`).

    Returns:
        The decisions that can be rewound to from `root`, STATE [1]; and the earlier parts of the game, such as rounds.
        Each part can be rewound from its own end.
    """
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
    """Return the log-probability of the decisions of all seats except `seat`, as `log_likelihood`."""
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
    """Resample a belief of a game with strata to about `n` worlds.

    Each stratum appears in proportion to its probability, with everything else that is hidden drawn again. Otherwise
    one likely stratum would always come with the same hand, as if that hand were certain.
    """
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
    """Return the log-probability of past decisions of a seat, in each world and by each rival, float64 [j, m].

    Worlds are drawn card by card, so the probability of a decision is divided by the number of its ways (`Game.ways`).
    At most `memory` informative decisions count; in games with strata, as many as make up `MIN_ROWS` rows if these are
    more.

    Args:
        game: the game.
        worlds: STATE [m], drawn for `viewer` from `now`.
        now: STATE [1].
        viewer: the seat whose belief it is.
        past: decisions of `seat`, the newest first.
        seat: the seat that decided.
        rivals: models of `seat`.
        draws: the source of randomness.
        memory: maximum number of decisions; see above.
    """
    world_of = None
    if game.determinize_stratum is not None:  # then many worlds look the same to this seat
        first, world_of = distinguishable(game, worlds, seat)
        worlds = worlds.take(first)
        memory = max(memory, MIN_ROWS // len(worlds))
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
        log_told(logits, mask, place, told, counted, rival.slip, MIN_LOG_LIKELIHOOD, found[j])
    likelihood = found.reshape(-1, t, m).sum(axis=1)
    return likelihood if world_of is None else likelihood[:, world_of]


def distinguishable(game: Game, worlds: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the worlds that `seat` can distinguish.

    Returns:
        int64 [u], for each distinct view the index of a world that shows it; and int64 [m], for each world the index of
        its view among the distinct ones.
    """
    views = game.new_views(len(worlds))
    loops_of(game).show_seat(worlds, seat, views)
    return differing_rows(views, np.zeros((len(worlds), 0), np.int8))


def differing_rows(views: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the distinct rows of `views`, VIEW [r], and `mask`, int8 [r, A].

    Returns:
        int64 [u], indices of the distinct rows; and int64 [r], for each row the index of the equal one among these.
    """
    r = len(views)
    first, place = np.empty(r, np.int64), np.empty(r, np.int64)
    slots = np.empty(1 << (2 * r).bit_length(), np.int64)
    words = flat(views).view(np.uint32 if views.dtype.itemsize % 8 else np.uint64)
    differ = int(same_rows(words, mask, slots, first, place))
    return first[:differ], place


def flattened(likelihood: np.ndarray, least: float) -> np.ndarray:
    """Return the probabilities of worlds, float64 [m], from log-likelihoods [m], flattened as `believe` describes."""
    power = 1.0
    while True:
        weights = np.exp(power * (likelihood - likelihood.max()))
        weights /= weights.sum()
        if 1 / (weights**2).sum() >= min(least, len(weights)) * (1 - 1e-9):
            return weights
        power /= 2


def _log_mean(x: np.ndarray) -> np.ndarray:
    """Return log(mean(exp(x))) of each row."""
    top = x.max(axis=1)
    return top + np.log(np.exp(x - top[:, None]).mean(axis=1))
