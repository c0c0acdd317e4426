"""Planning documents of the Géoportail de l'urbanisme."""

from typing import Any

from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.grouping import unique
from land.datasets.partitions import PartitionKind
from land.datasets.planning import queries as planning
from land.datasets.planning import reader as gpu
from land.store.repository import replace_all

GPU = (
    Host("gpu", "https://apicarto.ign.fr/api/gpu"),
    Host(
        "gpu_wfs",
        "https://data.geopf.fr/wfs/ows",
        "WFS of BD TOPO, and of layers that are too large for one answer of API Carto.",
    ),
)


def gpu_dataset(
    dataset_id: str, order: int, title: str, kind: PartitionKind, make_reader: Any, write: Any, **options: Any
) -> Dataset:
    """A dataset of the Géoportail. `options` are further fields of it."""
    licence = Licence(
        publisher="Géoportail de l'urbanisme",
        dataset=title,
        attribution="Géoportail de l'urbanisme, IGN et autorités compétentes",
        url="https://www.geoportail-urbanisme.gouv.fr",
    )
    options = {"hosts": GPU, "is_stated_by_blocks": True, **options}
    return Dataset(dataset_id, order, licence, kind, make_reader, write, **options)


GPU_ZONES = gpu_dataset(
    "gpu-zones",
    130,
    "Documents d'urbanisme, zones",
    "document",
    gpu.Zones,
    planning.replace_zones,
    facts=planning.zone_facts,
)
GPU_PRESCRIPTIONS = gpu_dataset(
    "gpu-prescriptions",
    140,
    "Documents d'urbanisme, prescriptions",
    "document",
    gpu.Prescriptions,
    replace_all(planning.PRESCRIPTIONS),
    facts=planning.prescription_facts,
)
GPU_INFORMATIONS = gpu_dataset(
    "gpu-informations",
    150,
    "Documents d'urbanisme, informations",
    "document",
    gpu.Informations,
    replace_all(planning.INFORMATIONS),
)
GPU_DOCUMENTS = gpu_dataset(
    "gpu-documents",
    160,
    "Documents d'urbanisme",
    "document",
    gpu.Documents,
    replace_all(planning.DOCUMENTS),
    rows=unique("document_id"),
    facts=planning.document_facts,
)
GPU_COMMUNES = gpu_dataset(
    "gpu-communes",
    170,
    "Communes et règlement national d'urbanisme",
    "commune",
    gpu.Communes,
    replace_all(planning.COMMUNES),
    rows=unique("commune_code"),
    facts=planning.commune_facts,
)
GPU_IN_FORCE = gpu_dataset(
    "gpu-in-force",
    180,
    "Documents d'urbanisme en vigueur par commune",
    "commune",
    gpu.InForce,
    replace_all(planning.IN_FORCE),
    rows=unique("commune_code", "partition"),
    facts=planning.in_force_facts,
)
PLANNING = tuple(
    dataset.id
    for dataset in (GPU_ZONES, GPU_PRESCRIPTIONS, GPU_INFORMATIONS, GPU_DOCUMENTS, GPU_COMMUNES, GPU_IN_FORCE)
)
