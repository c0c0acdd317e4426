"""The forms of a division: JSON, or a file that is written from its drawing."""

import asyncio

from starlette.responses import Response

from contract.messages.schemas import Json
from edge.batches.geopackage import GEOPACKAGE
from edge.clients.assistant import AssistantClient
from edge.divisions.tables import division_geopackage
from edge.problems import invalid
from edge.responses import attachment
from landpartner.assistant.v1 import assistant_pb2 as pb
from servicekit.languages import Text

DXF = "application/dxf"
FILES = (DXF, GEOPACKAGE)
_SUFFIXES = {DXF: "dxf", GEOPACKAGE: "gpkg"}


async def file_response(
    form: str, drawing: pb.Drawing, assessment: Json, rank: int, assistant: AssistantClient, *, deadline_s: float
) -> Response:
    """The file with its name. A DXF has the proposal of this rank, a GeoPackage has all.

    Raises Problem: invalid_payload without such a proposal, and the problems of the assistant.
    """
    name = f"division-{drawing.parcels[0].parcel_id}" if drawing.parcels else "division"
    if form == GEOPACKAGE:
        content = await asyncio.to_thread(division_geopackage, drawing, assessment)
    else:
        count = len(drawing.proposals)
        if rank > max(count, 1):
            raise invalid(
                "/proposal",
                "unknown_proposal",
                Text(
                    "Aucune proposition n’a le rang {rank} : la division en a {count}.",
                    "No proposal has rank {rank}: the division has {count}.",
                ).format(count=count, rank=rank),
            )
        content = await assistant.write_dxf(drawing, rank, deadline_s=deadline_s)
        name = f"{name}-proposition-{rank}"
    return attachment(content, f"{name}.{_SUFFIXES[form]}", form)
