"""No log, error, audit log, report or database contains a credential. The services use mutual TLS."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import trustme

import certificate_files
from servicekit.healthcheck import is_serving
from servicekit.tls import Certificates
from stacks import PATIENT, Embedded, embedded

pytestmark = pytest.mark.thorough

EMAIL = "owner@example.org"
PASSWORD = "a long password that nobody guesses"
WRONG_PASSWORD = "a wrong password that is not logged"
LABEL = {"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"}


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Embedded]:
    """A service before its setup. Its certificates are in `tls` beside its data."""
    certificate_files.issue_all(tmp_path / "tls", trustme.CA())
    with embedded(tmp_path / "data", PATIENT | certificate_files.settings(tmp_path / "tls")) as stack:
        yield stack


def cells(path: Path) -> str:
    """Every cell of a SQLite database, as text."""
    with sqlite3.connect(path) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for table in tables for row in connection.execute(f'SELECT * FROM "{table}"')]
    connection.close()
    return "\n".join(cell.decode("latin-1") if isinstance(cell, bytes) else str(cell) for row in rows for cell in row)


def test_no_secret_is_stored_or_logged(fresh: Embedded) -> None:
    record = fresh.record()
    secrets = {"demo key": record["api_key"], "setup token": record["setup_token"], "password": PASSWORD}
    secrets["wrong password"] = WRONG_PASSWORD
    secrets_folder = fresh.folder / "secrets"
    secrets |= {str(file): file.read_text().strip() for file in secrets_folder.glob("edge/*-token")}
    tls = fresh.folder.with_name("tls")
    secrets |= {str(file): file.read_text().splitlines()[1] for file in tls.rglob("*.key")}
    assert len(secrets) == 4 + 3 + 4
    for service in ("land", "keys", "assistant"):
        target = f"127.0.0.1:{record['ports'][service]}"
        assert is_serving(target, certificates=Certificates(tls / service))
        assert not is_serving(target)
    texts = []
    with httpx.Client(base_url=f"{fresh.url}/api/v1", timeout=60) as client:
        owner = {"token": secrets["setup token"], "email": EMAIL, "password": PASSWORD}
        assert client.post("/admin/setup", json=owner).status_code in (200, 201)
        texts.append(client.post("/admin/setup", json=owner).text)
        texts.append(client.post("/admin/session", json={"email": EMAIL, "password": WRONG_PASSWORD}).text)
        session = client.post("/admin/session", json={"email": EMAIL, "password": PASSWORD}).raise_for_status()
        csrf = {"x-csrf-token": session.json()["csrf_token"]}
        (secrets["session"],) = client.cookies.values()
        response = client.post("/admin/api-keys", json={"partner": "P", "label": "l"}, headers=csrf).raise_for_status()
        secrets["key"], key_id = response.json()["secret"], response.json()["key"]["id"]
        token = client.post("/admin/tokens", json={"label": "t", "role": "viewer"}, headers=csrf).raise_for_status()
        secrets["admin token"] = token.json()["token"]
        turned = client.post(f"/admin/api-keys/{key_id}/rotate", json={"grace_days": 0}, headers=csrf)
        secrets["rotated key"] = turned.raise_for_status().json()["secret"]
        for name in ("key", "rotated key", "demo key"):
            texts.append(client.post("/addresses/resolve", json=LABEL, headers={"x-api-key": secrets[name]}).text)
            texts.append(client.post(f"/addresses/resolve?api_key={secrets[name]}", json=LABEL).text)
        texts.append(client.get("/admin/usage", headers={"authorization": f"Bearer {secrets['admin token']}x"}).text)
        for path in ("/admin/audit", "/admin/api-keys", "/admin/tokens", "/admin/admins", "/admin/usage"):
            texts.append(client.get(path).raise_for_status().text)
        texts.append(client.get("/admin/usage", headers={"accept": "text/csv"}).raise_for_status().text)
        texts.append(client.get("/usage", headers={"x-api-key": secrets["rotated key"]}).raise_for_status().text)
    for file in sorted((fresh.folder / "logs").iterdir()):
        texts.append(file.read_text(encoding="utf-8"))
    texts += [cells(file) for file in fresh.folder.glob("*.sqlite")]
    assert len(texts) > 20
    for name, secret in secrets.items():
        assert [text[:200] for text in texts if secret in text] == [], name
