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
    order=130,
    licence=gpu_licence("Documents d'urbanisme, zones"),
    kind="document",
    make_reader=gpu.Zones,
    write=planning.replace_zones,
    hosts=GPU,
    is_stated_by_blocks=True,
)
GPU_PRESCRIPTIONS = Dataset(
    id="gpu-prescriptions",
    order=140,
    licence=gpu_licence("Documents d'urbanisme, prescriptions"),
    kind="document",
    make_reader=gpu.Prescriptions,
    write=planning.replace_features(planning.PRESCRIPTIONS),
    hosts=GPU,
    is_stated_by_blocks=True,
)
GPU_INFORMATIONS = Dataset(
    id="gpu-informations",
    order=150,
    licence=gpu_licence("Documents d'urbanisme, informations"),
    kind="document",
    make_reader=gpu.Informations,
    write=planning.replace_features(planning.INFORMATIONS),
    hosts=GPU,
    is_stated_by_blocks=True,
)
GPU_DOCUMENTS = Dataset(
    id="gpu-documents",
    order=160,
    licence=gpu_licence("Documents d'urbanisme"),
    kind="document",
    make_reader=gpu.Documents,
    write=replace_all(planning.DOCUMENTS),
    rows=unique("document_id"),
    hosts=GPU,
    is_stated_by_blocks=True,
)
GPU_COMMUNES = Dataset(
    id="gpu-communes",
    order=170,
    licence=gpu_licence("Communes et règlement national d'urbanisme"),
    kind="commune",
    make_reader=gpu.Communes,
    write=replace_all(planning.COMMUNES),
    rows=unique("commune_code"),
    hosts=GPU,
    is_stated_by_blocks=True,
)
GPU_IN_FORCE = Dataset(
    id="gpu-in-force",
    order=180,
    licence=gpu_licence("Documents d'urbanisme en vigueur par commune"),
    kind="commune",
    make_reader=gpu.InForce,
    write=replace_all(planning.IN_FORCE),
    rows=unique("commune_code", "partition"),
    hosts=GPU,
    is_stated_by_blocks=True,
)
DATASETS = (GPU_ZONES, GPU_PRESCRIPTIONS, GPU_INFORMATIONS, GPU_DOCUMENTS, GPU_COMMUNES, GPU_IN_FORCE)
PLANNING = tuple(dataset.id for dataset in DATASETS)
