"""The datasets of the Géoportail de l'urbanisme: planning documents and public easements."""

from land.dataset import Dataset, Host, Licence
from land.rows.duplicates import unique
from land.rows.easements import pieces
from land.sources import gpu, sup
from land.store import easements, planning
from land.store.repository import replace_all

_GPU = (
    Host("gpu", "https://apicarto.ign.fr/api/gpu"),
    Host(
        "gpu_wfs",
        "https://data.geopf.fr/wfs/ows",
        "WFS for layers that are too large for one answer of API Carto.",
    ),
)


def _gpu_licence(dataset: str) -> Licence:
    return Licence(
        publisher="Géoportail de l'urbanisme",
        dataset=dataset,
        attribution="Géoportail de l'urbanisme, IGN et autorités compétentes",
        url="https://www.geoportail-urbanisme.gouv.fr",
    )


GPU_ZONES = Dataset(
    id="gpu-zones",
    licence=_gpu_licence("Documents d'urbanisme, zones"),
    kind="document",
    make_reader=gpu.Zones,
    write=planning.replace_zones,
    hosts=_GPU,
)
GPU_PRESCRIPTIONS = Dataset(
    id="gpu-prescriptions",
    licence=_gpu_licence("Documents d'urbanisme, prescriptions"),
    kind="document",
    make_reader=gpu.Prescriptions,
    write=planning.replace_features(planning.PRESCRIPTIONS),
    hosts=_GPU,
)
GPU_INFORMATIONS = Dataset(
    id="gpu-informations",
    licence=_gpu_licence("Documents d'urbanisme, informations"),
    kind="document",
    make_reader=gpu.Informations,
    write=planning.replace_features(planning.INFORMATIONS),
    hosts=_GPU,
)
GPU_DOCUMENTS = Dataset(
    id="gpu-documents",
    licence=_gpu_licence("Documents d'urbanisme"),
    kind="document",
    make_reader=gpu.Documents,
    write=replace_all(planning.DOCUMENTS),
    rows=unique("document_id"),
    hosts=_GPU,
)
GPU_COMMUNES = Dataset(
    id="gpu-communes",
    licence=_gpu_licence("Communes et règlement national d'urbanisme"),
    kind="commune",
    make_reader=gpu.Communes,
    write=replace_all(planning.COMMUNES),
    rows=unique("commune_code"),
    hosts=_GPU,
)
GPU_IN_FORCE = Dataset(
    id="gpu-in-force",
    licence=_gpu_licence("Documents d'urbanisme en vigueur par commune"),
    kind="commune",
    make_reader=gpu.InForce,
    write=replace_all(planning.IN_FORCE),
    rows=unique("commune_code", "partition"),
    hosts=_GPU,
)
GPU_SUP = Dataset(
    id=easements.DATASET,
    licence=_gpu_licence("Servitudes d'utilité publique"),
    kind="commune",
    make_reader=sup.Easements,
    write=easements.replace_with(pieces),
    hosts=_GPU,
    linked=easements.unknown_acts,
    needs_plan=True,
)
GPU_SUP_DOCUMENTS = Dataset(
    id=easements.DOCUMENTS_DATASET,
    licence=_gpu_licence("Servitudes d'utilité publique, documents publiés"),
    kind="department",
    make_reader=sup.EasementDocuments,
    write=replace_all(easements.DOCUMENTS),
    rows=unique("document"),
    hosts=_GPU,
)
