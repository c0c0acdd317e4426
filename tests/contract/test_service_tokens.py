"""The tokens of an installation: created once, replaced without a refused call."""

from pathlib import Path

import pytest
import service_tokens

from servicekit.callers import Callers

SERVICES = ("land", "keys", "assistant")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for service in ("edge", *SERVICES):
        (tmp_path / service).mkdir()
    monkeypatch.setattr(service_tokens, "SEEN_WITHIN_S", 0)
    return tmp_path


def tokens(root: Path) -> list[str]:
    return [(root / "edge" / f"{service}-token").read_text().strip() for service in SERVICES]


def accepted(root: Path, token: str) -> list[str]:
    """The services that accept a token of the edge."""
    return [
        service
        for service in SERVICES
        if Callers.parse((root / service / "callers").read_text()).caller_of(token) == "edge"
    ]


def test_each_token_is_accepted_by_one_service_and_stored_as_a_digest(root: Path) -> None:
    service_tokens.create(root)
    assert [accepted(root, token) for token in tokens(root)] == [[service] for service in SERVICES]
    files = [file.read_text() for service in SERVICES for file in (root / service).iterdir()]
    assert not [token for token in tokens(root) for file in files if token in file]
    assert {file.stat().st_mode & 0o077 for file in root.rglob("*") if file.is_file()} == {0}
    first_tokens = tokens(root)
    service_tokens.create(root)
    assert tokens(root) == first_tokens


def test_a_lost_token_is_replaced(root: Path) -> None:
    service_tokens.create(root)
    (root / "edge" / "keys-token").unlink()
    service_tokens.create(root)
    assert accepted(root, tokens(root)[1]) == ["keys"]


def test_a_rotation_changes_callers_first_and_keeps_the_token_before(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service_tokens.create(root)
    first = tokens(root)
    waited = []

    def seen(_: float) -> None:
        waited.append(tokens(root))
        assert all(len((root / service / "callers").read_text().split()) == 2 for service in SERVICES)

    with monkeypatch.context() as patched:
        patched.setattr("service_tokens.time.sleep", seen)
        service_tokens.rotate(root)
    assert waited == [first]
    second = tokens(root)
    assert not set(first) & set(second)
    for token in (*first, *second):
        assert len(accepted(root, token)) == 1
    service_tokens.rotate(root)
    assert [accepted(root, token) for token in first] == [[]] * 3
    service_tokens.retire(root)
    assert [accepted(root, token) for token in second] == [[]] * 3
    assert [len(accepted(root, token)) for token in tokens(root)] == [1, 1, 1]
