"""The card of an agent: its checkpoint and its figures as a Markdown page."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

from spygames.core.basics.text import one_line, printable
from spygames.core.players.names import PlayerName
from spygames.core.players.released import ReleasedAgent, find_agent, play_of
from spygames_training.agents.checkpoint import Checkpoint, CheckpointError
from spygames_training.config import Config, from_mapping, to_toml
from spygames_training.evaluation.digests import worlds_of
from spygames_training.ladder.page import short_title
from spygames_training.output.tables import code_span, in_markdown, markdown_table
from studies.figures import Adversary, Figures, won

UNOFFICIAL = (
    "Unofficial: this agent is not connected to the authors or publishers of the game. Names of games and rights in "
    "them belong to their owners."
)
"""Last sentence of the limits in every card."""
SEARCHED = (
    "\n\nThe search assumes that the other seats play like the agent itself. So against other players it may win less "
    "than the agent does without it. `+search:64,rivals=policy|expert|random` assumes a mix of players instead."
)
"""Text below the figures of a search."""
LICENCE = "MIT, like the package; the license covers no rights in the game."


def card(
    checkpoint: Checkpoint,
    name: str,
    evaluation: Mapping[str, Any] | None = None,
    figures: Figures | None = None,
    picture: str = "",
    curve: str = "",
) -> str:
    """Return the card of an agent as Markdown.

    It says what the agent plays; how well, as win shares in percent with 95 % intervals; what the worst adversary
    won; how good its value is; how it was trained and can be trained again; how to use it; and its limits. A figure
    that is not recorded is left out.

    Args:
        checkpoint: as returned by `load_checkpoint`.
        name: the agent's name.
        evaluation: as returned by `read_evaluation`, in addition to those of `figures`.
        figures: as returned by `read_figures`. Without any evaluation, the card has the figures of the checkpoint.
        picture: path of the calibration's picture, relative to the page; "": no picture.
        curve: the same for the learning curve of an adversary.

    Raises:
        CheckpointError: the checkpoint's record of its training is not in the form that a run writes.
    """
    figures = figures or Figures()
    if evaluation is not None:
        figures = replace(figures, evaluations=(*figures.evaluations, evaluation))
    try:
        return _card(checkpoint, name, figures, picture, curve)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise CheckpointError(
            f"{name}: the record of its training is not in the form that a run writes: {one_line(error, 200)}"
        ) from None


def _card(checkpoint: Checkpoint, name: str, figures: Figures, picture: str, curve: str) -> str:
    results = checkpoint.meta.get("results")
    searched = [_searched(each) for each in figures.evaluations]
    plain = [each for each, search in zip(figures.evaluations, searched, strict=True) if not search]
    on_top = [each for each, search in zip(figures.evaluations, searched, strict=True) if search]
    agent = find_agent(name)
    typed = quote(printable(name) if agent else f"{printable(name)}@argmax")
    quoted = json.dumps(name, ensure_ascii=False)
    loaded = (
        f"spygames_training.Policy.load({quoted})" if agent else f'spygames_training.Policy.load({quoted}, "argmax")'
    )
    sections = [
        f"# {in_markdown(name)}",
        f"An agent for {short_title(checkpoint.game)}, trained by self-play{_with_bots(checkpoint)}."
        + (_purpose(agent) if agent else ""),
        "## What it is\n\n" + _list(_facts(checkpoint)),
        _evaluated(plain, "How well it plays") if plain else _noted(results),
        _evaluated(on_top, "With a search on top") + SEARCHED + _earlier_worlds(checkpoint, on_top) if on_top else "",
        _exploited(figures.adversaries, play_of(name), curve) if figures.adversaries else _best_response(results),
        _value(figures, picture),
        "## How it was trained\n\n" + _list(_training(checkpoint, figures.machine)),
        _again(checkpoint, figures.remarks),
        f"## Use\n\n    spygames evaluate {typed} --against random greedy expert --games 2000\n"
        f"    spygames play --against {typed}\n\n"
        f"In Python: {code_span(loaded)}. {_unsaid(agent)} The weights are tensors and everything else is JSON: "
        "loading them runs no code.",
        "## Limits\n\nThe agent plays this variant only, with this layout of observations and actions. Its figures "
        "hold against the named players, played as stated; it was not measured against people. " + UNOFFICIAL,
        f"## License\n\n{LICENCE}",
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _purpose(agent: ReleasedAgent) -> str:
    """Sentences on what a released agent is for, with a link to the other agent of its variant."""
    if agent.is_safe:
        text = " It is meant to be hard to exploit by those who study it, and draws its actions from its probabilities."
    else:
        text = " It is meant to win against players who do not know it, and takes its most likely action."
    if (other := agent.other) is None:
        return text
    link = f"[{code_span(other.name)}](../{other.folder.name}/README.md)"
    return f"{text} {link} is the agent of this variant that {'is hard to exploit' if other.is_safe else 'wins most'}."


def _unsaid(agent: ReleasedAgent | None) -> str:
    """A sentence on how the agent plays if its name does not say so."""
    if agent is None:
        return "Without `@argmax` the agent samples its actions."
    another = "sample" if agent.play == "argmax" else "argmax"
    return f"The name alone means `@{agent.play}`; `@{another}` and temperatures such as `@0.5` change how it plays."


def _searched(evaluation: Mapping[str, Any]) -> bool:
    """Whether an evaluation is of the agent with a search."""
    return any(PlayerName.parse(row["challenger"]).search is not None for row in evaluation["results"])


def _facts(checkpoint: Checkpoint) -> list[tuple[str, str]]:
    game, meta = checkpoint.game, checkpoint.meta
    options = ", ".join(f"{option}={value!r}" for option, value in game.options.items())
    code = meta.get("code") or {}
    return [
        ("plays", f"`{game.id}`"),
        ("options", code_span(options) if options else "none"),
        ("seats, sides", f"{game.num_players}, {game.num_sides}"),
        ("observation, actions", f"float32 [{game.num_features}], {game.num_actions}"),
        ("layout", f"`{meta['layout']['hash']}`"),
        ("network", _network(meta["network"])),
        ("weights", f"{sum(p.numel() for p in checkpoint.network.parameters()):,}{_rounded(checkpoint)}"),
        ("SHA-256 of the weights", f"`{meta['weights']['sha256']}`"),
        ("made with", f"spygames {code.get('spygames', '?')}, torch {code.get('torch', '?')}"),
    ]


def _rounded(checkpoint: Checkpoint) -> str:
    """Whether all weights are representable in bfloat16, as text."""
    rounded = all(bool((p == p.bfloat16().to(p.dtype)).all()) for p in checkpoint.network.parameters())
    return ", rounded to bfloat16" if rounded else ""


def _with_bots(checkpoint: Checkpoint) -> str:
    extra = checkpoint.meta.get("extra") or {}
    opponents = (extra.get("config") or {}).get("opponents") or {}
    met = opponents.get("share") or (extra.get("joined") and checkpoint.training_opponents)
    if not met:
        return ""
    scripted = any("/" not in name for name in checkpoint.training_opponents)  # an agent's name has a slash
    return " and against scripted players" if scripted else " and against other agents"


def _network(network: Mapping[str, Any]) -> str:
    layers = "x".join(str(width) for width in network["hidden"])
    return f"{network['kind']}, hidden layers {layers}"


def _training(checkpoint: Checkpoint, machine: str) -> list[tuple[str, str]]:
    extra = checkpoint.meta.get("extra") or {}
    machine = machine or extra.get("machine", "")
    config = extra.get("config") or {}
    ppo, opponents = config.get("ppo") or {}, config.get("opponents") or {}
    decisions = f"{checkpoint.decisions:,}"
    if joined := extra.get("joined"):
        return _joined(checkpoint, joined, machine)
    if before := checkpoint.began_with:
        runs = before.get("runs")
        which = f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}, below" if runs else code_span(before["agent"])
        decisions += f", of which {before['decisions']:,} by the agent that it started from ({which})"
        decisions += f", SHA-256 `{before['weights']}`"
    rows = [("decisions", decisions)]
    if (planned := config.get("decisions", 0)) > (done := checkpoint.meta["step"]):
        stopped = f"{planned:,} in the last run, which was stopped after {done:,}"
        rows.append(
            (
                "planned",
                f"{stopped}: settings that change during a run, such as the learning rate, did not reach their ends",
            )
        )
    if "seconds" in extra:
        earlier = sum(run.get("seconds", 0) for run in checkpoint.began_with.get("runs", ()))
        after = f", plus {earlier:,.0f} in the earlier runs" if earlier else ""
        rows.append(
            ("seconds", f"{extra['seconds']:,.0f}{after}" + (f", on {in_markdown(machine)}" if machine else ""))
        )
    if "precision" in extra:
        rows.append(("computed in", in_markdown(str(extra["precision"]))))
    if "seed" in config:
        rows.append(("seed", str(config["seed"])))
    if ppo:
        named = ("games", "steps", "epochs", "minibatch", "learning_rate", "learning_rate_end", "lam", "entropy")
        named += ("entropy_end", "kl", "reference_ema", "ema", "reward_scale")
        named += ("decay",) if ppo.get("decay", "linear") != "linear" else ()
        rows.append(("PPO", ", ".join(f"{key} {ppo[key]}" for key in named if key in ppo)))
    if opponents.get("share"):
        counts = Counter(map(code_span, opponents.get("bots", ())))
        drawn = ", ".join(bot + (f" ({count} times)" if count > 1 else "") for bot, count in counts.items())
        met = f"in {opponents['share']:.0%} of the games, one drawn from {drawn or 'none'}"
        if (temperature := opponents.get("temperature", 1.0)) != 1.0:
            met += f"; against bots it plays at temperature {temperature}"
        rows.append(("opponents", met))
    elif config:
        rows.append(("opponents", "self-play only"))
    return rows + _fitted(extra)


def _fitted(extra: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A row on the value, if it was fitted after the training."""
    if not (fitted := extra.get("value_fitted")):
        return []
    how = (
        f"its last layer was then fitted to the results of {fitted['games']:,} games of the agent against itself "
        f"({fitted['play']}, seed {fitted['seed']}); the policy did not change"
    )
    return [("value", how)]


