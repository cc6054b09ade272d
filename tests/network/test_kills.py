"""A few random kills; `python -m tests.network.kills 100 FOLDER` runs more of them."""

from pathlib import Path

import pytest

from tests.network.kills import disturbed_runs
from tests.support.hosts import why_not

REASON = why_not()

pytestmark = [
    pytest.mark.network,
    pytest.mark.slow,
    pytest.mark.skipif(bool(REASON), reason=REASON),
]


def test_no_run_is_lost_in_random_kills(tmp_path: Path) -> None:
    found = disturbed_runs(5, tmp_path, seed=7)
    assert sum(len(result["happened"]) for result in found) == 5
    assert [result for result in found if result["difference"]] == []
