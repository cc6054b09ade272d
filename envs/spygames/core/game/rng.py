"""Random streams of games and players (SplitMix64), and seeds.

The stream of a game is in its state (field `rng`), so a copied game repeats the same chance events.

SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from hashlib import blake2b

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.basics.whole_numbers import is_whole
from spygames.core.compiling.kernel import Int, Record, kernel

__all__ = [
    "as_seed", "below", "derived_seed", "draw_seed", "given_seed", "mix", "next_seed", "random_action", "shuffle",
    "uniform",
]  # fmt: skip

GAMMA = np.uint64(0x9E3779B97F4A7C15)


@kernel
def mix(z: np.uint64) -> np.uint64:
    """Apply the output function of SplitMix64: a bijection of uint64 that scatters neighboring values."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def next_seed(seed: np.uint64) -> np.uint64:
    """Return the seed of the game that follows the game of `seed` wherever games restart automatically."""
    return mix(seed + GAMMA)


@kernel
def below(s: Record, n: Int) -> Int:
    """Draw an integer 0..n-1 (n at most 2^32, multiply-shift) and advance `s.rng`."""
    s.rng += GAMMA
    return np.int64(((mix(s.rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def shuffle(s: Record, items: np.ndarray, n: Int) -> None:
    """Shuffle the first `n` items in place (Fisher-Yates) and advance `s.rng`."""
    for i in range(n - 1, 0, -1):
        j = below(s, i + 1)
        items[i], items[j] = items[j], items[i]


@kernel
def uniform(rng: np.ndarray, n: Int) -> Int:
    """Draw an integer 0..n-1 (n at most 2^32, multiply-shift) and advance `rng`, uint64 [1]."""
    rng[0] += GAMMA
    return np.int64(((mix(rng[0]) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def draw_seed(rng: np.ndarray) -> np.uint64:
    """Draw a seed, 0..2^64-1, and advance `rng`, uint64 [1]. The seed is made of the upper halves of two draws.

    The stream can be recovered from the seed in 2^32 trials. Therefore use separate streams (`derived_seed`) for seeds
    that a player gets and for what it must not know.
    """
    rng[0] += GAMMA
    upper = mix(rng[0]) >> np.uint64(32)
    rng[0] += GAMMA
    return (upper << np.uint64(32)) | (mix(rng[0]) >> np.uint64(32))


@kernel
def random_action(mask: np.ndarray, rng: np.ndarray) -> Int:
    """Draw a legal action (mask int8 [A]) uniformly; -1 if there is none. Advances `rng`, uint64 [1]."""
    left = 0
    for action in range(len(mask)):
        left += mask[action]
    left = uniform(rng, left)
    for action in range(len(mask)):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return -1


def derived_seed(seed: object, purpose: str) -> np.uint64:
    """Derive a seed, 0..2^64-1, by a one-way hash (BLAKE2b); each purpose gives a different one.

    A derived seed does not reveal `seed`, except by a search through all its possible values.

    Raises:
        ValueError: `seed` is invalid; see `given_seed`.
    """
    data = int(given_seed(seed)).to_bytes(8, "little")
    return np.uint64(int.from_bytes(blake2b(data, digest_size=8, person=purpose.encode()).digest(), "little"))


def as_seed(seed: object) -> np.uint64:
    """Check a seed as `given_seed` does; None draws one from the system's entropy."""
    return np.random.SeedSequence().generate_state(1, np.uint64)[0] if seed is None else given_seed(seed)


def given_seed(seed: object) -> np.uint64:
    """Return a seed, an integer from 0 to 2^64 - 1, as uint64.

    Raises:
        ValueError: `seed` is something else.
    """
    if not is_whole(seed) or not 0 <= seed < 2**64:
        raise ValueError(f"seed must be an integer from 0 to 2**64 - 1, not {shown(seed)}")
    return np.uint64(seed)
