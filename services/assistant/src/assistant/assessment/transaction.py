"""Checks on the sale: the boundary survey that a plot needs, and the register of sales."""

from assistant.assessment import documents, legal
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.text import area, day, euros, join, metres, say
from landpartner.land.v1.land_pb2 import DvfSale, RealEstateBlock
from servicekit.languages import Text

AREA_GAP_RATIO = 0.05
"""The check mentions a difference from this size on. Plans redrawn from paper often have a small one."""


@rule(
    "La vente d’un lot à bâtir repose sur un bornage.",
    "The sale of a building plot rests on a boundary survey.",
    legal_refs=(legal.BORNAGE, legal.SURVEYORS),
    weight=1,
    settled_by=("cadastre-parcels", documents.BOUNDARY_SURVEY),
)
def boundary_survey(facts: LandFacts, layout: Layout) -> Finding:
    """The deed of a plot for a home, in a lotissement, describes the plot from a bornage (L115-4).

    Only a géomètre-expert may draw the plans of a bornage (law of 1946). A bornage of the whole land with its lots
    staked out is sufficient (Cour de cassation, 3e civ., 8 July 2021, n° 20-17.160).
    """
    duty = Text(
        "L’acte qui vend un lot de lotissement où bâtir un logement décrit le terrain d’après un bornage, dont seul un "
        "géomètre-expert dresse le plan.",
        "The deed that sells a plot of a lotissement for a home describes the land from a boundary survey (bornage), "
        "whose plan only a licensed surveyor (géomètre-expert) draws.",
    )
    if facts.is_surveyed is None:
        detail = Text(
            "Le cadastre ne dit pas si le terrain a été arpenté.",
            "The cadastre does not tell whether the land was measured on the ground.",
        )
        return Finding(Status.UNKNOWN, join([duty, detail]))
    parts = [duty]
    if facts.is_surveyed:
        parts.append(
            Text(
                "La parcelle est arpentée au cadastre : sa contenance vient d’un mesurage, ce qui ne vaut pas bornage "
                "de ses limites."
                if len(facts.parcel_ids) == 1
                else "Les parcelles sont arpentées au cadastre : leur contenance vient d’un mesurage, ce qui ne vaut "
                "pas bornage de leurs limites.",
                "The cadastre states that it was measured on the ground (arpentée): its declared area comes from "
                "that, which is no boundary survey.",
            )
        )
    else:
        parts.append(
            Text(
                "Le cadastre ne dit pas toutes ces parcelles arpentées : contenances et limites au plan sont "
                "indicatives."
                if len(facts.parcel_ids) > 1
                else "Le cadastre ne dit pas cette parcelle arpentée : sa contenance et ses limites au plan sont "
                "indicatives.",
                "The cadastre does not state that the land was measured on the ground (arpentée): its area and its "
                "limits on the plan are indicative.",
            )
        )
    declared, measured = facts.cadastral_area_m2, facts.geometric_area_m2
    gap = abs(declared - measured) / declared if declared and measured and round(declared) != round(measured) else 0.0
    if gap >= AREA_GAP_RATIO and declared and measured:
        parts.append(
            say(
                "La surface dessinée ({drawn}) s’écarte de la contenance ({declared}).",
                "The drawn area ({drawn}) differs from the declared one ({declared}).",
                drawn=area(measured),
                declared=area(declared),
            )
        )
    settled = facts.is_surveyed and gap < AREA_GAP_RATIO
    return Finding(Status.PASS if settled else Status.WARN, join(parts), facts.is_surveyed)


@rule(
    "Les ventes relevées situent la valeur du terrain.",
    "The sales on record place the value of the land.",
    legal_refs=(legal.SALES_REGISTER,),
    weight=1,
    settled_by=("dvf",),
)
def recent_sales(facts: LandFacts, layout: Layout) -> Finding:
    """Which sales of the unit does the register (DVF) show, and at which price?"""
    sales, market = facts.sales, facts.unit.real_estate
    if sales is None:
        detail = say(
            "Le registre des ventes n’est pas disponible pour ce terrain{why}.",
            "The register of sales is not available for this land{why}.",
            why=facts.why_missing("sales"),
        )
        return Finding(Status.UNKNOWN, detail, unit="sales", legal_refs=())
    parts = [own_sales(facts)]
    if not facts.is_complete("sales"):
        parts.append(
            Text(
                "Le registre n’est disponible que pour une partie du terrain.",
                "The register is available for part of the land only.",
            )
        )
    if market.HasField("median_price_eur_per_m2"):
        parts.append(nearby(market))
    status = Status.PASS if sales or facts.is_complete("sales") else Status.UNKNOWN
    return Finding(status, join(parts), float(len(sales)), unit="sales")


def nearby(market: RealEstateBlock) -> Text:
    """The median price. The sentence names the kind, since a price per built m² is not a price of land."""
    what, measure = _KINDS.get(market.kind, _ANY_KIND)
    values: dict[str, object] = {"what": what, "measure": measure, "price": euros(market.median_price_eur_per_m2)}
    if not (market.sale_count and market.HasField("radius_m")):
        return say(
            "Le prix médian {what} relevé alentour est de {price} par {measure}.",
            "The median price {what} found around is {price} per {measure}.",
            **values,
        )
    return say(
        "À moins de {radius}, le prix médian {what} est de {price} par {measure}, sur {count} ventes.",
        "Within {radius}, the median price {what} is {price} per {measure}, over {count} sales.",
        radius=metres(market.radius_m),
        count=market.sale_count,
        **values,
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
    """How many sales the unit has, and the last one."""
    market = facts.unit.real_estate
    if facts.sales:
        return _last_sale(facts.sales[0], len(facts.sales))
    if not (market.period_from and market.period_to):
        return Text(
            "Aucune vente de ce terrain n’est relevée sur la période couverte.",
            "No sale of this land is found over the period covered.",
        )
    return say(
        "Aucune vente de ce terrain n’est relevée du {first} au {last}.",
        "No sale of this land is found from {first} to {last}.",
        first=day(market.period_from),
        last=day(market.period_to),
    )


def _last_sale(sale: DvfSale, count: int) -> Text:
    on = (
        say("le {day}", "on {day}", day=day(sale.date_mutation))
        if sale.date_mutation
        else Text("à une date inconnue", "on an unknown date")
    )
    what = Text(", de lots de copropriété", ", of lots of a joint ownership (copropriété)")
    values: dict[str, object] = {"on": on, "count": count, "what": what if sale.lot_count else Text("", "")}
    if count == 1:
        opening = say(
            "Une vente sur ce terrain est relevée, {on}{what}", "One sale on this land is found, {on}{what}", **values
        )
    else:
        opening = say(
            "{count} ventes sur ce terrain sont relevées, la dernière {on}{what}",
            "{count} sales on this land are found, the last {on}{what}",
            **values,
        )
    if not sale.HasField("valeur_fonciere"):
        return say("{opening}, sans prix publié.", "{opening}, with no price published.", opening=opening)
    price = euros(sale.valeur_fonciere)
    if sale.parcel_count > 1:
        return say(
            "{opening}, pour {price} avec d’autres parcelles.",
            "{opening}, for {price} together with other parcels.",
            opening=opening,
            price=price,
        )
    return say("{opening}, pour {price}.", "{opening}, for {price}.", opening=opening, price=price)
