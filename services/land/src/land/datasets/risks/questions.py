"""What Géorisques (BRGM) can be asked, and how its answers are read. To correct an endpoint, change its row in
QUESTIONS.

The rows follow documented answers, since the service could not be reached: README.md says what to verify. Version 1
is open. Version 2 needs the operator's token, and answers about whole parcels.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import orjson

from land.datasets.parcels.ids import commune_of
from land.datasets.partitions import filing_commune
from land.datasets.risks import answer_rows as rows
from land.datasets.risks.answer_rows import Content, Row
from land.datasets.risks.records import Grain, RiskAnswer, RiskStatus

PAGE_ROWS: Final = 100
MAX_ROWS: Final = 500
"""The most rows of one answer. Further rows are only counted."""
NEAR_M: Final = 500
"""Sites that are farther from the land unit are left out."""
MAX_PLANS: Final = 300
"""No commune has so many plans: an answer with more ignored the filter, and lists those of the country."""


class Page(NamedTuple):
    rows: list[Row]
    total: int


@dataclass(frozen=True)
class Question:
    """One endpoint for one subject."""

    name: str
    """The name in the store and in recorded files."""
    subject: str
    path: str
    """Below the base address."""
    ask: Literal["parcel", "point", "nearby", "commune"]
    """The parameters: codesParcelle; latlon, which is lon,lat; latlon and rayon; or the code of a commune."""
    form: Literal["data", "content", "object", "list"]
    """`data`: pages from 1. `content`: pages from 0. `object`: a bare object, or nothing. `list`: a bare list."""
    read: Callable[[Sequence[Row]], Content]
    """Raises ValueError for a row that is not as documented."""
    commune_parameter: str = "code_insee"
    is_of_whole_city: bool = False
    """Paris, Lyon and Marseille have one code for all arrondissements."""
    empty_is_unknown_in: tuple[str, ...] = ()
    """Beginnings of communes that the map does not cover: an empty answer there does not mean none."""

    @property
    def needs_token(self) -> bool:
        return self.path.startswith("v2/")

    @property
    def is_of_commune(self) -> bool:
        return self.ask == "commune"

    @property
    def grain(self) -> Grain:
        return "site" if self.ask == "nearby" else self.ask

    def places(self, parcel_ids: Sequence[str]) -> list[str]:
        """The places that the question is asked about, for these parcels."""
        if not self.is_of_commune:
            return list(parcel_ids)
        communes = dict.fromkeys(map(commune_of, parcel_ids))
        return list(dict.fromkeys(map(filing_commune, communes) if self.is_of_whole_city else communes))


def parameters(
    question: Question, place: str, point: tuple[float, float], radius_m: int, page: int = 0
) -> dict[str, str]:
    """The query of a page, counted from 0. `point` is longitude and latitude, and unused for communes."""
    lon, lat = point
    query = {
        "parcel": {"codesParcelle": "-".join((place[:5], place[5:8], place[8:10], place[10:]))},
        "point": {"latlon": f"{lon:.6f},{lat:.6f}"},
        "nearby": {"latlon": f"{lon:.6f},{lat:.6f}", "rayon": str(radius_m)},
        "commune": {question.commune_parameter: place},
    }[question.ask]
    if question.form == "data":
        query |= {"page": str(page + 1), "page_size": str(PAGE_ROWS)}
    elif question.form == "content":
        query |= {"pageNumber": str(page), "pageSize": str(PAGE_ROWS)}
    return query


def read_page(question: Question, body: object) -> Page:
    """The rows of an answer. `body` is None for an answer of no bytes. Raises ValueError for another envelope."""
    match question.form, body:
        case "object", None:
            return Page([], 0)
        case "object", dict():
            return Page([body], 1)
        case "list", [*items]:
            return Page(rows.objects(items), len(items))
        case "data", {"data": [*items], **others} if others.get("response_code") in (None, 200):
            return Page(rows.objects(items), _count(others.get("results"), len(items)))
        case "content", {"content": [*items], **others}:
            return Page(rows.objects(items), _count(others.get("totalElements"), len(items)))
    raise ValueError("another envelope than documented")


def answer_of(question: Question, place: str, page: Page, retrieved_at: str) -> RiskAnswer:
    """Raises ValueError for an answer to another question, or that is not as documented."""
    if page.total > MAX_PLANS and question.read in (rows.plans, rows.plans_of_parcel):
        raise ValueError(f"{page.total} plans: the filter was ignored")
    if question.is_of_commune and any(row.get("code_insee", place) != place for row in page.rows):
        raise ValueError("rows of another commune")
    content = question.read(page.rows)
    is_known = bool(content.findings) or content.level is not None
    status: RiskStatus = "present" if is_known else "none"
    if not is_known and place.startswith(question.empty_is_unknown_in or "-"):
        status = "not_covered"
    findings = [
        {name: value for name, value in finding._asdict().items() if value not in (None, ())}
        for finding in content.findings[:MAX_ROWS]
    ]
    total = len(content.findings) + max(0, page.total - len(page.rows))
    encoded = orjson.dumps(findings).decode()
    return RiskAnswer(
        place[:5], place, question.name, retrieved_at, status, content.level, content.label, total, encoded
    )


def _count(value: object, least: int) -> int:
    return max(value, least) if type(value) is int else least


_CLAY = rows.levels("codeExposition", "exposition", "123")
_CLAY_UNKNOWN = ("75", "97")
"""The map is of metropolitan France without Paris."""
_POLLUTED = rows.sites("identifiant_ssp", "nom_etablissement", "", "statut", "date_maj", "fiche_risque")
QUESTIONS: Mapping[str, Question] = {
    question.name: question
    for question in (
        Question("clay_of_parcel", "clay", "v2/rga", "parcel", "content", _CLAY, empty_is_unknown_in=_CLAY_UNKNOWN),
        Question("clay", "clay", "v1/rga", "point", "object", _CLAY, empty_is_unknown_in=_CLAY_UNKNOWN),
        Question("cavities", "cavity", "v1/cavites", "nearby", "data", rows.sites("identifiant", "nom", "type")),
        Question(
            "landslides", "landslide", "v1/mvt", "nearby", "data",
            rows.sites("identifiant", "lieu", "type", "fiabilite", "date_debut"),
        ),
        Question("casias", "polluted_soil", "v1/ssp/casias", "nearby", "data", _POLLUTED),
        Question("instructions", "polluted_soil", "v1/ssp/instructions", "nearby", "data", _POLLUTED),
        Question(
            "information_sectors", "soil_information_sector", "v1/ssp/conclusions_sis", "nearby", "data",
            rows.sites("id_sis", "nom", "", "statut_classification", "date_maj", "fiche_risque"),
        ),
        Question(
            "installations", "classified_installation", "v1/installations_classees", "nearby", "data",
            rows.installations,
        ),
        Question(
            "radon", "radon", "v1/radon", "commune", "data", rows.levels("classe_potentiel", "libelle_classe", "123")
        ),
        Question(
            "seismic", "seismic", "v1/zonage_sismique", "commune", "data",
            rows.levels("code_zone", "zone_sismicite", "12345"),
        ),
        Question("floods", "flood_territory", "v1/tri_zonage", "point", "data", rows.floods),
        Question("brush_clearing", "brush_clearing", "v1/old", "point", "list", rows.brush_clearing),
        *(
            question
            for kind, subject in (
                ("pprn", "natural_risk_plan"), ("pprt", "technological_risk_plan"), ("pprm", "mining_risk_plan")
            )
            for question in (
                Question(
                    f"{kind}_of_parcel", subject, f"v2/gaspar/{kind}", "parcel", "content", rows.plans_of_parcel
                ),
                Question(
                    kind, subject, f"v1/gaspar/{kind}", "commune", "content", rows.plans, "codeInsee",
                    is_of_whole_city=True,
                ),
            )
        ),
        Question(
            "recorded_risks", "recorded_risks", "v1/gaspar/risques", "commune", "data", rows.recorded_risks,
            is_of_whole_city=True,
        ),
        Question(
            "natural_disasters", "natural_disasters", "v1/gaspar/catnat", "commune", "data", rows.natural_disasters,
            is_of_whole_city=True,
        ),
    )
}  # fmt: skip
"""The questions by name. Of two with one subject and different grains, the finer one comes first."""


_KINDS_OF_PLACES = tuple(
    {(question.is_of_commune, question.is_of_whole_city): question for question in QUESTIONS.values()}.values()
)
"""One question for each kind of place."""


def places_of(parcel_ids: Sequence[str]) -> list[str]:
    """All places that questions are asked about, for these parcels."""
    return list(dict.fromkeys(place for question in _KINDS_OF_PLACES for place in question.places(parcel_ids)))
