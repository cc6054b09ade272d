"""The parser of answers: it reads the forms of the grammar, nothing else, and never substitutes a move."""

import json
import re
from collections.abc import Iterator

import numpy as np
import pytest

from spygames.text import GRAMMAR, Reply, Verdict, canonical, correction, parse

LEGAL = (
    "play enforcer double_agent",
    "play double_agent enforcer",
    "recruit up",
    "recruit down",
    "pass",
    "card 1/11 as 1",
)
OK, ILLEGAL, NOTHING, SEVERAL = Verdict.OK, Verdict.ILLEGAL, Verdict.UNPARSEABLE, Verdict.AMBIGUOUS


@pytest.mark.parametrize(
    ("answer", "verdict", "action"),
    [
        ('{"action": "recruit up"}', OK, "recruit up"),
        ('I think so.\n```json\n{ "action" : "Recruit_UP" }\n```\nDone.', OK, "recruit up"),
        ('{"action":"  play   Double Agent_enforcer "}', OK, "play double_agent enforcer"),
        ('{"action": "recruit up"} no, better {"action": "recruit down"}', OK, "recruit down"),
        ('{"thought": {"action": "pass"}}', OK, "pass"),
        ('{"action": "card 1\\/11 as \\u0031"}', OK, "card 1/11 as 1"),
        ("I take the open one: [Recruit Up]", OK, "recruit up"),
        ("[recruit up], and again: [RECRUIT_UP].", OK, "recruit up"),
        ('As [1] says: {"action": "pass"}', OK, "pass"),
        ('[pass] {"action": "pass"}', OK, "pass"),
        ('{"action": "recruit sideways"}', ILLEGAL, None),
        ('{"action": "pass"} or {"action": "fold"}', ILLEGAL, None),
        ('[pass] {"action": "fold"}', ILLEGAL, None),
        ("[recruit sideways]", ILLEGAL, None),
        ("[TEXT]", ILLEGAL, None),
        ('{"action": ""}', ILLEGAL, None),
        ("[recruit up] or [recruit down]", SEVERAL, None),
        ("I will not [recruit up], but [play mole mole]", SEVERAL, None),
        ('[recruit down] {"action": "recruit up"}', SEVERAL, None),
        ("recruit up", NOTHING, None),
        ("I recruit up. My action: recruit up!", NOTHING, None),
        ("", NOTHING, None),
        ("[ ] [\n] []", NOTHING, None),
        ('{"action": "pass", "why": "I am tired"}', NOTHING, None),
        ('{"Action": "pass"}', NOTHING, None),
        ('{"action": pass}', NOTHING, None),
        ('{"action": "pass"', NOTHING, None),
        ('{"action": 3}', NOTHING, None),
        ("{'action': 'pass'}", NOTHING, None),
        ('{"said": "{\\"action\\": \\"pass\\"}", "action": "recruit up"}', NOTHING, None),
        ("Ich nehme die offene Karte. 我选择公开的牌。", NOTHING, None),
        ("(pass) <pass> *pass* \"pass\" `pass`", NOTHING, None),
    ],
)  # fmt: skip
def test_answers_are_read_as_the_grammar_says(answer: str, verdict: Verdict, action: str | None) -> None:
    reply = parse(answer, LEGAL)
    assert (reply.verdict, reply.action) == (verdict, action)


def test_each_correction_quotes_what_was_read() -> None:
    unparseable, illegal, several = (parse(text, LEGAL) for text in ("I pass.", "[fold]", "[pass] [fold]"))
    assert correction(unparseable).startswith('Your answer names no action. It ends with "I pass.".')
    assert correction(illegal).startswith('"fold" is not one of your legal actions.')
    assert correction(several).startswith('Your answer names several actions: "pass | fold". Name one.')
    both = parse('[recruit down] {"action": "recruit up"}', LEGAL)
    assert correction(both).startswith('Your answer names several actions: "recruit up | recruit down".')
    long = parse("at the beginning " * 20 + "at the end", LEGAL)
    assert 150 < len(long.said) <= 200
    assert long.said.endswith("at the end")
    assert correction(illegal).endswith(GRAMMAR)
    assert "- recruit up" not in correction(illegal)
    assert "- recruit up" in correction(illegal, LEGAL)


