"""Public easements of the Géoportail de l'urbanisme."""

from land.datasets.dataset import Dataset
from land.datasets.duplicates import unique
from land.datasets.easements import queries as easements
from land.datasets.easements import reader as sup
from land.datasets.easements.rows import pieces
from land.datasets.planning.registration import GPU, gpu_licence
from land.store.repository import replace_all

GPU_SUP = Dataset(
    id=easements.DATASET,
    order=190,
    licence=gpu_licence("Servitudes d'utilité publique"),
    kind="commune",
    make_reader=sup.Easements,
    write=easements.replace_with(pieces),
    hosts=GPU,
    linked=easements.unknown_acts,
    needs_plan=True,
    is_stated_by_blocks=True,
)
GPU_SUP_DOCUMENTS = Dataset(
    id=easements.DOCUMENTS_DATASET,
    order=200,
    licence=gpu_licence("Servitudes d'utilité publique, documents publiés"),
    kind="department",
    make_reader=sup.EasementDocuments,
    write=replace_all(easements.DOCUMENTS),
    rows=unique("document"),
    hosts=GPU,
)
DATASETS = (GPU_SUP, GPU_SUP_DOCUMENTS)
