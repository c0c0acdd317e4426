"""Lists of communes with what applies in each."""

from collections.abc import Iterable, Sequence
from functools import partial

from land.datasets.commune_rules.queries import COMMUNE_RULES
from land.datasets.commune_rules.reader import Coast, Mountain, PlanStates, TaxRates
from land.datasets.commune_rules.records import CommuneRule
from land.datasets.dataset import Dataset, Host, Licence
from land.store.repository import replace_all

_DATA_GOUV = "https://www.data.gouv.fr/datasets"


def _rows(records: Iterable[CommuneRule]) -> Sequence[Iterable[CommuneRule]]:
    """One row for each commune: the last one, and of rates the newest with the range of its sectors."""
    by_commune: dict[str, CommuneRule] = {}
    for record in sorted(records, key=lambda record: record.year or 0):
        previous = by_commune.get(record.commune_code)
        if record.year and previous and previous.year == record.year:
            rates = [previous.commune_percent, previous.highest_percent, record.commune_percent]
            known = [rate for rate in rates if rate is not None]
            lowest, highest = min(known, default=None), max(known, default=None)
            by_commune[record.commune_code] = record._replace(commune_percent=lowest, highest_percent=highest)
        else:
            by_commune[record.commune_code] = record
    by_commune.pop("", None)
    return (by_commune.values(),)


_list = partial(Dataset, kind="department", write=replace_all(COMMUNE_RULES), rows=_rows)
TAX = _list(
    id=TaxRates.dataset,
    order=232,
    licence=Licence(
        publisher="DGFiP",
        dataset="Taxe d'aménagement, éléments de taxation votés par les collectivités",
        attribution="DGFiP, taux votés de la taxe d'aménagement",
        url=f"{_DATA_GOUV}/taxe-damenagement-elements-de-taxation-votes-par-les-collectivites-a-partir-de-2022/",
    ),
    make_reader=TaxRates,
)
MOUNTAIN = _list(
    id=Mountain.dataset,
    order=234,
    licence=Licence(
        publisher="Cerema",
        dataset="Application des dispositions d'urbanisme de la loi Montagne",
        attribution="Cerema, communes soumises à la loi Montagne",
        url=f"{_DATA_GOUV}/673319c4104ba60b2030ed4d/",
    ),
    make_reader=Mountain,
)
COAST = _list(
    id=Coast.dataset,
    order=236,
    licence=Licence(
        publisher="Ministère chargé de l'écologie",
        dataset="Communes soumises à la loi Littoral",
        attribution="Ministère chargé de l'écologie, communes soumises à la loi Littoral",
        url=f"{_DATA_GOUV}/?q=communes+loi+littoral",
    ),
    make_reader=Coast,
)
PLANS = _list(
    id=PlanStates.dataset,
    order=238,
    licence=Licence(
        publisher="Docurba, ministère chargé de l'urbanisme",
        dataset="État des documents d'urbanisme par commune",
        attribution="Docurba, état des documents d'urbanisme",
        url="https://docurba.beta.gouv.fr",
    ),
    make_reader=PlanStates,
    is_never_empty=True,
    hosts=(Host("docurba", "https://docurba.beta.gouv.fr/api/urba", "States of the plans of communes."),),
    is_awaited=False,
)
DATASETS = (TAX, MOUNTAIN, COAST, PLANS)