def test_actions_that_differ_only_in_case_need_their_exact_text() -> None:
    assert parse("[a b]", ["a b", "A_b"]).action == "a b"
    assert parse("[A b]", ["a b", "A_b"]).verdict is Verdict.ILLEGAL


def test_characters_may_be_escaped_as_in_json() -> None:
    """Programs write characters beyond U+FFFF as two escapes."""
    for text in ("card 🂡", "出牌", "a\tb"):
        assert parse(json.dumps({"action": text}), [text, "pass"]).action == text
    for lone in ("\\ud83c", "\\udca1", "\\ud83c\\ud83c"):
        reply = parse(f'{{"action": "{lone}"}}', LEGAL)
        assert (reply.verdict, reply.said) == (ILLEGAL, lone)


@pytest.mark.parametrize(
    "piece",
    ["{", '{"action"', '{"action": "', '{"action":"x', "[", "[[a", '{"a":', "\\", '{"action": "\\"', " ", "[a]"],
)
def test_long_answers_take_no_long_time(piece: str) -> None:
    """A reader of quadratic time would not come to an end."""
    reply = parse(piece * (2_000_000 // len(piece)), LEGAL)
    assert reply.action is None
    assert len(reply.said) <= 200


def hostile(rng: np.random.Generator, number: int) -> Iterator[str]:
    """Yield answers with legal moves, illegal moves, broken forms and noise in any order, some damaged at random."""
    forms = ("{}", "[{}]", '{{"action": "{}"}}', '{{"action": "{}"', '{{"action": {}}}', '{{"move": "{}"}}', "[{}",
             "({})", '{{"action": ["{}"]}}', '{{"action": "{}", "sure": true}}', '\\"action\\": \\"{}\\"',
             "I would not {}.")  # fmt: skip
    texts = (
        *LEGAL,
        "fold",
        "play mole mole",
        "Recruit  UP",
        "recruit_down",
        "\x00\x1b[31m",
        "\ud800",
        "出牌",
        "🂡",
        "n" * 50,
    )
    noise = " \n\t{}[]\"\\:,_'`aZ0é\u2028\ufeff"
    for _ in range(number):
        pieces = [
            str(rng.choice(forms)).format(texts[rng.integers(len(texts))]) for _ in range(int(rng.integers(1, 5)))
        ]
        answer = " so ".join(pieces)
        if rng.random() < 0.5:
            letters = list(answer)
            for _ in range(int(rng.integers(1, 6))):
                place = int(rng.integers(len(letters)))
                letters[place : place + int(rng.integers(0, 2))] = noise[rng.integers(len(noise))]
            answer = "".join(letters)
        yield answer


def named(answer: str) -> list[str]:
    """Return what an answer names in the two forms of the grammar, found by another way than the parser's."""
    found = re.findall(r"\[([^\[\]\n]*)\]", answer)
    for at in (place.start() for place in re.finditer(r"\{", answer)):
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(answer, at)
        except ValueError:
            continue
        if isinstance(value, dict) and [*value] == ["action"] and isinstance(value["action"], str):
            found.append(value["action"])
    return [canonical(each) for each in found]


def test_no_hostile_answer_becomes_another_move() -> None:
    counts = dict.fromkeys(Verdict, 0)
    for answer in hostile(np.random.default_rng(7), 10_000):
        reply = parse(answer, LEGAL)
        counts[reply.verdict] += 1
        said = {each for each in named(answer) if each in map(canonical, LEGAL)}
        if reply.verdict is Verdict.OK:
            assert reply.action in LEGAL
            assert canonical(reply.action) in said, answer
        else:
            assert reply.action is None
            assert len(said) != 1 or len({*named(answer)}) > 1 or reply.verdict is Verdict.AMBIGUOUS, answer
            correction(reply, LEGAL).encode()  # can be sent
    assert min(counts.values()) > 500, counts


def test_a_reply_is_a_plain_value() -> None:
    assert parse("[pass]", LEGAL) == Reply(Verdict.OK, "pass", "pass")
    assert json.dumps(parse("[pass]", LEGAL)) == '["ok", "pass", "pass"]'
