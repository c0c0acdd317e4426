"""Regulated zones of the prevention plans for natural and for technological risks."""

from functools import partial

from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.risk_zones.queries import RISK_ZONES
from land.datasets.risk_zones.reader import PlanKind, RiskZones
from land.store.repository import replace_all


def _zones(kind: PlanKind, order: int, title: str) -> Dataset:
    return Dataset(
        id=f"{kind}-zones",
        order=order,
        licence=Licence(
            publisher="BRGM, ministère chargé de l'environnement",
            dataset=f"Zonage réglementaire des plans de prévention des risques {title}",
            attribution="Géorisques, BRGM et ministère chargé de l'environnement",
            url="https://www.georisques.gouv.fr/donnees/bases-de-donnees",
        ),
        kind="department",
        make_reader=partial(RiskZones, kind),
        write=replace_all(RISK_ZONES),
        hosts=(Host("risk_zones", "https://files.georisques.fr/ppr", "Archives of zones by département."),),
        is_streamed=True,
        is_awaited=False,
    )


PPRN_ZONES, PPRT_ZONES = _zones("pprn", 215, "naturels"), _zones("pprt", 216, "technologiques")