def _joined(checkpoint: Checkpoint, joined: Mapping[str, Any], machine: str) -> list[tuple[str, str]]:
    """The training of an agent made of two others."""
    steps: list[_Step] = []
    _plan(checkpoint.meta["extra"], steps, {})
    runs = [step for step in steps if step.config]
    how = {
        "mean": "the mean of the weights of two agents",
        "beside": "the networks of two agents, side by side, whose logits and values are averaged",
    }
    seconds = sum(step.seconds for step in runs)
    rows = [
        ("decisions", f"{checkpoint.decisions:,}, in {len(runs)} runs, below"),
        ("seconds", f"{seconds:,.0f}" + (f", on {in_markdown(machine)}" if machine else "")),
        ("made of", how[joined["how"]]),
    ]
    if met := ", ".join(map(code_span, checkpoint.training_opponents)):
        rows.append(("opponents", f"in some runs also {met}"))
    return rows + _fitted(checkpoint.meta["extra"])


_MEANINGS = {
    "fit_value": "fits a value to games of the agent against itself",
    "--how mean": "takes the mean of the weights of two agents",
    "--how beside": "puts two networks side by side into one, whose logits are the means of theirs",
    "--without-history": "leaves out the history, as if no card had been offered yet",
}
"""What the commands of the steps that are not runs do, by a word of theirs."""


