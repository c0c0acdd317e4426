"""A denial contains its reason and the numbers from keys, in the client's language."""

import httpx
import pytest

import stacks
from partners import ADDRESS, LAND

DIVIDE = ("/api/v1/assistant/divide-land", LAND.body)


@pytest.mark.parametrize(
    ("options", "path", "body", "code", "english", "french"),
    [
        (
            ["--monthly-units", "3"],
            *DIVIDE,
            "quota_exhausted",
            "takes 10 units; 3 of this month's are left",
            "10 unités\N{NARROW NO-BREAK SPACE}; il en reste 3",
        ),
        (["--scope", "usage"], *ADDRESS, "scope_denied", "endpoint addresses.resolve", "d’accès addresses.resolve"),
        (["--assistant", "disabled"], *DIVIDE, "assistant_denied", "policy", "politique"),
    ],
)
def test_a_denial_has_its_reason_from_keys(
    embedded: stacks.Embedded, options: list[str], path: str, body: str, code: str, english: str, french: str
) -> None:
    secret = stacks.create_key(embedded, code, *options)["secret"]
    headers = {"x-api-key": secret, "content-type": "application/json"}
    for language, expected in (("en", english), ("fr", french)):
        response = httpx.post(
            embedded.url + path, content=body, headers={**headers, "accept-language": language}, timeout=60
        )
        assert response.json()["code"] == code
        assert expected in response.json()["detail"]
