"""The written regulations of the planning documents of the Géoportail de l'urbanisme."""

from land.datasets.dataset import Host
from land.datasets.planning.attributes import FILES
from land.datasets.planning.registration import GPU_ZONES, gpu_dataset
from land.datasets.regulations import queries as regulations
from land.datasets.regulations.reader import Regulations
from land.store.repository import replace_all

GPU_REGULATIONS = gpu_dataset(
    regulations.DATASET,
    185,
    "Documents d'urbanisme, règlements écrits",
    "document",
    Regulations,
    replace_all(regulations.REGULATIONS),
    hosts=(
        Host("gpu_files", FILES, "Written parts of planning documents."),
        Host(
            "gpu_documents",
            "https://www.geoportail-urbanisme.gouv.fr/api",
            "Which files a planning document has, and whether they are protected.",
        ),
    ),
    consequences={GPU_ZONES.id: regulations.forget_outdated},
    needs_plan=True,
    follows=GPU_ZONES.id,
    is_awaited=False,
)
