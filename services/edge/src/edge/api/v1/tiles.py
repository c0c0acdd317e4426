"""GET /tiles: vector tiles of the loaded data, for maps."""

import re

from starlette.requests import Request
from starlette.responses import Response

from contract import endpoints
from contract.enums import enum_numbers
from edge.access import API
from edge.dependencies import Land
from edge.descriptions.operations import UPSTREAM_CODES, route_options
from edge.middleware.capacity import Capacity
from edge.problems import invalid
from edge.routing import new_router
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

VECTOR_TILE = "application/vnd.mapbox-vector-tile"
_LAYERS = enum_numbers(land_pb2.TileLayer.DESCRIPTOR)
MAX_VERSION = 64
_NUMBER = re.compile(r"0|[1-9]\d{0,8}")

router = new_router()


@router.get(
    f"{API}/tiles/{{layer}}/{{z}}/{{x}}/{{y}}.mvt",
    **route_options("consumer", endpoint=endpoints.TILES, media_type=VECTOR_TILE, codes=UPSTREAM_CODES),
)
async def map_tile(request: Request, layer: str, z: str, x: str, y: str, land: Land) -> Response:
    """A browser keeps the tile and asks each time whether it has changed, so that a revoked key sees no more tiles."""
    if layer not in _LAYERS:
        raise invalid(
            "/layer",
            "unknown_value",
            Text(
                f"Les couches sont {', '.join(_LAYERS)}.",
                f"The layers are {', '.join(_LAYERS)}.",
            ),
        )
    zoom, column, row = (_whole(name, value) for name, value in (("/z", z), ("/x", x), ("/y", y)))
    version = request.headers.get("if-none-match", "").removeprefix("W/").strip('"')[:MAX_VERSION]
    tile_request = land_pb2.GetTileRequest(
        layer=_LAYERS[layer], zoom=zoom, column=column, row=row, known_version=version
    )
    capacity: Capacity = request.app.state.capacity
    async with capacity.tiles.turn(land.grant.key_id):
        tile = await land(land.stub.GetTile, tile_request)
    headers = {"etag": f'"{tile.version}"', "cache-control": "private, no-cache", "vary": "x-api-key"}
    if tile.is_known:
        return Response(status_code=304, headers=headers)
    return Response(tile.content, headers=headers, media_type=VECTOR_TILE)


def _whole(pointer: str, text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise invalid(pointer, "malformed", Text("Un nombre entier est attendu.", "A whole number is expected."))
    return int(text)
