"""Writes the schemas of the full API description, without its paths, to standard output. Needs no running service."""

import json
import sys

from edge.app import create_app
from edge.descriptions.document import describe
from edge.routing import PlainRoute
from edge.settings import EdgeSettings

_NOT_CONNECTED = "localhost:1"


def main() -> None:
    settings = EdgeSettings(
        service_token="-" * 32,
        land_target=_NOT_CONNECTED,
        keys_target=_NOT_CONNECTED,
        assistant_target=_NOT_CONNECTED,
    )
    routes = [route for route in create_app(settings).routes if isinstance(route, PlainRoute)]
    json.dump({**describe(routes, "en"), "paths": {}}, sys.stdout)


if __name__ == "__main__":
    main()
