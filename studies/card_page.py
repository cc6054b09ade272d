"""The card of an agent as a Markdown page, made from its checkpoint and its figures."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from spygames.core.basics.text import one_line, printable
from spygames.core.players.names import PlayerName
from spygames_training.agents.checkpoint import Checkpoint, CheckpointError
from spygames_training.config import Config, from_mapping, to_toml
from spygames_training.evaluation.digests import worlds_of
from spygames_training.ladder.page import short_title
from spygames_training.output.tables import code_span, in_markdown, markdown_table
from studies.calibration import Calibration
from studies.figures import Adversary, Figures

UNOFFICIAL = (
    "Unofficial: neither the authors nor the publishers of the game have anything to do with this agent. "
    "Names of games and rights in them belong to their owners."
)
"""Notice in the limits of every card."""
SEARCHED = (
    "\n\nThe search takes the other seats for players like the agent itself, so against other players it may win less "
    "than the agent does without it. `+search:64,rivals=policy|expert|random` has it doubt that."
)
"""Note below the figures of a search."""
LICENCE = "MIT, as the package that it comes from or was trained with; the licence covers no right in the game."


def card(
    checkpoint: Checkpoint,
    name: str,
    evaluation: Mapping[str, Any] | None = None,
    figures: Figures | None = None,
    picture: str = "",
) -> str:
    """Return the card of an agent.

    Args:
        checkpoint: the agent, from `load_checkpoint`.
        name: name of the agent.
        evaluation: an evaluation from `read_evaluation`, in addition to those of `figures`.
        figures: figures from `read_figures`. Without any evaluation the card shows the results in the checkpoint.
        picture: path of the picture of the calibration, relative to the page; "": none.

    Returns:
        A Markdown page. Its sections are: what the agent plays; how well it plays, with win shares in percent and 95 %
        intervals; what the strongest adversary won; the calibration of its value; how it was trained and can be trained
        again; how to use it; its limits. Unknown figures are omitted.

    Raises:
        CheckpointError: the checkpoint's data about its training are invalid.
    """
    figures = figures or Figures()
    if evaluation is not None:
        figures = replace(figures, evaluations=(*figures.evaluations, evaluation))
    try:
        return _card(checkpoint, name, figures, picture)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise CheckpointError(f"{name}: its data about its training are invalid: {one_line(error, 200)}") from None


def _card(checkpoint: Checkpoint, name: str, figures: Figures, picture: str) -> str:
    results = checkpoint.meta.get("results")
    searched = [_searched(each) for each in figures.evaluations]
    plain = [each for each, search in zip(figures.evaluations, searched, strict=True) if not search]
    on_top = [each for each, search in zip(figures.evaluations, searched, strict=True) if search]
    typed = quote(f"{printable(name)}@argmax")
    loaded = f'spygames_training.Policy.load({json.dumps(name, ensure_ascii=False)}, "argmax")'
    sections = [
        f"# {in_markdown(name)}",
        f"An agent for {short_title(checkpoint.game)}, trained by self-play{_with_bots(checkpoint)}.",
        "## What it is\n\n" + _list(_facts(checkpoint)),
        _evaluated(plain, "How well it plays") if plain else _noted(results),
        _evaluated(on_top, "With a search on top") + SEARCHED + _earlier_worlds(checkpoint, on_top) if on_top else "",
        _exploited(figures.adversaries) if figures.adversaries else _best_response(results),
        _value(figures.calibration, picture),
        "## How it was trained\n\n" + _list(_training(checkpoint, figures.machine)),
        _again(checkpoint, figures.remarks),
        f"## Use\n\n    spygames evaluate {typed} --against random greedy expert --games 2000\n"
        f"    spygames play --against {typed}\n\n"
        f"In Python {code_span(loaded)}. Without a word on how it plays it "
        "draws from its probabilities (sample). The weights are tensors and everything else is JSON: loading them runs "
        "no code.",
        "## Limits\n\nIt plays this variant alone, with this layout of observations and actions. Its figures hold "
        f"against the players that are named, played as it is said; it was not measured against people. {UNOFFICIAL}",
        f"## Licence\n\n{LICENCE}",
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _searched(evaluation: Mapping[str, Any]) -> bool:
    """Whether an evaluation is of the agent with a search on top."""
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
    """Return a note if all weights are exact bfloat16 numbers, as `spygames export --bfloat16` writes them."""
    rounded = all(bool((p == p.bfloat16().to(p.dtype)).all()) for p in checkpoint.network.parameters())
    return ", rounded to bfloat16" if rounded else ""


def _with_bots(checkpoint: Checkpoint) -> str:
    opponents = ((checkpoint.meta.get("extra") or {}).get("config") or {}).get("opponents") or {}
    return " and against scripted players" if opponents.get("share") else ""


def _network(network: Mapping[str, Any]) -> str:
    layers = "x".join(str(width) for width in network["hidden"])
    return f"{network['kind']}, hidden layers {layers}"


def _training(checkpoint: Checkpoint, machine: str) -> list[tuple[str, str]]:
    extra = checkpoint.meta.get("extra") or {}
    machine = machine or extra.get("machine", "")
    config = extra.get("config") or {}
    ppo, opponents = config.get("ppo") or {}, config.get("opponents") or {}
    decisions = f"{checkpoint.decisions:,}"
    if before := checkpoint.began_with:
        runs = before.get("runs")
        which = f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}, below" if runs else code_span(before["agent"])
        decisions += f", of which {before['decisions']:,} by the weights that it began with ({which})"
        decisions += f", SHA-256 `{before['weights']}`"
    rows = [("decisions", decisions)]
    if (planned := config.get("decisions", 0)) > (done := checkpoint.meta["step"]):
        stopped = f"{planned:,} in the last run, which was stopped after {done:,}"
        rows.append(
            (
                "planned",
                f"{stopped}: what falls in the course of a run, such as the learning rate, did not reach its end",
            )
        )
    if "seconds" in extra:
        earlier = sum(run.get("seconds", 0) for run in checkpoint.began_with.get("runs", ()))
        after = f", after {earlier:,.0f} of the runs before" if earlier else ""
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
        rows.append(("PPO", ", ".join(f"{key} {ppo[key]}" for key in named if key in ppo)))
    if opponents.get("share"):
        counts = Counter(map(code_span, opponents.get("bots", ())))
        drawn = ", ".join(bot + (f" ({count} times)" if count > 1 else "") for bot, count in counts.items())
        met = f"in {opponents['share']:.0%} of the games, one drawn from {drawn or 'none'}"
        if (temperature := opponents.get("temperature", 1.0)) != 1.0:
            met += f"; bots are met at temperature {temperature}"
        rows.append(("opponents", met))
    elif config:
        rows.append(("opponents", "itself alone"))
    return rows


def _again(checkpoint: Checkpoint, remarks: Sequence[str]) -> str:
    """Return the section on how to train the agent again, from the configs of its run and of earlier runs; "" if
    unknown."""
    extra = checkpoint.meta.get("extra") or {}
    if not extra.get("config") or extra.get("own_code"):
        return ""
    noted = [*checkpoint.began_with.get("runs", ()), {"config": extra["config"], "step": checkpoint.meta["step"]}]
    configs = [from_mapping(Config, run["config"]) for run in noted]
    same = (
        "The same seed, machine and workers give the same agent, with the rules and the trainer of that version, where "
        "no setting was changed in the middle of a run and none was stopped."
    )
    if _rounded(checkpoint):
        same += " `spygames export RUN --bfloat16 FOLDER` then rounds its weights as here."
    same = " ".join([*remarks, same])
    stopped = [
        "" if run["step"] >= config.decisions else f", stopped (Ctrl-C) after {run['step']:,} decisions"
        for config, run in zip(configs, noted, strict=True)
    ]
    title = "## How to train it again\n\n"
    if len(configs) == 1:
        return (
            f"{title}    spygames train --config agent.toml\n\nwith this `agent.toml`{stopped[0]}:\n\n"
            f"```toml\n{to_toml(configs[0])}```\n\n{same}"
        )
    numbers = range(1, len(configs) + 1)
    commands = "\n".join(f"    spygames train --config {k}.toml --out runs/{k}" for k in numbers)
    files = []
    for k, config, end in zip(numbers, configs, stopped, strict=True):
        config = replace(config, start_from=f"runs/{k - 1}" if k > 1 else config.start_from)
        files.append(f"`{k}.toml`{end}:\n\n```toml\n{to_toml(config)}```")
    return "\n\n".join(
        [
            f"{title}In {len(configs)} runs, each of which begins with the weights of the one before:",
            commands,
            *files,
            same,
        ]
    )


def _evaluated(evaluations: Sequence[Mapping[str, Any]], title: str) -> str:
    """Return the section of evaluations: a row for each opponent, a column for each way to play."""
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
    games = f"{_games(rows)}; every deal from every side, in brackets the 95 % interval over deals."
    return "\n\n".join([f"## {title}", table, " ".join([games, *sources])])


def _earlier_worlds(checkpoint: Checkpoint, evaluations: Sequence[Mapping[str, Any]]) -> str:
    """Return a note if figures of a search used an older version of the game's world sampling."""
    now = checkpoint.game.worlds_version
    earlier = sorted({worlds for each in evaluations if (worlds := worlds_of(each["code"])) < now})
    if not earlier:
        return ""
    return f" These figures were played with the worlds of version {' and '.join(map(str, earlier))}; now it is {now}."


