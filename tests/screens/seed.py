"""Data for the pages: partners, plans, keys in every state, usage, accounts and tokens."""

import json
from typing import Any

import httpx

from admin_page import EMAIL, PASSWORD
from embedded.run import DEMO_REQUEST

PARTNERS = ("Étude Martin & associés", "Cadastra", "Géomètres réunis de la vallée de la Loire moyenne")
KEYS_OF_EACH = 4
REQUESTS = 6


def seed(url: str) -> str:
    """Fills the service of a new owner. Returns the secret of a key that works."""
    with httpx.Client(base_url=f"{url}/api/v1/admin", timeout=60) as session:
        signed_in = _json(session.post("/session", json={"email": EMAIL, "password": PASSWORD}))
        response = session.post(
            "/tokens", json={"label": "screens", "role": "owner"}, headers={"x-csrf-token": signed_in["csrf_token"]}
        )
        token = _json(response)["token"]
    with httpx.Client(
        base_url=f"{url}/api/v1/admin", headers={"authorization": f"Bearer {token}"}, timeout=60
    ) as admin:
        terms = {
            "currency": "EUR", "monthly_fee": "49", "included_units": 3, "vat_rate": "0.20",
            "tiers": [{"up_to": 1000, "unit_price": "0.0155"}, {"up_to": None, "unit_price": "0.01"}],
        }  # fmt: skip
        _json(admin.post("/plans", json={"name": "Standard", "pricing": terms}))
        secrets: list[str] = []
        for partner in PARTNERS:
            for number in reversed(range(KEYS_OF_EACH)):  # the newest key has usage, terms and a quota
                body: dict[str, Any] = {"partner": partner, "label": f"production {number + 1}"}
                if number == 0:
                    body |= {"pricing": {"plan": "Standard"}, "quota": {"monthly_units": 1000}}
                if number == 1:
                    body |= {"mode": "test", "scopes": ["addresses.resolve"], "allowed_cidrs": ["203.0.113.0/24"]}
                made_key = _json(admin.post("/api-keys", json=body))
                if number == KEYS_OF_EACH - 1:
                    admin.post(f"/api-keys/{made_key['key']['id']}/revoke").raise_for_status()
                elif number != 1:
                    secrets.append(made_key["secret"])
        for role in ("viewer", "operator"):
            body = {"email": f"{role}@example.org", "password": PASSWORD, "role": role}
            _json(admin.post("/admins", json=body))
    for secret in secrets:
        _use(url, secret)
    return secrets[0]


def _use(url: str, secret: str) -> None:
    with httpx.Client(base_url=f"{url}/api/v1", headers={"x-api-key": secret}, timeout=60) as partner:
        for _ in range(REQUESTS):
            partner.post("/addresses/resolve", json=json.loads(DEMO_REQUEST)).raise_for_status()
        partner.post("/addresses/resolve", json={})
        partner.post("/land-units/geojson", json={"parcel_ids": ["00001000AA0001"]}).raise_for_status()


def _json(answer: httpx.Response) -> Any:
    """Raises HTTPStatusError, with the answer as a note."""
    try:
        return answer.raise_for_status().json()
    except httpx.HTTPStatusError as error:
        error.add_note(answer.text)
        raise
