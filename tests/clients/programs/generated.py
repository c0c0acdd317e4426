"""From an address to a division, with what openapi-generator makes of the description for Python."""

# mypy: ignore-errors
# The generated package exists while the program runs.

import json
import os
from uuid import uuid4

from landpartner import AddressQuery, ApiClient, Configuration, ConsumerApi, DivideLandBody, LandUnitBody
from landpartner.exceptions import ApiException


def api_with(key):
    return ConsumerApi(ApiClient(Configuration(host=os.environ["LANDPARTNER_URL"], api_key={"apiKey": key})))


api = api_with(os.environ["LANDPARTNER_KEY"])
ids = api.resolve_address(AddressQuery(label=os.environ["ADDRESS"])).parcel_ids
unit = api.land_unit_geojson(LandUnitBody(parcel_ids=ids)).features[0].properties
division = api.divide_land(DivideLandBody(parcel_ids=ids, question="Two lots?"), idempotency_key=str(uuid4()))
requests = api.usage().requests
errors = {}
for client, parcel_id in (
    (api, "x"),
    (api_with("lp_live_unknown"), ids[0]),
    (api, "00001000AA9999"),
    (api_with(os.environ["LANDPARTNER_EMPTY_KEY"]), ids[0]),
):
    try:
        client.land_unit_geojson(LandUnitBody(parcel_ids=[parcel_id]))
    except ApiException as error:
        errors[error.status] = error.data.code
result = {
    "parcel_ids": ids,
    "valeur_fonciere": unit.history.dvf_sales[0].valeur_fonciere,
    "verdict": division.quick_assessment.verdict,
    "requests": requests,
    "errors": errors,
}
print(json.dumps(result))  # noqa: T201
