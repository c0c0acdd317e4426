"""Every fault once, shortly. `make faults` exercises them for longer and writes docs/reliability.md."""

from pathlib import Path

import pytest

from faults.exercise import exercise
from faults.site import Unavailable
from needs import missing

pytestmark = pytest.mark.docker

FAULT_S = 2.0


async def test_faults_lose_nothing_bill_nothing_twice_and_grant_nothing_beyond_a_quota(
    docker_engine: None, tmp_path: Path
) -> None:
    try:
        report = await exercise(tmp_path, seconds=0.0, fault_s=FAULT_S)
    except Unavailable as error:
        missing(str(error))
    assert report.is_right, report
    assert report.requests > 0
