"""The pages about learners show the figures of their files, and the files contain what the studies promise."""

import pytest
from studies import baselines

from spygames_training.networks.actor_critic import ActorCritic


def between(text: str, begin: str, end: str) -> str:
    return text.partition(begin)[2].partition(end)[0].strip()


def test_the_page_of_baselines_shows_its_file() -> None:
    page = (baselines.DOCS / "results" / "baselines.md").read_text(encoding="utf-8")
    assert between(page, baselines.BEGIN, baselines.END).endswith(baselines.table(baselines.read()).strip())


def test_baselines_are_measured_at_equal_cpu_time() -> None:
    """A measured game is measured for all learners."""
    found = baselines.read()
    measured = {name.partition("/")[0] for name in found}
    assert "agent_avenue_2" in measured <= baselines.GAMES.keys()
    for game in measured:
        spent = [found[f"{game}/{way}"]["rows"][-1]["cpu_seconds"] for way in baselines.WAYS]
        assert max(spent) < 1.1 * min(spent)


def test_a_curve_counts_cpu_time_and_stops_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner takes four CPU seconds per update. Marks that fall together get one row."""
    game = baselines.GAMES["agent_avenue_2"]
    clock, asked = [0.0], []

    def learner(played: baselines.Played, seed: int) -> baselines.Steps:
        network = ActorCritic(160, 74, (8,))
        while True:
            clock[0] += 4.0
            asked.append(seed)
            yield 100 * len(asked), network

    monkeypatch.setattr(baselines, "cpu_seconds", lambda: clock[0])
    monkeypatch.setitem(baselines.WAYS, "ours", ("", learner))
    rows = [*baselines.curve("ours", game, minutes=0.4, games=2, seed=7)]
    assert [row["cpu_seconds"] for row in rows] == [4, 8, 12, 24]  # limit: 24 seconds; the first update is not counted
    assert [row["decisions"] for row in rows] == [200, 300, 400, 700]
    assert set(asked) == {7}
    assert all(row["win_share"].keys() == set(baselines.ANCHORS) for row in rows)
