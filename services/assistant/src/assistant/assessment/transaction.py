"""Checks on the sale: the boundary survey that a plot needs, and the register of sales."""

from collections.abc import Sequence

from assistant.assessment.articles import named
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.procedure import is_lotissement
from assistant.assessment.result import Finding, Status, found, rule
from assistant.assessment.sentences import tell
from assistant.text import area, day, euros, join, metres, say
from landpartner.land.v1.land_pb2 import DvfSale, RealEstateBlock
from servicekit.languages import Text

AREA_GAP_RATIO = 0.05
"""The check mentions a difference from this size on. Plans redrawn from paper often have a small one."""


@rule
def boundary_survey(facts: LandFacts, layout: Layout) -> Finding:
    """The deed of a plot for a home, in a lotissement, describes the plot from a bornage (L115-4).

    Only a géomètre-expert may draw the plans of a bornage (law of 1946). A bornage of the whole land with its lots
    staked out is sufficient (Cour de cassation, 3e civ., 8 July 2021, n° 20-17.160).
    """
    is_due = is_lotissement(layout)
    duty = "boundary_survey.duty" if is_due else "boundary_survey.not_required"
    if facts.is_surveyed is None:
        return found(Status.UNKNOWN, duty, "boundary_survey.unknown")
    parcels = "parcel" if len(facts.parcel_ids) == 1 else "parcels"
    survey = f"boundary_survey.{'surveyed' if facts.is_surveyed else 'unsurveyed'}_{parcels}"
    declared, measured = facts.cadastral_area_m2 or 0.0, facts.geometric_area_m2 or 0.0
    has_gap = declared > 0 < measured and round(declared) != round(measured)
    is_far = has_gap and abs(declared - measured) / declared >= AREA_GAP_RATIO
    return found(
        Status.PASS if facts.is_surveyed and not is_far and not is_due else Status.WARN,
        duty,
        survey,
        *(["boundary_survey.gap"] if is_far else []),
        value=facts.is_surveyed,
        drawn=area(measured),
        declared=area(declared),
    )


@rule
def recent_sales(facts: LandFacts, layout: Layout) -> Finding:
    """Which sales of the unit does the register (DVF) show, and at which price?"""
    sales, market = facts.sales, facts.unit.real_estate
    if sales is None:
        return found(Status.UNKNOWN, "recent_sales.missing", unit="sales", why=facts.why_missing("sales"))
    is_complete = facts.is_complete("sales")
    parts = [own_sales(facts)]
    if not is_complete:
        parts.append(tell("recent_sales.incomplete"))
    if market.HasField("median_price_eur_per_m2"):
        parts.append(nearby(market))
    is_settled = is_complete and (facts.former_sales or facts.unit.is_lineage_known)
    status = Status.PASS if sales or is_settled else Status.UNKNOWN
    return Finding(status, join(parts), float(len(sales)), unit="sales", legal_refs=named("sales_register"))


def nearby(market: RealEstateBlock) -> Text:
    """The median price. The sentence names the kind, since a price per built m² is not a price of land."""
    what, measure = _KINDS.get(market.kind, _ANY_KIND)
    return tell(
        "recent_sales.median_nearby" if market.sale_count and market.HasField("radius_m") else "recent_sales.median",
        what=what,
        measure=measure,
        price=euros(market.median_price_eur_per_m2),
        radius=metres(market.radius_m),
        count=market.sale_count,
    )


def measure_of(kind: str) -> Text:
    """The square metres that a price of this kind is for: built, or of ground."""
    return _KINDS.get(kind, _ANY_KIND)[1]


_KINDS = {
    "house": (
        Text("des maisons, terrain compris,", "of houses, their ground included,"),
        Text("m² bâti", "built m²"),
    ),
    "flat": (Text("des appartements", "of flats"), Text("m² bâti", "built m²")),
    "commercial": (Text("des locaux d’activité", "of business premises"), Text("m² bâti", "built m²")),
    "building_land": (Text("des terrains à bâtir", "of building land"), Text("m² de terrain", "m² of ground")),
    "land": (
        Text("des terrains nus autres qu’à bâtir", "of bare land not for building"),
        Text("m² de terrain", "m² of ground"),
    ),
}
_ANY_KIND = (Text("des ventes", "of sales"), Text("m²", "m²"))


def own_sales(facts: LandFacts) -> Text:
    """How many sales the unit has, and the last one; else that of a parcel that it comes from, if there is one."""
    market = facts.unit.real_estate
    if facts.sales:
        return _last_sale(facts.sales, "recent_sales.one", "recent_sales.several")
    if facts.former_sales:
        return _last_sale(facts.former_sales, "recent_sales.former_one", "recent_sales.former_several")
    if not facts.unit.is_lineage_known:
        return tell("recent_sales.lineage_unknown")
    if not (market.period_from and market.period_to):
        return tell("recent_sales.none")
    return tell("recent_sales.none_in_period", first=day(market.period_from), last=day(market.period_to))


def on_day(sale: DvfSale) -> Text:
    return say("le {day}", "on {day}", day=day(sale.date_mutation)) if sale.date_mutation else _ON_UNKNOWN_DAY


_ON_UNKNOWN_DAY = Text("à une date inconnue", "on an unknown date")
_OF_LOTS = Text(", de lots de copropriété", ", of lots of a joint ownership (copropriété)")


def _last_sale(sales: Sequence[DvfSale], one: str, several: str) -> Text:
    sale, count = sales[0], len(sales)
    what = _OF_LOTS if sale.lot_count else Text("", "")
    opening = tell(one if count == 1 else several, count=count, on=on_day(sale), what=what)
    if not sale.HasField("valeur_fonciere"):
        return tell("recent_sales.without_price", opening=opening)
    has_others = sale.parcel_count > 1
    key = "recent_sales.price_with_others" if has_others else "recent_sales.price"
    return tell(key, opening=opening, price=euros(sale.valeur_fonciere))
