"""The demo's files as land's sources read them."""

from typing import Any

import numpy as np
import shapely
from pyproj import Transformer
from shapely.geometry.base import BaseGeometry

import demoland
from land.datasets.addresses.records import AddressRecord
from land.datasets.parcels.records import ParcelRecord
from land.datasets.permits.records import PermitRecord
from land.datasets.sales.records import DvfRow, Sale
from land.datasets.sales.rows import aggregate
from land.registry import DATASETS
from land.sources.base import ReadReport

NEAREST_M = 30.0
LAMBERT_93 = Transformer.from_crs(4326, 2154, always_xy=True)


def in_metres(geometry: BaseGeometry) -> BaseGeometry:
    return shapely.transform(geometry, lambda xy: np.column_stack(LAMBERT_93.transform(xy[:, 0], xy[:, 1])))


def point_of(address: AddressRecord) -> shapely.Point:
    assert address.lon is not None
    assert address.lat is not None
    return shapely.Point(LAMBERT_93.transform(address.lon, address.lat))


class DemoRecords:
    """The records that land's sources read from the files of a demo."""

    def __init__(self, demo: demoland.Demo) -> None:
        self.demo = demo
        self.reports: dict[str, ReadReport] = {}
        self.records: dict[str, list[Any]] = {}
        for source, path in demo.files:
            report = self.reports[path.name] = ReadReport(path.name)
            read = [record for _, record in DATASETS[source].reader.read(path, report)]
            self.records.setdefault(source, []).extend(read)
        self.addresses: list[AddressRecord] = self.records["ban"]
        self.parcels: dict[str, ParcelRecord] = {p.parcel_id: p for p in self.records.get("cadastre-parcels", [])}
        self.rows: list[DvfRow] = self.records.get("dvf", [])
        self.sales: dict[tuple[str, str], Sale] = {
            (sale.id_parcelle, sale.id_mutation): sale for sale in aggregate(self.rows)
        }
        self.permits: dict[tuple[str, str], PermitRecord] = {
            (source, permit.number): permit
            for source, records in self.records.items()
            if source.startswith("sitadel")
            for permit in records
        }

    def address(self, label: str) -> AddressRecord:
        [address] = [a for a in self.addresses if label_of(a) == label]
        return address

    def shape(self, parcel_id: str) -> BaseGeometry:
        geometry = self.parcels[parcel_id].geometry
        assert geometry is not None
        return in_metres(shapely.from_wkb(geometry))


def label_of(address: AddressRecord) -> str:
    number = f"{address.number} {address.suffix}".strip()
    return f"{number} {address.street_name} {address.postcode} {address.commune_name}"
