"""Options for language models as players, and the table of what they were asked and answered."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from spygames_app.cli.arguments import (
    AnyFolder,
    AnyPositive,
    Positive,
    WrongArguments,
    console,
    say,
    value,
    values,
)

if TYPE_CHECKING:
    from spygames.core.chat.account import Account
    from spygames.core.chat.player import LanguageModel
    from spygames.core.players.player import Player

VERDICTS = "unparseable", "ambiguous", "illegal", "forfeits"
FORFEITS = "forfeits: games lost without a legal action; "


def read_dollars(text: str) -> float:
    """Parse an amount of dollars above 0, below a million."""
    try:
        amount = float(text)
    except ValueError:
        amount = 0.0
    if not 0 < amount < 1e6:
        raise ValueError(f"{text[:100]!r} is not an amount of dollars above 0")
    return amount


def read_price(text: str) -> tuple[str, tuple[float, float]]:
    """Parse `MODEL=IN/OUT`, dollars per million tokens."""
    model, _, amounts = text.rpartition("=")
    try:
        one, two = map(float, amounts.split("/"))
    except ValueError:
        one = two = -1.0
    if not model or not (0 <= one < 1e6 and 0 <= two < 1e6):
        raise ValueError(f"{text[:100]!r} is not MODEL=IN/OUT, dollars per million tokens, as in gpt-5=1.25/10")
    return model, (one, two)


AnyDollars = Annotated[float | None, value(read_dollars, "DOLLARS"), tyro.conf.arg(help_behavior_hint="")]
Prices = Annotated[
    tuple[tuple[str, tuple[float, float]], ...],
    values(read_price, "MODEL=IN/OUT"),
    tyro.conf.arg(help_behavior_hint=""),
]


@dataclass(frozen=True)
class Models:
    """Language models as players, llm:MODEL@URL (docs/language_models.md). The limits are for all of them together."""

    transcripts: AnyFolder = None
    """Folder for all prompts, answers and games. The same command with the same folder resumes."""
    concurrent: Positive = 16
    """Number of requests at the same time."""
    patience: Positive = 120
    """Seconds for an answer."""
    max_tokens: AnyPositive = None
    """Stop after this number of tokens, of requests and answers."""
    max_dollars: AnyDollars = None
    """Stop after this cost. Needs --llm.price."""
    max_minutes: AnyPositive = None
    """Stop after this time."""
    price: Prices = ()
    """Dollars per million tokens of requests and of answers, such as gpt-5=1.25/10."""

    @contextmanager
    def at_work(self, players: "Sequence[Player]") -> "Iterator[list[LanguageModel]]":
        """Prepare the language models among the players, yield them, and close their connections and transcripts.

        Raises:
            ValueError: a limit needs a price, or the transcripts are not valid.
        """
        from spygames.core.chat.account import Budget, Limits
        from spygames.core.chat.player import language_models
        from spygames.core.chat.transcripts import Transcripts

        models = language_models(players)
        if not models:
            if self != type(self)():
                raise WrongArguments("options --llm.* need a language model among the players, as in llm:MODEL@URL")
            yield []
            return
        seconds = None if self.max_minutes is None else 60.0 * self.max_minutes
        budget = Budget(Limits(self.max_tokens, self.max_dollars, seconds, dict(self.price)))
        transcripts = None if self.transcripts is None else Transcripts(self.transcripts)
        for model in models:
            model.use(budget, transcripts, self.concurrent, self.patience)
        try:
            yield models
        except BaseException as error:
            for model in models:
                model.close(unfinished=False)
            if isinstance(error, KeyboardInterrupt) and transcripts is not None:
                say(f"answers so far: {transcripts.folder}; the same command with the same seed continues from there")
            raise
        for model in models:
            model.close()

    def report(self, models: "Sequence[LanguageModel]", verdicts: Sequence[str] = VERDICTS) -> None:
        """Print what the models were asked and answered. `verdicts` are the counts of answers that are shown."""
        if not models:
            return
        from spygames_training.output.tables import ScreenTable

        columns = []
        totals = _totals(models)
        for a, price in totals.values():
            counts = (a.decisions, a.answers, a.retries, *(getattr(a, verdict) for verdict in verdicts))
            columns.append([
                *(f"{number:,}" for number in counts),
                ", ".join(f"{kind}: {number:,}" for kind, number in sorted(a.failures.items())) or "0",
                *(f"{number:,.0f}" for number in (a.tokens_in, a.tokens_out, a.seconds)),
                "unknown" if price is None else f"{a.dollars(price):.4f}",
            ])  # fmt: skip
        kinds = ["decisions", "answers", "retries", *verdicts,
                 "requests without an answer", "tokens in", "tokens out", "seconds", "dollars"]  # fmt: skip
        head = ["language models", *totals]
        rows = [[*row] for row in zip(kinds, *columns, strict=True)]
        caption = (
            f"retries: answers to a correction; {FORFEITS if 'forfeits' in verdicts else ''}seconds: of all requests."
        )
        if any(a.unmetered for a, _ in totals.values()):
            caption += " The server did not report all tokens: the others are counted as one per four characters."
        console().print(ScreenTable(head, rows, caption=caption))
        if self.transcripts is not None:
            say(f"transcripts: {self.transcripts}")


def accounts(models: "Sequence[LanguageModel]") -> dict[str, dict[str, Any]]:
    """Return what the models were asked and answered, by name, for JSON."""
    return {name: account.as_dict(price) for name, (account, price) in _totals(models).items()}


def _totals(models: "Sequence[LanguageModel]") -> "dict[str, tuple[Account, tuple[float, float] | None]]":
    """Return the account of each name and the price of its model. Several players may have one name."""
    found: dict[str, Any] = {}
    for model in models:
        earlier = found[model.name][0] if model.name in found else type(model.account)()
        found[model.name] = earlier + model.account, model.budget.price(model.model.model)
    return found


def limit_of(limit: int | None, models: "Sequence[LanguageModel]") -> float | None:
    """Return the seconds for a decision: `limit`; without one, failures only lose games if a language model plays."""
    if limit is not None:
        return float(limit)
    from spygames_training.ladder.lines import WITH_MODELS

    return WITH_MODELS if models else None


ModelOptions = Annotated[Models, tyro.conf.arg(name="llm")]
