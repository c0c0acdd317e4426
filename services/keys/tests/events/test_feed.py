"""The feed of a partner, by a server with its background tasks, and its order."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from keys_world import World
from serving import CALL, PEPPERS, SAFETY_S, serving, until

from keys.store import event_records
from keys.store.event_records import EventKind, KeyEvent
from keys.values.clock import system_clock
from keys.values.secret import KeyMode
from landpartner.keys.v1 import keys_pb2
from landpartner.webhooks.v1 import webhooks_pb2, webhooks_pb2_grpc


async def test_a_key_sees_the_events_of_its_partner_and_mode(
    database_url: str, open_world: Callable[..., World]
) -> None:
    world = open_world(database_url, clock=system_clock, peppers=PEPPERS)
    soon = system_clock() + timedelta(days=10)
    live = world.key(expires_at=soon)
    test, other = world.key(mode=KeyMode.TEST), world.key(partner="Other")
    async with serving(database_url, webhook_key="k" * 32) as running:

        async def feed(key_id: str, after: str = "") -> keys_pb2.ListKeyEventsResponse:
            request = keys_pb2.ListKeyEventsRequest(key_id=key_id, after=after, page_size=10)
            return await running.stub.ListKeyEvents(request, **CALL(SAFETY_S))

        async def has_event() -> bool:
            return bool((await feed(live.record.id)).events)

        await until(has_event)
        (event,) = (await feed(live.record.id)).events
        kind = keys_pb2.KEY_EVENT_KIND_KEY_EXPIRY
        assert (event.kind, event.days_left, event.key_id) == (kind, 14, live.record.id)
        assert not event.HasField("percent")
        assert await feed(live.record.id, event.id) == keys_pb2.ListKeyEventsResponse(next_after=event.id)
        for issued in (test, other):
            assert not (await feed(issued.record.id)).events
        webhooks: webhooks_pb2_grpc.WebhookServiceAsyncStub = webhooks_pb2_grpc.WebhookServiceStub(running.channel)
        owner, url = webhooks_pb2.Owner(partner_id=live.record.partner.id), "https://partner.example"
        await webhooks.CreateWebhook(webhooks_pb2.CreateWebhookRequest(owner=owner, url=url), **CALL(SAFETY_S))
        for is_test, urls in ((False, [url]), (True, [])):
            of_mode = webhooks_pb2.Owner(partner_id=owner.partner_id, is_test=is_test)
            listed = await webhooks.ListWebhooks(webhooks_pb2.ListWebhooksRequest(owner=of_mode), **CALL(SAFETY_S))
            assert [webhook.url for webhook in listed.webhooks] == urls


@pytest.mark.docker
def test_a_reader_that_saw_an_event_has_seen_all_before_it(
    migrated_postgres: str, open_world: Callable[..., World]
) -> None:
    world = open_world(migrated_postgres)

    def event(key_id: str) -> KeyEvent:
        return KeyEvent(
            kind=EventKind.QUOTA, partner_id="partner", mode=KeyMode.LIVE, threshold=80, key_id=key_id, month="2026-03"
        )

    def add_second() -> None:
        with world.database.writing() as connection:
            event_records.add(connection, [event("second"), event("first")], world.clock())

    def seen() -> list[str | None]:
        with world.database.reading() as connection:
            return [
                stored.key_id
                for stored in event_records.after(connection, event_records.owner_of("partner", KeyMode.LIVE), 0, 10)
            ]

    other = threading.Thread(target=add_second)
    with world.database.writing() as connection:
        event_records.add(connection, [event("first")], world.clock())
        other.start()
        other.join(timeout=0.3)
        assert other.is_alive(), "it waits for the first transaction"
        assert seen() == []
    other.join()
    assert seen() == ["first", "second"]
