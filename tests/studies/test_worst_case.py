"""The study of the worst case: its learners, resuming after a stop, the page, and the rows of cards."""

import copy
import json
import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from studies import agent_figures
from studies import worst_case as study
from studies import worst_case_page as pages
from studies.card import main as write_card
from studies.figures import read_figures

import spygames
from spygames.core.players.names import PlayerName, make_player
from spygames.core.players.released import FIRST, SAFE, find_agent
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.config import PPO, Network
from spygames_training.evaluation.kept_games import KeptGames
from spygames_training.experiments import best_response
from spygames_training.networks.actor_critic import make_network
from spygames_training.runs import report
from spygames_training.runs.run import Run

RESULTS = Path(__file__).parents[2] / "docs" / "results"
SMALL = ["--decisions", "512", "--games", "5", "--worlds", "2", "--workers", "1"]
"""5 games are 6: whole deals, each played from both sides."""

WAYS = ("sample", "argmax", "search")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An untrained agent; updates have 256 decisions, and the entries are kept in the test's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(best_response, "PPO", partial(PPO, games=32, steps=8, minibatch=64))
    monkeypatch.setattr(report, "plot_curves", lambda rows, path, play="": path)  # slow, and not tested here
    monkeypatch.setattr(pages, "FILE", tmp_path / "entries.json")
    torch.manual_seed(0)
    game = spygames.make_game("agent_avenue_v0")
    save_checkpoint(tmp_path / "green", game, make_network(game, Network((16,))), 7)
    return tmp_path / "green"


