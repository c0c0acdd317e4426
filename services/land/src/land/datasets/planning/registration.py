"""Planning documents of the Géoportail de l'urbanisme."""

from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.duplicates import unique
from land.datasets.planning import queries as planning
from land.datasets.planning import reader as gpu
from land.store.repository import replace_all

GPU = (
    Host("gpu", "https://apicarto.ign.fr/api/gpu"),
    Host(
        "gpu_wfs",
        "https://data.geopf.fr/wfs/ows",
        "WFS for layers that are too large for one answer of API Carto.",
    ),
)


def gpu_licence(dataset: str) -> Licence:
    return Licence(
        publisher="Géoportail de l'urbanisme",
        dataset=dataset,
        attribution="Géoportail de l'urbanisme, IGN et autorités compétentes",
        url="https://www.geoportail-urbanisme.gouv.fr",
    )


GPU_ZONES = Dataset(
    id="gpu-zones",
    licence=gpu_licence("Documents d'urbanisme, zones"),
    kind="document",
    make_reader=gpu.Zones,
    write=planning.replace_zones,
    hosts=GPU,
)
GPU_PRESCRIPTIONS = Dataset(
    id="gpu-prescriptions",
    licence=gpu_licence("Documents d'urbanisme, prescriptions"),
    kind="document",
    make_reader=gpu.Prescriptions,
    write=planning.replace_features(planning.PRESCRIPTIONS),
    hosts=GPU,
)
GPU_INFORMATIONS = Dataset(
    id="gpu-informations",
    licence=gpu_licence("Documents d'urbanisme, informations"),
    kind="document",
    make_reader=gpu.Informations,
    write=planning.replace_features(planning.INFORMATIONS),
    hosts=GPU,
)
GPU_DOCUMENTS = Dataset(
    id="gpu-documents",
    licence=gpu_licence("Documents d'urbanisme"),
    kind="document",
    make_reader=gpu.Documents,
    write=replace_all(planning.DOCUMENTS),
    rows=unique("document_id"),
    hosts=GPU,
)
GPU_COMMUNES = Dataset(
    id="gpu-communes",
    licence=gpu_licence("Communes et règlement national d'urbanisme"),
    kind="commune",
    make_reader=gpu.Communes,
    write=replace_all(planning.COMMUNES),
    rows=unique("commune_code"),
    hosts=GPU,
)
GPU_IN_FORCE = Dataset(
    id="gpu-in-force",
    licence=gpu_licence("Documents d'urbanisme en vigueur par commune"),
    kind="commune",
    make_reader=gpu.InForce,
    write=replace_all(planning.IN_FORCE),
    rows=unique("commune_code", "partition"),
    hosts=GPU,
)
PLANNING = tuple(
    dataset.id
    for dataset in (GPU_ZONES, GPU_PRESCRIPTIONS, GPU_INFORMATIONS, GPU_DOCUMENTS, GPU_COMMUNES, GPU_IN_FORCE)
)
