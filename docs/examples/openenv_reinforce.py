"""A tiny policy in the place of a language model: it reads the texts of an OpenEnv server and learns from its rewards.

    python openenv_reinforce.py               # 3,840 games of training, then 2,000 of evaluation
    python openenv_reinforce.py 640 200 URL   # other numbers of games, and a server that runs already

The policy sees nothing but the texts: it reads numbers from them, gives each legal action a score, which is linear in
these numbers, and answers in the grammar. REINFORCE with groups: each deal is played four times from the same seat, and
the advantage of a game is its result minus the mean of its group.
"""

import asyncio
import itertools
import re
import sys
import threading
import time

import numpy as np
import uvicorn
from openenv.core import GenericEnvClient

from spygames import make_game
from spygames.openenv import make_app
from spygames.text import deals

GROUP, GROUPS = 4, 16  # games of a deal and seat, and groups of an update
RATE = 0.05
TRAINING, EVALUATION = 1, 27112611  # seeds of the deals

OUTCOME = 9
PLAY, RECRUIT, DISCARD = slice(0, 27), slice(27, 36), slice(36, 41)
FEATURES = 41


class Reading:
    """What a question says, as numbers."""

    def __init__(self, text: str) -> None:
        lead = re.search(r"^(You|They|Nobody) leads?(?: by (\d+))?", text, re.MULTILINE)
        assert lead is not None
        self.lead = int(lead[2] or 0) * (-1 if lead[1] == "They" else 1)
        self.gains: dict[str, np.ndarray] = {}
        """By agent: spaces moved, wins and loses with the next copy; [2, 3] of this side and the other one."""
        for name, own, other in re.findall(r"^- ([a-z ]+): \d+, \d+; next (.+), (.+)$", text, re.MULTILINE):
            self.gains[name] = np.array([read_gain(own), read_gain(other)])
        shown = re.search(r"by the other side: ([a-z ]+) face up", text)
        self.shown = shown[1] if shown else ""

    def outcome(self, own: str, other: str) -> np.ndarray:
        """What it means if this side gets one agent and the other side another one; "" is an unknown agent."""
        mine, theirs = (self.gains[name][side] if name else np.zeros(3) for side, name in enumerate((own, other)))
        moved = mine[0] - theirs[0]
        return np.array([
            moved / 3,
            self.lead + moved >= 7,
            self.lead + moved <= -7,
            mine[1] + theirs[2],
            mine[2] + theirs[1],
            own == "codebreaker",
            own == "daredevil",
            other == "codebreaker",
            other == "daredevil",
        ])  # fmt: skip

    def features(self, action: str) -> np.ndarray:
        """The numbers of an action."""
        found, kind = np.zeros(FEATURES), action.split()[0]
        cards = re.findall("|".join(self.gains), action.replace("_", " "))
        if kind == "play":
            up, down = cards
            taken, left = self.outcome(down, up), self.outcome(up, down)
            found[PLAY] = np.concatenate([taken, left, np.minimum(taken, left)])
        elif kind == "recruit":
            found[RECRUIT] = self.outcome(self.shown, "") if action.endswith("up") else self.outcome("", self.shown)
        else:
            (card,) = cards
            own, other = self.gains[card]
            found[DISCARD] = [1, own[0] / 3, other[0] / 3, card == "codebreaker", card == "daredevil"]
        return found


def read_gain(text: str) -> list[float]:
    """Read `+2`, `0 and wins` or `none left`."""
    number = re.match(r"[+-]?\d+", text)
    return [float(number[0]) if number else 0.0, "wins" in text, "loses" in text]


class Policy:
    """A softmax over the legal actions, with scores that are linear in their features; learned by Adam."""

    def __init__(self, seed: int) -> None:
        self.rng, self.weights = np.random.default_rng(seed), np.zeros(FEATURES)
        self.mean, self.square, self.updates = np.zeros(FEATURES), np.zeros(FEATURES), 0

    def act(self, text: str, greedy: bool) -> tuple[str, np.ndarray]:
        """Return the answer to a question, and the gradient of the logarithm of its probability."""
        legal = re.findall(r"^- (.+)$", text.partition("Your legal actions:\n")[2], re.MULTILINE)
        reading = Reading(text)
        features = np.array([reading.features(action) for action in legal])
        scores = features @ self.weights
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        chosen = int(scores.argmax()) if greedy else int(self.rng.choice(len(legal), p=chances))
        return f'{{"action": "{legal[chosen]}"}}', features[chosen] - chances @ features

    def learn(self, gradient: np.ndarray) -> None:
        """Make one step up the gradient."""
        self.updates += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.99 * self.square + 0.01 * gradient**2
        mean, square = self.mean / (1 - 0.9**self.updates), self.square / (1 - 0.99**self.updates)
        self.weights += RATE * mean / (np.sqrt(square) + 1e-8)


async def play(url: str, policy: Policy, games: list[tuple[int, int]], greedy: bool) -> list[tuple[float, np.ndarray]]:
    """Play games, pairs of a deal and a seat, in GROUPS sessions; return the result and the gradient of each."""
    found: list[tuple[float, np.ndarray]] = [(0.0, np.zeros(FEATURES))] * len(games)
    todo = iter(range(len(games)))

    async def session() -> None:
        async with GenericEnvClient(base_url=url) as env:
            for number in todo:
                deal, seat = games[number]
                result, gradient = await env.reset(seed=deal, seat=seat), np.zeros(FEATURES)
                while not result.done:
                    answer, part = policy.act(result.observation["text"], greedy)
                    result, gradient = await env.step({"action": answer}), gradient + part
                found[number] = (result.reward, gradient)

    await asyncio.gather(*(session() for _ in range(GROUPS)))
    return found


async def train(url: str, policy: Policy, games: int) -> None:
    """Train on about `games` games, and print how the policy does."""
    begun, wins = time.process_time(), []
    sides = ((deal, seat) for deal in deals(TRAINING) for seat in range(2))
    for update in range(games // (GROUP * GROUPS)):
        groups = list(itertools.islice(sides, GROUPS))
        found = await play(url, policy, [side for side in groups for _ in range(GROUP)], greedy=False)
        results = np.array([result for result, _ in found]).reshape(GROUPS, GROUP)
        advantages = results - results.mean(1, keepdims=True)
        policy.learn(advantages.ravel() @ np.array([gradient for _, gradient in found]) / len(found))
        wins.append((results > 0).mean())
        if update % 10 == 9:
            print(f"{(update + 1) * GROUP * GROUPS} games: won {np.mean(wins[-10:]):.1%} of the last 640", flush=True)
    print(f"{time.process_time() - begun:.0f} s of CPU time")


async def evaluate(url: str, policy: Policy, games: int) -> float:
    """Return the share of games won, on deals that the policy has not seen, each from both seats."""
    sides = ((deal, seat) for deal in deals(EVALUATION) for seat in range(2))
    found = await play(url, policy, list(itertools.islice(sides, games)), greedy=True)
    return float(np.mean([result > 0 for result, _ in found]))


def serve() -> str:
    """Start a server in this process and return its URL."""
    app = make_app(make_game("agent_avenue_v0"), "random")
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


async def main(games: int = 3_840, evaluation: int = 2_000, url: str = "") -> None:
    """Train and evaluate."""
    url, policy = url or serve(), Policy(seed=1)
    print(f"before: {await evaluate(url, policy, evaluation // 10):.3f}", flush=True)
    await train(url, policy, games)
    print(f"random {await evaluate(url, policy, evaluation):.3f}")


if __name__ == "__main__":
    given = sys.argv[1:]
    asyncio.run(main(*map(int, given[:2]), *given[2:]))
