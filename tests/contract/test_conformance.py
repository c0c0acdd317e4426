"""schemathesis generates valid and invalid requests from the full description and sends them to the real service.

It fails on a status of 5xx, on an answer that does not match the description, and on an invalid request that is
accepted.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import stacks
from replicas import Admin

pytestmark = pytest.mark.thorough

TESTS = Path(__file__).resolve().parents[1]
UNLIMITED = stacks.PATIENT | {
    "EDGE_OPEN_ATTEMPTS_PER_MINUTE": "1000000",
    "EDGE_UNKNOWN_CREDENTIALS_PER_MINUTE": "1000000",
    "EDGE_FREE_ANSWERS_PER_SECOND": "1000000",
}
KEY_OPTIONS = ("--per-minute", "1000000", "--burst", "1000000", "--assistant", "rules")
NOT_JUDGED = ("ignored_auth", "positive_data_acceptance")
"""Each request has credentials. And no schema can say that a partner exists or that a time is in the future."""
ENDS_THE_TEST = (
    "--exclude-operation-id", "signOut", "--exclude-operation-id", "revokeToken",
    "--exclude-operation-id", "updateAccessPolicy",
)  # fmt: skip
"""They end the credential of the test, or require a second factor of it."""
MAX_EXAMPLES = 3
"""Generated requests for each operation and phase."""


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[stacks.Embedded]:
    """A separate stack, since the requests fill it with keys and partners."""
    with stacks.forked(tmp_path_factory.mktemp("conformance"), UNLIMITED) as stack:
        yield stack


def test_every_answer_matches_the_full_description(unlimited: stacks.Embedded, tmp_path: Path) -> None:
    key = stacks.create_key(unlimited, "conformance", *KEY_OPTIONS)["secret"]
    admin = Admin(unlimited.command, unlimited.url)
    result = subprocess.run(
        [
            sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run",
            f"{unlimited.url}/api/v1/openapi.json", "--header", f"x-api-key: {key}",
            "--header", f"authorization: {admin.authorization}", "--include-path-regex", "^/api/v1/",
            "--max-examples", str(MAX_EXAMPLES), "--seed", "1", "--no-color",
            "--phases", "examples,coverage,fuzzing", "--exclude-checks", ",".join(NOT_JUDGED), *ENDS_THE_TEST,
        ],
        cwd=tmp_path,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "conformance_hooks", "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