def _again(checkpoint: Checkpoint, remarks: Sequence[str]) -> str:
    """The section on training the agent again, if its run and the runs before it are recorded."""
    extra = checkpoint.meta.get("extra") or {}
    if not (extra.get("config") or extra.get("joined")) or extra.get("own_code"):
        return ""
    steps: list[_Step] = []
    _plan(extra | {"step": checkpoint.meta["step"]}, steps, {})
    runs = sum(step.config is not None for step in steps)
    same = (
        "The same seed, machine and number of workers give the same agent, with the rules and the trainer of that "
        "version. This holds if no setting was changed during a run and no run was stopped."
    )
    if extra.get("value_fitted"):
        same += " `python -m studies.fit_value RUN --out FOLDER` then fits its value."
    if _rounded(checkpoint):
        same += " `spygames export RUN --bfloat16 FOLDER` then rounds its weights."
    same = " ".join([*remarks, same])
    title = "## How to train it again\n\n"
    if len(steps) == 1:
        return (
            f"{title}    spygames train --config agent.toml\n\nwith this `agent.toml`{steps[0].stopped}:\n\n"
            f"{steps[0].toml}\n\n{same}"
        )
    commands = "\n".join(
        f"    {step.command or f'spygames train --config {k}.toml'} --out runs/{k}" for k, step in enumerate(steps, 1)
    )
    if runs == len(steps):
        how = f"In {runs} runs, each of which starts from the weights of the one before:"
    else:
        used = " ".join(step.command for step in steps)
        explained = "; ".join(f"`{word}` {meaning}" for word, meaning in _MEANINGS.items() if word in used)
        how = (
            f"It took {runs} runs and other steps ({explained}). Each run starts from the agent that its `start_from` "
            "names:"
        )
    files = [f"`{k}.toml`{step.stopped}:\n\n{step.toml}" for k, step in enumerate(steps, 1) if step.config]
    return "\n\n".join([f"{title}{how}", commands, *files, same])


