"""Reads the collections of OGC API Features with QGIS, and prints as JSON how many features it found.

It runs in the system's Python, which has QGIS. Its arguments are the address of the landing page and the key.
"""

import json
import sys

from qgis.core import (  # type: ignore[import-not-found]
    QgsApplication,
    QgsFeatureRequest,
    QgsNetworkAccessManager,
    QgsProject,
    QgsRectangle,
    QgsVectorLayer,
)

BOX = QgsRectangle(1.9990, 47.0003, 2.0008, 47.0012)


def main(landing_page: str, key: str, *collections: str) -> None:
    application = QgsApplication([], False)
    application.initQgis()
    header = QgsNetworkAccessManager.setRequestPreprocessor(
        lambda request: request.setRawHeader(b"x-api-key", key.encode())
    )
    json.dump({collection: read(landing_page, collection) for collection in collections}, sys.stdout)
    QgsNetworkAccessManager.removeRequestPreprocessor(header)
    QgsProject.instance().clear()
    application.exitQgis()


def read(landing_page: str, collection: str) -> dict[str, int]:
    source = f"url='{landing_page}' typename='{collection}' pageSize='100' restrictToRequestBBOX='1'"
    layer = QgsVectorLayer(source, collection, "OAPIF")
    in_section = QgsFeatureRequest().setFilterExpression("\"section\" = 'AB'")
    return {
        "all": sum(1 for _ in layer.getFeatures()),
        "in box": sum(1 for _ in layer.getFeatures(QgsFeatureRequest(BOX))),
        "in section": sum(1 for _ in layer.getFeatures(in_section)) if collection == "parcels" else 0,
    }


main(*sys.argv[1:])
