"""The metered endpoints of the partner API, with the billing units that one request costs by default.

The edge registers its routes under these names. Keys counts, limits and bills by them.
"""

from collections.abc import Mapping

RESOLVE = "addresses.resolve"
REVERSE = "addresses.reverse"
SUGGEST = "addresses.suggest"
GEOJSON = "land-units.geojson"
DIVIDE_LAND = "assistant.divide-land"
PARCELS = "parcels"
PARCEL_SEARCH = "parcels.search"
SALE_STATISTICS = "statistics.sales"
TILES = "tiles"
OGC = "ogc"
OGC_ITEMS = "ogc.items"
USAGE = "usage"
KEYS = "keys"
COVERAGE = "coverage"
RESOLVE_BATCH = "addresses.resolve.batch"
LAND_UNITS_BATCH = "land-units.batch"
WATCHES = "watches"
EVENTS = "events"
WEBHOOKS = "webhooks"
WATCH_PAGES = "watches.pages"
EVENT_PAGES = "events.pages"

WEIGHTS: Mapping[str, int] = {
    RESOLVE: 1,
    REVERSE: 1,
    SUGGEST: 0,
    GEOJSON: 2,
    DIVIDE_LAND: 10,
    PARCELS: 1,
    PARCEL_SEARCH: 2,
    SALE_STATISTICS: 2,
    TILES: 0,
    OGC: 0,
    OGC_ITEMS: 1,
    USAGE: 0,
    KEYS: 0,
    COVERAGE: 0,
    RESOLVE_BATCH: 0,
    LAND_UNITS_BATCH: 0,
    WATCHES: 0,
    EVENTS: 0,
    WEBHOOKS: 0,
    WATCH_PAGES: 1,
    EVENT_PAGES: 1,
}
"""Default billing units by endpoint. The settings of keys can change the weights above 0. After many requests, SUGGEST
costs units too: see `keys.values.policy`.
"""
LINE_ENDPOINTS: Mapping[str, str] = {RESOLVE_BATCH: RESOLVE, LAND_UNITS_BATCH: GEOJSON}
"""A line of a request to the first endpoint costs as many billing units as a request to the second one."""
PAGES: Mapping[str, tuple[str, str]] = {WATCHES: ("cursor", WATCH_PAGES), EVENTS: ("after", EVENT_PAGES)}
"""The lists whose first page is free: the query parameter that asks for a further one, and its endpoint. That has the
scope of its list, and is free if nothing is on it.
"""
LISTS: Mapping[str, str] = {pages: endpoint for endpoint, (_, pages) in PAGES.items()}
LINES_RESERVED_S = 900
"""How long the units of the lines of a request stay reserved without a renewal."""
MAX_LINES = 10_000
"""The lines of one request."""
SCOPES = tuple(endpoint for endpoint in WEIGHTS if endpoint not in LISTS)
"""Endpoints that the scope of a key can name."""
EXPLICIT_SCOPES = frozenset((KEYS,))
"""Endpoints that a key may call only if a scope names them: not because it has no scopes."""
OTHER = "other"
"""A request without a route. It needs a valid key, costs nothing, and is in no scope."""