@dataclass(frozen=True)
class _Step:
    """A step of an agent's training: a run, or a command that makes an agent of others."""

    config: Config | None = None
    """Of the run."""
    step: int = 0
    """Number of decisions that the run took."""
    seconds: float = 0
    """Length of the run."""
    command: str = ""
    """The command, without the folder it writes to; "" for a run."""

    @property
    def stopped(self) -> str:
        early = self.config is not None and self.step < self.config.decisions
        return f", stopped (Ctrl-C) after {self.step:,} decisions" if early else ""

    @property
    def toml(self) -> str:
        """The run's config as a block of code."""
        return f"```toml\n{to_toml(self.config)}```" if self.config else ""


def _plan(part: Mapping[str, Any], steps: list[_Step], folders: dict[str, str]) -> str:
    """Add the steps that lead to an agent and are not there yet, oldest first, and return the folder of the last one.

    Args:
        part: the record of the agent (`extra` of a checkpoint), with its `step` if it has a run of its own.
        steps: of the whole training, whose k-th one (from 1) has the folder `runs/k`.
        folders: of agents by the digest of their weights: a record may stand in an earlier part.
    """
    began_with = part.get("began_with") or {}
    weights = "" if "joined" in part else began_with.get("weights", "")
    before = folders.get(weights, "")
    if not before:
        if joined := part.get("joined") or began_with.get("joined"):
            agents = [_agent(agent, steps, folders) for agent in joined["agents"]]
            flag = " --without-history" if joined["without_history"] else ""
            command = f"python -m studies.join_agents {' '.join(agents)} --how {joined['how']}{flag}"
            before = _added(_Step(command=command), steps)
        for run in began_with.get("runs", ()):
            before = _run(run, before, steps)
        if weights and before:
            folders[weights] = before
    return _run(part, before, steps) if "config" in part else before


def _run(run: Mapping[str, Any], before: str, steps: list[_Step]) -> str:
    """Add a run that starts from the agent in the folder `before` ("": as its config says), and return its folder."""
    config = from_mapping(Config, run["config"])
    config = replace(config, start_from=before or config.start_from)
    return _added(_Step(config, run["step"], run.get("seconds", 0)), steps)


