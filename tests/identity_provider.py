"""An OpenID provider for tests: discovery, the authorization code flow with PKCE, and signed ID tokens.

It refuses what the standards tell a provider to refuse. A test may change the claims or the signature of tokens.
"""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, quote_plus, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID, CLIENT_SECRET = "land-partner", "a secret: 100% of the client"
_KEY = RSAKey.generate_key(2048, {"use": "sig"}, auto_kid=True)


def signed(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": _KEY.kid}, claims, _KEY)


@dataclass
class IdentityProvider:
    issuer: str
    redirect_uri: str
    claims: dict[str, Any] = field(default_factory=dict)
    """Claims of the next tokens, beside those that the standard requires, or in their place."""
    client_authentication: str = "client_secret_basic"
    sign: Callable[[dict[str, Any]], str] = signed
    other_keys: list[object] = field(default_factory=list)
    """What the set of keys has before the key of the signature."""
    requests: dict[str, dict[str, str]] = field(default_factory=dict)
    """The authorization request of each code that was not exchanged yet."""

    def settings(self) -> dict[str, str]:
        return {
            "oidc_issuer": self.issuer,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": CLIENT_SECRET,
            "oidc_redirect_uri": self.redirect_uri,
            "oidc_owner": "land-owner",
            "oidc_viewer": "land-viewer",
        }

    def authorize(self, url: str) -> dict[str, str]:
        """Signs the person in without a question. Returns what the browser brings back in the address."""
        request = dict(parse_qsl(urlsplit(url).query))
        assert request["response_type"] == "code"
        assert "openid" in request["scope"].split()
        assert (request["client_id"], request["redirect_uri"]) == (CLIENT_ID, self.redirect_uri)
        assert (request["code_challenge_method"], len(request["code_challenge"])) == ("S256", 43)
        code = secrets.token_urlsafe()
        self.requests[code] = request
        return {"code": code, "state": request["state"]}

    def exchange(self, form: dict[str, str], authorization: str) -> dict[str, str] | None:
        """Returns the tokens of a code, once, or None if the client does not prove itself."""
        request = self.requests.pop(form.get("code", ""), None)
        name, _, secret = base64.b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        if self.client_authentication == "client_secret_post":
            name, secret = form["client_id"], quote_plus(form["client_secret"])
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            request is None
            or (name, unquote_plus(secret)) != (CLIENT_ID, CLIENT_SECRET)
            or form["redirect_uri"] != request["redirect_uri"]
        ):
            return None
        if form["grant_type"] != "authorization_code" or challenge != request["code_challenge"]:
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": "248289761001", "aud": CLIENT_ID, "iat": now, "exp": now + 300}
        return {"id_token": self.sign({**claims, "nonce": request["nonce"], **self.claims}), "token_type": "Bearer"}


@contextmanager
def identity_provider(redirect_uri: str) -> Iterator[IdentityProvider]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    provider = IdentityProvider(f"http://127.0.0.1:{server.server_port}", redirect_uri)
    server.RequestHandlerClass = type("Handler", (_Handler,), {"provider": provider})
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    provider: IdentityProvider

    def do_GET(self) -> None:
        provider, issuer = self.provider, self.provider.issuer
        match urlsplit(self.path).path:
            case "/.well-known/openid-configuration":
                self._answer(
                    200,
                    {
                        "issuer": issuer,
                        "authorization_endpoint": f"{issuer}/authorize",
                        "token_endpoint": f"{issuer}/token",
                        "jwks_uri": f"{issuer}/keys",
                        "token_endpoint_auth_methods_supported": [provider.client_authentication],
                    },
                )
            case "/keys":
                self._answer(200, {"keys": [*provider.other_keys, _KEY.as_dict(private=False)]})
            case "/authorize":
                self._answer(302, {}, f"{provider.redirect_uri}?{urlencode(provider.authorize(self.path))}")
            case _:
                self._answer(404, {})

    def do_POST(self) -> None:
        form = dict(parse_qsl(self.rfile.read(int(self.headers["content-length"])).decode()))
        tokens = self.provider.exchange(form, self.headers.get("authorization", ""))
        self._answer(200 if tokens else 400, tokens or {"error": "invalid_grant"})

    def _answer(self, status: int, content: object, location: str = "") -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if location:
            self.send_header("location", location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass
