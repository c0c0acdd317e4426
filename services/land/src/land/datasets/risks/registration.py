"""Answers of Géorisques."""

from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.grouping import unique
from land.datasets.risks import queries as risks
from land.datasets.risks.reader import RecordedAnswers
from land.store.repository import replace_all

GEORISQUES = Dataset(
    id="georisques",
    order=210,
    licence=Licence(
        publisher="BRGM, ministère chargé de l'environnement",
        dataset="Géorisques",
        attribution="Géorisques, BRGM et ministère chargé de l'environnement",
        url="https://www.georisques.gouv.fr",
    ),
    kind="commune",
    make_reader=RecordedAnswers,
    write=replace_all(risks.ANSWERS),
    rows=unique("place", "question"),
    facts=risks.facts,
    hosts=(Host("georisques", "https://www.georisques.gouv.fr/api", "Asked about single parcels."),),
    is_asked=True,
    is_stated_by_blocks=True,
)
