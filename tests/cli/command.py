"""Run the command `spygames` in this process."""

import pytest

from spygames_app.cli import main


def run(*argv: object) -> int:
    """Return the exit code of `spygames ARGV`."""
    try:
        return main([str(a) for a in argv])
    except SystemExit as end:
        return int(end.code or 0)


def complaint(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the error line of `spygames ARGV`; check that its exit code is 2 and that it prints nothing else."""
    capsys.readouterr()
    code = run(*argv)
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    lines = [line for line in err.splitlines() if not line.startswith("spygames: compiling")]
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"spygames {argv[0]}: ")
    return lines[0]