def _agent(part: Mapping[str, Any], steps: list[_Step], folders: dict[str, str]) -> str:
    """Add the steps that lead to an agent that was joined, with the fit of its value, and return its folder."""
    weights = part.get("weights", "")
    if weights in folders:
        return folders[weights]
    folder = _plan(part, steps, folders) or part["agent"]
    if fitted := part.get("value_fitted"):
        command = f"python -m studies.fit_value {folder} --games {fitted['games']} --seed {fitted['seed']}"
        folder = _added(_Step(command=command), steps)
    if weights:
        folders[weights] = folder
    return folder


def _added(step: _Step, steps: list[_Step]) -> str:
    """Add a step if it is not there, and return its folder."""
    if step not in steps:
        steps.append(step)
    return f"runs/{steps.index(step) + 1}"


def _evaluated(evaluations: Sequence[Mapping[str, Any]], title: str) -> str:
    """The section of evaluations: a row for each opponent, a column for each way to play."""
    rows = [row for evaluation in evaluations for row in evaluation["results"]]
    plays = list(dict.fromkeys(_way(row["challenger"]) for row in rows))
    fair = any(row["fair_share"] != 0.5 for row in rows)
    lines: dict[str, dict[str, str]] = {}
    for row in rows:
        mark = " (trained against)" if row["training_opponent"] else ""
        share = f"{100 * row['fair_share']:.1f}"
        line = lines.setdefault(row["opponent"], {"": f"{code_span(row['opponent'])}{mark}", "fair": share})
        line[_way(row["challenger"])] = _share(row)
    head = ["games won against, %", *(["fair share"] if fair else []), *plays]
    keys = ["", *(["fair"] if fair else []), *plays]
    table = markdown_table(head, [[line.get(key, "") for key in keys] for line in lines.values()])
    measured: dict[tuple[Any, ...], list[str]] = {}
    for each in evaluations:
        measured.setdefault((each["seed"], each["code"]["spygames"], each["protocol"]), []).append(each["date"])
    sources = [
        f"Deals of seed {seed}, measured {_days(dates)} with spygames {version}, version {protocol} of the protocol."
        for (seed, version, protocol), dates in measured.items()
    ]
    games = f"{_games(rows)}, every deal from every side. In brackets: the 95 % interval over deals."
    return "\n\n".join([f"## {title}", table, " ".join([games, *sources])])


def _earlier_worlds(checkpoint: Checkpoint, evaluations: Sequence[Mapping[str, Any]]) -> str:
    """A sentence if figures of a search were measured with an earlier version of the game's worlds."""
    now = checkpoint.game.worlds_version
    earlier = sorted({worlds for each in evaluations if (worlds := worlds_of(each["code"])) < now})
    if not earlier:
        return ""
    versions = " and ".join(map(str, earlier))
    return f" These figures were measured with worlds of version {versions}; the current version is {now}."


def _games(rows: Sequence[Mapping[str, Any]]) -> str:
    """The number of games of a figure, and the figures with another number."""
    (most, _), *others = Counter(row["games"] for row in rows).most_common()
    parts = [f"{most:,} games for each figure"]
    for count, _ in others:
        few = [row for row in rows if row["games"] == count]
        rivals = dict.fromkeys(row["opponent"] for row in few)
        if few == [row for row in rows if row["opponent"] in rivals]:
            who = ", ".join(code_span(rival) for rival in rivals)
        else:
            who = ", ".join(f"{code_span(row['opponent'])} ({_way(row['challenger'])})" for row in few)
        parts.append(f"{count:,} against {who}")
    return ", ".join(parts)


def _days(dates: Sequence[str]) -> str:
    first, last = min(dates), max(dates)
    return f"on {first}" if first == last else f"from {first} to {last}"


def _way(challenger: str) -> str:
    """How the agent plays, as a column's head: `argmax`, or its search."""
    name = PlayerName.parse(challenger)
    return (name.play or "sample") if name.search is None else code_span(f"search:{name.search}")


