"""The messages of what is loaded."""

from land.loaded_data import DatasetState, LoadedCommune
from land.units import geometry
from landpartner.land.v1 import land_pb2 as pb


def loaded_commune(item: LoadedCommune) -> pb.LoadedCommune:
    drawn = b"" if item.geometry is None else geometry.to_geojson(item.geometry)
    return pb.LoadedCommune(code=item.code, name=item.name, datasets=item.datasets, geometry=drawn)


def dataset_state(item: DatasetState) -> pb.DatasetState:
    licence = item.dataset.licence
    return pb.DatasetState(
        dataset=item.dataset.id,
        publisher=licence.publisher,
        title=licence.dataset,
        licence=licence.licence,
        url=licence.url,
        way=item.way,
        partition=item.dataset.kind,
        partition_count=item.partition_count,
        oldest_edition=item.oldest_edition,
        newest_edition=item.newest_edition,
        loaded_at=item.loaded_at,
        refresh_at=item.refresh_at,
    )
