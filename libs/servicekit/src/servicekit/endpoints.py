"""The metered endpoints of the partner API, with the billing units that one request costs by default.

The edge registers its routes under these names. Keys counts, limits and bills by them.
"""

from collections.abc import Mapping

RESOLVE = "addresses.resolve"
REVERSE = "addresses.reverse"
SUGGEST = "addresses.suggest"
GEOJSON = "land-units.geojson"
DIVIDE_LAND = "assistant.divide-land"
USAGE = "usage"
COVERAGE = "coverage"

WEIGHTS: Mapping[str, int] = {
    RESOLVE: 1,
    REVERSE: 1,
    SUGGEST: 0,
    GEOJSON: 2,
    DIVIDE_LAND: 10,
    USAGE: 0,
    COVERAGE: 0,
}
"""Default billing units by endpoint. The settings of keys can change the weights above 0. SUGGEST costs units after many
requests: see `keys.quota.policy`.
"""
SCOPES = tuple(WEIGHTS)
"""Endpoints that the scope of a key can name."""
OTHER = "other"
"""A request without a route. It needs a valid key, costs nothing, and is in no scope."""
