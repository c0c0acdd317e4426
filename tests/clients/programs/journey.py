"""From an address to a division, with the Python package of this service."""

import json
import os

from landpartner_client import Client, ServiceError

url, key, empty_key = (os.environ[f"LANDPARTNER_{name}"] for name in ("URL", "KEY", "EMPTY_KEY"))
errors: dict[int, str] = {}
with Client(api_key=key, base_url=url) as client:
    parcel_ids = client.resolve(label=os.environ["ADDRESS"])["parcel_ids"]
    unit = client.land_unit(parcel_ids=parcel_ids)["features"][0]["properties"]
    division = client.divide_land(parcel_ids=parcel_ids, question="Two lots?")
    requests = client.usage()["requests"]
for case_key, ids in (
    (key, ["x"]),
    ("lp_live_unknown", parcel_ids),
    (key, ["00001000AA9999"]),
    (empty_key, parcel_ids),
):
    try:
        with Client(api_key=case_key, base_url=url) as client:
            client.land_unit(parcel_ids=ids)
    except ServiceError as error:
        errors[error.status] = error.code
result = {
    "parcel_ids": parcel_ids,
    "valeur_fonciere": unit["history"]["dvf_sales"][0]["valeur_fonciere"],
    "verdict": division["quick_assessment"]["verdict"],
    "requests": requests,
    "errors": errors,
}
print(json.dumps(result))  # noqa: T201