def _games(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the usual number of games of a figure, and the figures with another number."""
    (most, _), *others = Counter(row["games"] for row in rows).most_common()
    parts = [f"{most:,} games a figure"]
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
    """Return the agent's way to play for the head of a column: `argmax`, or its search."""
    name = PlayerName.parse(challenger)
    return (name.play or "sample") if name.search is None else code_span(f"search:{name.search}")


def _exploited(adversaries: Sequence[Adversary]) -> str:
    """Return the section of adversaries, the strongest first."""
    order = sorted(adversaries, key=lambda each: each.gain, reverse=True)
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
    return (
        f"## How far it can be exploited\n\n{table}\n\nEach bounds from below what a perfect adversary would win; the "
        "first one counts. Others, such as a learner that begins with the agent's weights, may win more. In brackets "
        "the 95 % interval over deals."
    )


def _value(found: Calibration | None, picture: str) -> str:
    """Return the section on the calibration of the agent's value."""
    if found is None:
        return ""
    drawn, key = "", ""
    if picture:
        drawn = f"![What the value expects against the results]({picture})\n\n"
        key = " On the line of the picture it is right; larger points are more decisions."
    return (
        f"## What its value is worth\n\n{drawn}At {found.decisions:,} decisions of {found.games:,} games against "
        f"itself ({found.play}, seed {found.seed}) the value explains {100 * found.explained:.0f} % of the variance of "
        f"the results. On the whole it expects a return {found.bias:+.3f} above the one that comes, where a win is +1."
        f"{key}"
    )


def _noted(results: object) -> str:
    """Return the section of results in the checkpoint: measured after the run, or the last evaluation of the run."""
    if not isinstance(results, dict):
        return ""
    if isinstance(plays := results.get("play"), dict):
        rivals = list(dict.fromkeys(rival for found in plays.values() for rival in found))
        lines = [[code_span(rival), *(_share(found.get(rival)) for found in plays.values())] for rival in rivals]
        table = markdown_table(["games won against, %", *plays], lines)
        return (
            f"## How well it plays\n\n{table}\n\nAs the checkpoint notes it; in brackets the 95 % interval over deals."
        )
    shares = {key.partition("/")[2]: value for key, value in results.items() if key.startswith("win_share/")}
    if not shares:
        return ""
    lines = [[code_span(rival), f"{100 * share:.1f}"] for rival, share in shares.items()]
    table = markdown_table(["games won against, %", str(results.get("play", "sample"))], lines)
    games = results.get("games", "?")
    return f"## How well it plays\n\n{table}\n\nThe last evaluation of the run, {games} games a figure."


def _share(found: Mapping[str, Any] | None) -> str:
    if not found:
        return ""
    low, high = found["interval"]
    return f"{100 * found['win_share']:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _best_response(results: object) -> str:
    """Return the section on a learned adversary, if the checkpoint has its result."""
    found = results.get("best_response") if isinstance(results, dict) else None
    if not isinstance(found, dict):
        return ""
    wins = [f"{_share(each)} % {play}" for play, each in found.items() if isinstance(each, dict)]
    return (
        f"## How far it can be exploited\n\nA fresh network that trained for {found['decisions']:,} decisions against "
        f"{code_span(found['agent'])} alone won {', '.join(wins)}. That "
        "bounds from below what a perfect adversary would win."
    )


def _list(rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"- **{name}**: {value}" for name, value in rows)
