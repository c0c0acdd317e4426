"""A paying partner is served during attacks. Prints its success rate and p99 with and without each attack.

The attackers share the partner's address, which is the harder case: limits by address must not stop the partner.
"""

import asyncio
import statistics
import time
from contextlib import nullcontext

import pytest

import attacks
import partners
import stacks
from partners import Log

pytestmark = pytest.mark.thorough

CLIENTS = 4
SECONDS = 6.0
PAUSE_S = 0.02


@pytest.fixture(scope="module")
def target(embedded: stacks.Embedded) -> tuple[str, str, str, str, str]:
    """The URL, and the keys: of a paying partner, a revoked one, and two of another partner, with units and without."""
    paying = stacks.create_key(embedded, "paying")
    revoked = stacks.create_key(embedded, "revoked")
    embedded.command("keys", "revoke-key", revoked["key_id"])
    attacking = stacks.create_key(embedded, "attacking", "--partner", "Attacker")
    idle = stacks.create_key(embedded, "idle", "--partner", "Attacker", *attacks.WITHOUT_UNITS)
    return embedded.url, paying["secret"], revoked["secret"], attacking["secret"], idle["secret"]


async def paying_client(url: str, secret: str, seconds: float) -> tuple[Log, list[float]]:
    """The answers to a partner, and the duration of each in milliseconds."""
    log = Log()
    took_ms: list[float] = []
    ends_at = time.monotonic() + seconds

    async def send_requests() -> None:
        async with partners.http() as client:
            while time.monotonic() < ends_at:
                started = time.perf_counter()
                await partners.ask(client, url, secret, log)
                took_ms.append((time.perf_counter() - started) * 1_000)
                await asyncio.sleep(PAUSE_S)

    await asyncio.gather(*(send_requests() for _ in range(CLIENTS)))
    return log, took_ms


@pytest.mark.parametrize("kind", ["none", *attacks.KINDS])
def test_a_paying_partner_is_served_during_an_attack(
    target: tuple[str, str, str, str, str], kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    url, paying, revoked, attacking, without_units = target
    keys = {"revoked key in a loop": revoked, "hostile bodies": paying, "free work": without_units}
    key = keys.get(kind, attacking if kind in attacks.WITH_OTHER_KEY else "")
    attack = nullcontext() if kind == "none" else attacks.attack(kind, url, SECONDS * 10, key)
    with attack:
        log, took_ms = asyncio.run(paying_client(url, paying, SECONDS))
    request_count = sum(log.statuses.values()) + log.unanswered
    p50, p99 = statistics.median(took_ms), statistics.quantiles(took_ms, n=100)[-1]
    with capsys.disabled():
        print(f"\n{kind:24} {log.served}/{request_count} served, p50 {p50:.1f} ms, p99 {p99:.1f} ms")  # noqa: T201
    assert dict(log.statuses) == {200: request_count}
    assert log.unanswered == 0
    assert request_count >= CLIENTS
