"""Public easements of the Géoportail de l'urbanisme."""

from land.datasets.easements import queries as easements
from land.datasets.easements import reader as sup
from land.datasets.grouping import unique
from land.datasets.planning.registration import gpu_dataset
from land.store.repository import replace_all

GPU_SUP = gpu_dataset(
    easements.DATASET,
    190,
    "Servitudes d'utilité publique",
    "commune",
    sup.Easements,
    easements.replace_easements,
    facts=easements.facts,
    linked=easements.unknown_acts,
    needs_plan=True,
)
GPU_SUP_DOCUMENTS = gpu_dataset(
    easements.DOCUMENTS_DATASET,
    200,
    "Servitudes d'utilité publique, documents publiés",
    "department",
    sup.EasementDocuments,
    replace_all(easements.DOCUMENTS),
    rows=unique("document"),
    is_stated_by_blocks=False,
)