def _exploited(adversaries: Sequence[Adversary], meant: str, curve: str) -> str:
    """The section of adversaries: those of the agent as it is `meant` to play first, and for each way the worst one."""
    order = sorted(adversaries, key=lambda each: (each.play != meant, each.play, -each.gain))
    fair = any(each.fair_share != 0.5 for each in adversaries)
    rows = [
        [
            each.how,
            each.budget,
            each.play,
            f"{each.games:,}",
            *([f"{100 * each.fair_share:.1f}"] if fair else []),
            _share({"win_share": each.win_share, "interval": each.interval}),
        ]
        for each in order
    ]
    head = ["adversary", "budget", "the agent plays", "games", *(["fair share"] if fair else []), "it won, %"]
    table = markdown_table(head, rows, texts=3)
    learned = any(each.curve for each in adversaries)
    others = "" if learned else ", such as a learner that starts from the agent's weights,"
    drawn = f"\n\n![What the learner won in training games, over its own decisions]({curve})" if curve else ""
    return (
        f"## How far it can be exploited\n\n{table}\n\nEach figure is a lower bound of what a perfect adversary would "
        f"win; the first one for each way to play is the best bound. Other adversaries{others} may win more. In "
        f"brackets: the 95 % interval over deals.{drawn}"
    )


def _value(figures: Figures, picture: str) -> str:
    """The section on the quality of the agent's value."""
    if (found := figures.calibration) is None:
        return ""
    drawn, key, also = "", "", ""
    if picture:
        drawn = f"![Expected and actual results]({picture})\n\n"
        key = " On the picture's diagonal the value is right; larger points are more decisions."
    if (other := figures.calibration_by_argmax) is not None:
        also = f" By {other.play}, at {other.decisions:,} decisions of {other.games:,} games, it is {other.bias:+z.3f}."
    return (
        f"## How good its value is\n\n{drawn}At {found.decisions:,} decisions of {found.games:,} games against itself "
        f"({found.play}, seed {found.seed}) the value explains {100 * found.explained:.0f} % of the variance of the "
        f"results. Its mean error (value minus return) is {found.bias:+z.3f}, where a win is +1.{also}{key}"
    )


def _noted(results: object) -> str:
    """The section of the figures in the checkpoint: measured after the run, or in the run's last evaluation."""
    if not isinstance(results, dict):
        return ""
    if isinstance(plays := results.get("play"), dict):
        rivals = list(dict.fromkeys(rival for found in plays.values() for rival in found))
        lines = [[code_span(rival), *(_share(found.get(rival)) for found in plays.values())] for rival in rivals]
        table = markdown_table(["games won against, %", *plays], lines)
        return f"## How well it plays\n\n{table}\n\nFrom the checkpoint; in brackets: the 95 % interval over deals."
    shares = {key.partition("/")[2]: value for key, value in results.items() if key.startswith("win_share/")}
    if not shares:
        return ""
    lines = [[code_span(rival), f"{100 * share:.1f}"] for rival, share in shares.items()]
    table = markdown_table(["games won against, %", str(results.get("play", "sample"))], lines)
    games = results.get("games", "?")
    return f"## How well it plays\n\n{table}\n\nThe last evaluation of the run, {games} games for each figure."


def _share(found: Mapping[str, Any] | None) -> str:
    return won(found, " to ") if found else ""


def _best_response(results: object) -> str:
    """The section on what an adversary trained against the agent won, if that is recorded."""
    found = results.get("best_response") if isinstance(results, dict) else None
    if not isinstance(found, dict):
        return ""
    wins = [f"{_share(each)} % {play}" for play, each in found.items() if isinstance(each, dict)]
    return (
        f"## How far it can be exploited\n\nA network trained from random weights for {found['decisions']:,} decisions "
        f"against {code_span(found['agent'])} alone won {', '.join(wins)}. That is a lower bound of what a perfect "
        "adversary would win."
    )


def _list(rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"- **{name}**: {value}" for name, value in rows)
