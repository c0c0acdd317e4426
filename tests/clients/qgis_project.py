"""Opens the QGIS project of docs/gis.md at a running service, and prints as JSON how many features each layer has.

It runs in the system's Python, which has QGIS. Its arguments are the project with the service's address, the key, and
the folder for two pictures of the demo commune.
"""

import json
import sys
from pathlib import Path

from qgis.core import (  # type: ignore[import-not-found]
    QgsApplication,
    QgsAuthMethodConfig,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsLayerTreeModel,
    QgsNetworkAccessManager,
    QgsProject,
    QgsRectangle,
)
from qgis.gui import QgsLayerTreeView, QgsMapCanvas  # type: ignore[import-not-found]
from qgis.PyQt.QtWidgets import QSplitter  # type: ignore[import-not-found]

PLAN = QgsRectangle(1.9994, 46.9996, 2.0032, 47.0016)
PICTURES = {
    "gis-parcels.png": {"addresses", "sales", "buildings", "parcels"},
    "gis-zones.png": {"permits", "parcels", "prescriptions", "zones"},
}
"""The layers of each picture."""


def main(file: str, key: str, folder: str) -> None:
    application = QgsApplication([], True)
    application.initQgis()
    log_in(key)
    project = QgsProject.instance()
    assert project.read(file)
    layers = project.mapLayers().values()
    counts = {layer.dataProvider().uri().param("typename"): sum(1 for _ in layer.getFeatures()) for layer in layers}
    for name, shown in PICTURES.items():
        for layer in project.layerTreeRoot().findLayers():
            layer.setItemVisibilityChecked(layer.layer().dataProvider().uri().param("typename") in shown)
        draw(project, Path(folder) / name)
    json.dump(counts, sys.stdout)
    project.clear()
    application.exitQgis()


def log_in(key: str) -> None:
    """Makes the authentication configuration that the project names. QGIS 3.22 has no method for a header, so the
    header is set apart.
    """
    manager = QgsApplication.authManager()
    manager.setMasterPassword("a test", True)
    configuration = QgsAuthMethodConfig("Basic")
    configuration.setId("partner")
    configuration.setName("partner")
    configuration.setConfigMap({"username": "a", "password": "b"})
    manager.storeAuthenticationConfig(configuration)
    QgsNetworkAccessManager.setRequestPreprocessor(lambda request: request.setRawHeader(b"x-api-key", key.encode()))


def draw(project: QgsProject, file: Path) -> None:
    """A window with the layers and the map."""
    window, tree, canvas = QSplitter(), QgsLayerTreeView(), QgsMapCanvas()
    model = QgsLayerTreeModel(project.layerTreeRoot())
    model.setFlag(QgsLayerTreeModel.AllowNodeChangeVisibility)
    tree.setModel(model)
    canvas.setDestinationCrs(project.crs())
    canvas.setLayers(project.layerTreeRoot().checkedLayers())
    to_map = QgsCoordinateTransform(QgsCoordinateReferenceSystem("EPSG:4326"), project.crs(), project)
    window.addWidget(tree)
    window.addWidget(canvas)
    window.resize(900, 560)
    window.setSizes([170, 730])
    window.show()
    canvas.setExtent(to_map.transformBoundingBox(PLAN))
    canvas.refresh()
    canvas.waitWhileRendering()
    window.grab().save(str(file))


main(*sys.argv[1:])
