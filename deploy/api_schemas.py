"""Writes the schemas of the full API description, without its paths, to standard output. Needs no running service."""

import json
import sys

from api_description import routes

from edge.descriptions.document import describe

if __name__ == "__main__":
    json.dump({**describe(routes(), "en"), "paths": {}}, sys.stdout)
