"""Ends the watches and endpoints of partners that have no usable key any more.

Only the edge calls services. So each edge compares the owners that services name with keys, again and again. A pass
that fails or that is killed loses nothing, and a pass of another edge changes nothing.
"""

import asyncio
import logging

from edge.problems import Problem
from edge.upstreams import Upstreams
from landpartner.keys.v1.keys_pb2 import ListEndedOwnersRequest
from landpartner.webhooks.v1.webhooks_pb2 import ListOwnersRequest

log = logging.getLogger(__name__)

INTERVAL_S = 60.0


async def follow(upstreams: Upstreams) -> None:
    """Ends them every INTERVAL_S, until it is cancelled."""
    while True:
        try:
            await end_events(upstreams)
        except Problem as problem:
            log.warning("the events of ended partners go on", extra={"reason": problem.code})
        await asyncio.sleep(INTERVAL_S)


async def end_events(upstreams: Upstreams) -> None:
    """Raises Problem if a service is not available."""
    keys = upstreams.keys
    for client in upstreams.webhooks.values():
        page_token = ""
        while True:
            page = await client(client.stub.ListOwners, ListOwnersRequest(page_token=page_token))
            request = ListEndedOwnersRequest(owners=page.owners)
            for owner in (await keys(keys.stub.ListEndedOwners, request)).owners:
                await client.delete_owner(owner)
                log.info("events ended", extra={"partner": owner.partner_id, "is_test": owner.is_test})
            page_token = page.next_page_token
            if not page_token:
                break
