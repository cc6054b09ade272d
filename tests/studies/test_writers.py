"""The studies that write tables and lists from files take no options, and have a help that writes nothing."""

from types import ModuleType

import pytest
from studies import agent_tables, leaderboards, noted_tables, released_agents

WRITERS = [agent_tables, leaderboards, noted_tables, released_agents]


@pytest.mark.parametrize("study", WRITERS, ids=lambda study: study.__name__)
def test_help_and_wrong_arguments_write_nothing(
    study: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study.Study, "run", lambda _: pytest.fail("it ran"))
    with pytest.raises(SystemExit) as end:
        study.main(["--help"])
    assert not end.value.code
    assert " ".join((study.Study.__doc__ or "").partition("\n")[0].split()) in " ".join(capsys.readouterr().out.split())
    for wrong in ("--page", "agents"):
        assert study.main([wrong]) == 2
        assert wrong in capsys.readouterr().err


def test_a_writer_says_what_it_wrote(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    written = []
    monkeypatch.setattr(noted_tables, "put_between", lambda page, *_: written.append(page))
    assert noted_tables.main([]) == 0
    pages = list(map(noted_tables.file_of, noted_tables.pages()))
    assert list(dict.fromkeys(written)) == pages
    assert capsys.readouterr().out.splitlines() == [f"wrote {page}" for page in pages]