def measure(agent: object, *more: str) -> int:
    return study.main([str(agent), *SMALL, "--file", str(pages.FILE), *more])


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_all_learners_are_measured_and_the_page_and_card_show_the_worst(
    agent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs" / "results"
    docs.mkdir(parents=True)
    shutil.copy(RESULTS / "worst_case.md", docs)
    assert measure(agent, "--seeds", "2", "--seed", "5", "--docs", str(docs)) == 0
    (entry,) = json.loads(pages.FILE.read_text())
    assert (entry["agent"], entry["decisions"], len(entry["learners"])) == ("green@sample", 7, 2)
    assert [learner["seed"] for learner in entry["learners"]] == [5, 6]
    for learner in entry["learners"]:
        assert (learner["decisions"], learner["worlds"], len(learner["curve"])) == (512, 2, 4)
        assert {learner[how]["games"] for how in WAYS} == {6}
    assert (entry["unaware"]["player"], entry["unaware"]["games"]) == ("agent_avenue/simple-2-first@sample+search:2", 6)
    runs = sorted(tmp_path.glob("runs/worst_case/*/*"))
    assert [run.name for run in runs] == ["5", "6"]
    for run in runs:  # from the agent's own weights, against the agent alone
        config = json.loads((run / "run.json").read_text())
        assert config["start_from"] == str(agent)
        assert config["opponents"]["bots"] == [f"{agent}@sample"]
    before = pages.FILE.read_bytes()
    with monkeypatch.context() as patched:  # the file has it, so nothing is trained or played again
        patched.setattr(study.Study, "_learned", interrupted)
        patched.setattr(study.Study, "_unaware", interrupted)
        assert measure(agent, "--seeds", "2", "--seed", "5") == 0
        assert "entries.json already has this measurement of green@sample" in capsys.readouterr().out
        assert measure(agent, "--seeds", "2", "--seed", "6") == 130
    assert pages.FILE.read_bytes() == before
    learner, how = pages.worst(entry)
    text = (docs / "worst_case.md").read_text()
    assert pages.page([entry]) in text
    assert f"| **{100 * learner[how]['win_share']:.1f} (" in text
    for name in pages.PICTURES:
        assert (docs.parent / "images" / name).stat().st_size > 1000

    measured = agent_figures.Measured(agent, load_checkpoint(agent), "green", agent_figures.SEED, 0.004)
    for _ in range(2):  # the row is replaced
        for play in ("sample", "argmax"):
            measured._learner(play)
    (row,) = read_figures(agent / "figures.json", load_checkpoint(agent)).adversaries
    assert row == pages.adversary(entry)
    assert (row.play, row.win_share, len(row.curve)) == ("sample", learner[how]["win_share"], 4)
    assert write_card([str(agent), "--out", str(tmp_path / "card.md")]) == 0
    card = (tmp_path / "card.md").read_text()
    assert "which started from the agent's own weights" in card
    assert "512 own decisions, the worst of 2 seeds" in card
    assert "](adversary.svg)" in card
    assert (tmp_path / "adversary.svg").stat().st_size > 1000


def test_a_learner_with_another_budget_is_refused_before_it_is_trained(
    agent: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "measure", interrupted)
    assert measure(agent, "--seeds", "1") == 130
    monkeypatch.setattr(Run, "train", interrupted)
    assert measure(agent, "--seeds", "1") == 130  # it resumes
    capsys.readouterr()
    assert measure(agent, "--seeds", "1", "--decisions", "1024") == 2
    assert "a learner of 512 decisions and seed 71526903, not 1,024 and 71526903: move it" in capsys.readouterr().err
    (folder,) = Path("runs/worst_case").glob("*/71526903")
    folder.rename(folder.with_name("5"))
    assert measure(agent, "--seeds", "1", "--seed", "5") == 2
    assert "a learner of 512 decisions and seed 71526903, not 512 and 5: move it away" in capsys.readouterr().err
    assert measure(agent, "--seeds", "1", "--seed", "6", "--worlds", "100001") == 2
    assert "a search must play out 1 to 100000 worlds" in capsys.readouterr().err


@pytest.mark.slow
def test_it_resumes_and_keeps_budgets_apart(
    agent: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(study, "measure", interrupted)
        assert measure(agent, "--seeds", "1") == 130
    assert not pages.FILE.exists()
    trained = [*Path("runs").rglob("model.safetensors")]
    assert len(trained) == 1
    before = trained[0].read_bytes()
    assert measure(agent, "--seeds", "1") == 0
    assert trained[0].read_bytes() == before
    assert measure(agent, "--seeds", "1", "--games", "8") == 2
    assert "games, precision) (512, 2, 6, 'float32'), not (512, 2, 8, 'float32')" in capsys.readouterr().err


@pytest.mark.slow
def test_several_processes_play_the_same_games(agent: Path) -> None:
    assert measure(agent, "--seeds", "1") == 0
    one = json.loads(pages.FILE.read_text())
    pages.FILE.unlink()
    shutil.rmtree("runs")
    assert measure(agent, "--seeds", "1", "--jobs", "2") == 0
    assert json.loads(pages.FILE.read_text()) == one


@pytest.mark.slow
def test_a_mixture_has_a_worst_case(agent: Path) -> None:
    shutil.copytree(agent, "blue")
    options = ["--seeds", "1", "--play", "0.5", "--precision", "bfloat16"]
    assert measure("mix:./green@argmax|./blue", *options) == 0
    (entry,) = json.loads(pages.FILE.read_text())
    assert [learner["precision"] for learner in entry["learners"]] == ["bfloat16"]
    assert entry["unaware"]["player"].endswith("+search:2,precision=bfloat16")
    assert (entry["agent"], entry["decisions"]) == ("mix:green@argmax|blue@0.5", 14)
    (run,) = Path("runs/worst_case").glob("*/*/run.json")
    assert json.loads(run.read_text())["start_from"] == "./green"


def test_the_worst_result_has_the_highest_lower_end() -> None:
    low = {"win_share": 0.9, "interval": [0.4, 1.0], "games": 4}
    entry: dict[str, Any] = {"learners": [{"seed": 1, "sample": low, "argmax": low, "search": low}]}
    entry["learners"].append(copy.deepcopy(entry["learners"][0]) | {"seed": 2})
    entry["learners"][1]["argmax"] = {"win_share": 0.5, "interval": [0.45, 0.6], "games": 4}
    learner, how = pages.worst(entry)
    assert (learner["seed"], how) == (2, "argmax")


def test_a_search_in_bfloat16_says_so() -> None:
    found = {"win_share": 0.6, "interval": [0.5, 0.7], "games": 4}
    learner: dict[str, Any] = {"seed": 1, "decisions": 9, "worlds": 2, "fair_share": 0.5, "curve": []}
    learner |= dict.fromkeys(("sample", "argmax", "search"), found)
    learner["search"] = found | {"interval": [0.55, 0.65]}
    for more, text in (({}, "one seed; 2 worlds a decision"), ({"precision": "bfloat16"}, "decision in bfloat16")):
        row = pages.adversary({"agent": "green@sample", "learners": [learner | more]})
        assert row.budget.endswith(text)


def test_a_replaced_agent_is_marked_and_a_budget_is_named() -> None:
    """Names are kept when an agent is replaced; only the digest tells which one was measured."""
    entries = json.loads((RESULTS / "worst_case.json").read_text())
    mine = [entry for entry in entries if entry["agent"] == "agent_avenue/simple-2@argmax"]
    marks = [(entry["digest"], pages.replaced(entry)) for entry in mine]
    released = find_agent("agent_avenue/simple-2")
    assert released is not None
    digest = json.loads((released.folder / "figures.json").read_text())["digest"]
    assert {mark for found, mark in marks if found == digest} == {""}
    assert {mark for found, mark in marks if found != digest} == {", replaced"}
    assert pages.replaced({"agent": "green@sample", "digest": "0"}) == ""
    safe = next(entry for entry in entries if len(entry["learners"]) == 3)
    assert [text.rpartition(", ")[2] for text in pages.labels([mine[0], safe])] == ["10 M", "40 M x 3"]


def test_the_worst_of_the_largest_measurements_counts_and_the_page_has_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = json.loads((RESULTS / "worst_case.json").read_text())[0]
    second = copy.deepcopy(first)
    for seed, learner in enumerate(second["learners"], 5):
        learner["seed"] = seed
    second["learners"][2]["argmax"]["interval"] = [0.9, 1.0]
    quick = copy.deepcopy(second) | {"learners": [{**second["learners"][2], "seed": 9}]}  # a third of the decisions
    quick["learners"][0]["argmax"] = {**second["learners"][2]["argmax"], "interval": [0.95, 1.0]}
    monkeypatch.setattr(pages, "FILE", tmp_path / "entries.json")
    for entries, seed in (
        ([first, second, quick], 5),
        ([quick, second, first], 5),
        ([first, quick], first["learners"][0]["seed"]),
        ([quick], 9),
    ):
        pages.FILE.write_text(json.dumps(entries))
        found = pages.worst_entry(first["digest"], "sample")
        assert found is not None
        assert found["learners"][0]["seed"] == seed
        assert pages.worst_entry(first["digest"], "argmax") is None
        assert pages.that_count(entries) == [found]
    rows = [line for line in pages.page([first, second]).splitlines() if first["digest"] in line]
    assert ["seeds 5 to 7" in row for row in rows] == [True, False]
    other = copy.deepcopy(first) | {"digest": "0"}
    sampled = copy.deepcopy(quick) | {"agent": first["agent"].replace("@sample", "@0.5")}
    assert pages.that_count([first, sampled, other, quick, second]) == [sampled, other, second]
    mixed = [copy.deepcopy(quick) | {"agent": f"mix:a@sample|b@{play}"} for play in ("sample", "argmax")]
    assert pages.that_count(mixed) == mixed
    assert pages.labels([first, second])[1] == f"{pages.labels([second])[0]}, seed 5"


def learner(**changed: object) -> dict[str, object]:
    """A learner of an entry without a curve, which a very short training does not have."""
    figures = {"win_share": 0.6, "interval": [0.5, 0.7], "games": 4}
    found = {"seed": 1, "decisions": 9, "worlds": 2, "fair_share": 0.5}
    return found | dict.fromkeys(WAYS, figures) | changed


def entry_text(learner: object, **changed: object) -> str:
    """A file with one entry of one learner."""
    entry = {"date": "2026-11-01", "commit": "", "agent": "green@sample", "digest": "0", "decisions": 1}
    return json.dumps([entry | {"learners": [learner], "unaware": None} | changed])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[{", "is not a file of worst cases: "),
        ("{}", "is not a file of worst cases: it must be a list of entries with agent, commit, "),
        (
            '[{"agent": "green@sample"}]',
            "is not a file of worst cases: it must be a list of entries with agent, commit, ",
        ),
        (entry_text({}), "is not a file of worst cases: entry 1: seed is missing"),
        (entry_text("x"), "is not a file of worst cases: entry 1: learners is invalid"),
        (entry_text(learner(seed=None)), "is not a file of worst cases: entry 1: seed is invalid"),
        (entry_text(learner(curve=[1, 2])), "is not a file of worst cases: entry 1: curve is invalid"),
        (entry_text(learner(argmax="x")), "is not a file of worst cases: entry 1: argmax is invalid"),
        (entry_text(learner(precision=[])), "is not a file of worst cases: entry 1: precision is invalid"),
        (entry_text(learner(search={"games": 4})), "is not a file of worst cases: entry 1: interval is missing"),
        (
            entry_text(learner(search={"games": 4, "win_share": "0.5", "interval": [0, 1]})),
            "is not a file of worst cases: entry 1: win_share is invalid",
        ),
        (
            entry_text(learner(search={"games": 4, "win_share": 0.5, "interval": [0.7, 0.6]})),
            "is not a file of worst cases: entry 1: interval is invalid",
        ),
        (entry_text(learner(), unaware=3), "is not a file of worst cases: entry 1: unaware is invalid"),
        (entry_text(learner(), learners=[]), "is not a file of worst cases: entry 1: learners is invalid"),
        (entry_text(learner(), date=1), "is not a file of worst cases: entry 1: date is invalid"),
    ],
)
def test_a_damaged_file_and_a_missing_page_are_refused_first(
    text: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text)
    assert study.main(["--file", str(file)]) == 2
    assert f"{file} {problem}" in capsys.readouterr().err
    file.unlink()
    assert study.main(["--file", str(file), "--docs", str(tmp_path)]) == 2
    assert f"--docs must be a folder with worst_case.md, not {tmp_path}" in capsys.readouterr().err
    assert study.main(["--file", str(tmp_path / "no" / "mine.json")]) == 2
    assert "mine.json cannot be written: it is a folder, or its folder does not exist" in capsys.readouterr().err


def test_an_entry_that_another_study_has_added_meanwhile_is_kept(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = json.loads(entry_text(learner(), digest="1"))[0]

    def learned(_: study.Study, *asked: Any) -> dict[str, Any]:
        pages.FILE.write_text(json.dumps([first]))
        return learner(seed=asked[3])

    monkeypatch.setattr(study.Study, "_learned", learned)
    monkeypatch.setattr(study.Study, "_uninformed", lambda *_: None)
    assert measure(agent, "--seeds", "1") == 0
    assert [entry["agent"] for entry in json.loads(pages.FILE.read_text())] == ["green@sample", "green@sample"]


def test_the_file_has_the_learners_so_far_and_none_is_trained_twice(
    agent: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained, unaware = [], []

    def learned(_: study.Study, *asked: Any) -> dict[str, Any]:
        if len(trained) == stops:
            raise KeyboardInterrupt
        trained.append(asked[3])
        return learner(
            seed=asked[3], decisions=512, worlds=2, search={"win_share": 0.6, "interval": [0.5, 0.7], "games": 6}
        )

    def play(known: study.Study, *_: object) -> dict[str, Any]:
        unaware.append(known.seed)
        if len(unaware) == 1:
            raise KeyboardInterrupt
        return {"player": "first", "win_share": 0.5, "interval": [0.4, 0.6], "games": 6}

    monkeypatch.setattr(study.Study, "_learned", learned)
    monkeypatch.setattr(study.Study, "_unaware", play)
    other = json.loads(entry_text(learner(), digest="1"))[0]
    pages.FILE.write_text(json.dumps([other]))

    def entries() -> list[tuple[list[int], bool]]:
        first, *mine = json.loads(pages.FILE.read_text())
        assert first == other
        return [([each["seed"] for each in entry["learners"]], entry["unaware"] is not None) for entry in mine]

    stops = 2
    assert measure(agent, "--seeds", "3", "--seed", "5") == 130
    assert (entries(), trained, unaware) == ([([5, 6], False)], [5, 6], [])
    stops = 4
    assert measure(agent, "--seeds", "1", "--seed", "8") == 130  # on another machine, say
    assert (entries(), trained, unaware) == ([([5, 6], False), ([8], False)], [5, 6, 8], [8])
    assert measure(agent, "--seeds", "1", "--seed", "8") == 0
    assert (entries(), trained, unaware) == ([([5, 6], False), ([8], True)], [5, 6, 8], [8, 8])
    assert measure(agent, "--seeds", "4", "--seed", "5") == 0
    assert (entries(), trained, unaware) == ([([5, 6, 7, 8], True)], [5, 6, 8, 7], [8, 8, 5])
    before = pages.FILE.read_bytes()
    assert measure(agent, "--seeds", "2", "--seed", "6") == 0  # a part of what is known
    assert pages.FILE.read_bytes() == before
    assert "already has this measurement" in capsys.readouterr().out
    for more in (["--games", "8"], ["--worlds", "3"], ["--precision", "bfloat16"], ["--decisions", "1024"]):
        assert measure(agent, "--seeds", "1", "--seed", "6", *more) == 130  # another budget
    assert measure(agent, "--seeds", "1", "--seed", "6", "--play", "argmax") == 130
    assert pages.FILE.read_bytes() == before


def test_the_uninformed_adversary_plays_the_games_of_the_studys_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def evaluate(game: object, challenger: Any, opponent: Any, *given: int, **_: object) -> list[SimpleNamespace]:
        asked.append((challenger.name, opponent.name, *given))
        return [SimpleNamespace(win_share=0.5, interval=(0.4, 0.6), games=6)]

    monkeypatch.setattr(study, "evaluate", evaluate)
    game, asks = spygames.make_game("agent_avenue_v0"), study.Study(games=6, seed=5, worlds=2)
    adversary = asks._uninformed(game)
    assert adversary is not None
    found = asks._unaware(game, adversary, make_player(game, "random"), tmp_path / "games")
    name = "agent_avenue/simple-2-first@sample+search:2"
    assert asked == [(name, "random", 6, 5)]
    assert found == {"player": name, "win_share": 0.5, "interval": [0.4, 0.6], "games": 6}


def test_the_uninformed_adversarys_games_are_kept_until_the_entry_is_written(
    agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def evaluate(*_: object, executor: KeptGames, **__: object) -> list[SimpleNamespace]:
        executor.folder.mkdir(parents=True, exist_ok=True)
        (executor.folder / "0.npz").touch()
        return [SimpleNamespace(win_share=0.5, interval=(0.4, 0.6), games=6)]

    def full(file: Path, text: str) -> None:
        if json.loads(text)[-1]["unaware"]:
            raise OSError("no space left")
        file.write_text(text)

    monkeypatch.setattr(study, "evaluate", evaluate)
    monkeypatch.setattr(study.Study, "_learned", lambda *asked: learner(seed=asked[4]))
    with monkeypatch.context() as patched:
        patched.setattr(study, "write_whole", full)
        assert measure(agent, "--seeds", "1") != 0
    assert len([*Path("runs").rglob("*.npz")]) == 1
    assert measure(agent, "--seeds", "1") == 0
    assert [*Path("runs").rglob("*.npz")] == []


def test_outside_of_a_clone_and_without_git_an_entry_names_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))  # temporary folders may be in a clone
    monkeypatch.delenv("GIT_DIR", raising=False)  # hooks of git set it
    assert study.commit() == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert study.commit() == ""


def test_an_entry_without_curves_is_shown(tmp_path: Path) -> None:
    docs = tmp_path / "docs" / "results"
    docs.mkdir(parents=True)
    shutil.copy(RESULTS / "worst_case.md", docs)
    (file := tmp_path / "mine.json").write_text(entry_text(learner()))
    assert study.main(["--file", str(file), "--docs", str(docs)]) == 0
    assert pages.page(json.loads(file.read_text())) in (docs / "worst_case.md").read_text()
    assert (docs.parent / "images" / pages.PICTURES[1]).exists()
    assert pages.adversary(json.loads(file.read_text())[0]).curve == ()


@pytest.mark.parametrize("seed", [(1 << 53) - 1, 1 << 53, (1 << 64) - 1])
def test_seeds_that_no_learner_can_have_are_refused_first(
    agent: Path, seed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study.Study, "_learned", interrupted)
    assert measure(agent, "--seeds", "2", "--seed", str(seed)) == 2
    message = f"the seeds of the learners must be from 0 to 2^53 - 1, not {seed} to {seed + 1}"
    assert message in capsys.readouterr().err
    assert measure(agent, "--seeds", "1", "--seed", str((1 << 53) - 1)) == 130  # it begins


def test_the_page_shows_the_entries_of_the_file() -> None:
    text = (RESULTS / "worst_case.md").read_text(encoding="utf-8")
    entries = json.loads((RESULTS / "worst_case.json").read_text())
    assert text.partition(study.BEGIN)[2].partition(study.END)[0].strip() == pages.page(entries)
    assert text.partition(study.FIRST_BEGIN)[2].partition(study.FIRST_END)[0].strip() == pages.summary(entries)


def test_the_summary_has_each_budget_and_only_agents_that_are_released_now() -> None:
    def entry(agent: str, digest: str, share: float, *learners: int, fair: float = 0.5) -> pages.Entry:
        found = {"win_share": share, "interval": [share - 0.02, share + 0.02], "games": 4}
        each = [{"decisions": n, "fair_share": fair, **dict.fromkeys(WAYS, found)} for n in learners]
        return {"agent": agent, "digest": digest, "learners": each}

    digests = {
        name: json.loads((agent.folder / "figures.json").read_text())["digest"]
        for name in ("agent_avenue/simple-2", "heimlich/base-3")
        if (agent := find_agent(name)) is not None
    }
    two, three = digests["agent_avenue/simple-2"], digests["heimlich/base-3"]
    entries = [
        entry("heimlich/base-3@argmax", three, 0.42, 10_000_000, fair=0.345),
        entry("agent_avenue/simple-2@argmax", two, 0.81, 10_000_000),
        entry("agent_avenue/simple-2@argmax", two, 0.83, 10_000_000),
        entry("agent_avenue/simple-2@argmax", two, 0.82, 10_000_000),
        entry("agent_avenue/simple-2@argmax", two, 0.84, *[40_000_000] * 3),
        entry("agent_avenue/simple-2@argmax", "0", 0.95, 10_000_000),  # a replaced one
        entry("mine@argmax", "1", 0.96, 10_000_000),
        entry("mix:agent_avenue/simple-2@argmax|heimlich/base-3@argmax", two, 0.97, 10_000_000),
    ]
    assert pages.summary(entries).splitlines() == [
        "| agent | 10 million, once | 40 million, 3 times |",
        "| --- | ---: | ---: |",
        "| `agent_avenue/simple-2` | 83.0 | 84.0 |",
        "| `heimlich/base-3` | 42.0 [34.5] |  |",
    ]
    assert pages.summary([]) == "No released agent has been measured yet."


def test_an_uninformed_adversary_is_missing_only_where_the_variant_has_no_first_agent() -> None:
    for entry in pages.read_entries(pages.FILE):
        if entry["learners"][0]["decisions"] == study.DECISIONS and len(entry["learners"]) < study.SEEDS:
            continue  # this adversary plays last
        first = entry["agent"].removeprefix("mix:").partition("|")[0]
        name = PlayerName.parse(first).source.removesuffix(SAFE)
        assert (entry["unaware"] is not None) == (ROOT / "anchors" / f"{name}{FIRST}").is_dir(), name
