"""Checks on selling: the boundary survey that a plot takes, and what the register of sales shows."""

from assistant.assessment.facts import LandFacts, Layout, Sale
from assistant.assessment.result import Finding, Status
from assistant.text import Day, Text, area, euros, join, say

AREA_GAP_RATIO = 0.05
"""Gap between declared and drawn area from which it is worth a word; a plan redrawn from paper often has some."""


def boundary_survey(facts: LandFacts, layout: Layout) -> Finding:
    """Selling a plot of a lotissement takes a description that comes from a bornage (L115-4)."""
    duty = Text(
        "La vente d'un lot à bâtir suppose un bornage par un géomètre-expert.",
        "The sale of a building plot takes a boundary survey by a licensed surveyor.",
    )
    if facts.is_surveyed is None:
        detail = Text(
            "Le cadastre ne dit pas si les limites ont été arpentées.",
            "The cadastre does not tell whether the boundaries were surveyed.",
        )
        return Finding(Status.UNKNOWN, join([duty, detail]))
    parts = [duty]
    if facts.is_surveyed:
        parts.append(
            Text("Les limites actuelles sont issues d'un arpentage.", "The present limits come from a survey.")
        )
    else:
        parts.append(
            Text(
                "Les limites actuelles ne sont pas arpentées : le plan cadastral n'en donne qu'une position "
                "indicative.",
                "The present limits were not surveyed: the cadastral plan shows them only roughly.",
            )
        )
    declared, drawn = facts.cadastral_area_m2, facts.geometric_area_m2
    gap = abs(declared - drawn) / declared if declared and drawn else 0.0
    if gap >= AREA_GAP_RATIO and declared and drawn:
        parts.append(
            say(
                "La surface dessinée ({drawn}) s'écarte de la contenance ({declared}).",
                "The drawn area ({drawn}) differs from the declared one ({declared}).",
                drawn=area(drawn),
                declared=area(declared),
            )
        )
    settled = facts.is_surveyed and gap < AREA_GAP_RATIO
    return Finding(Status.PASS if settled else Status.WARN, join(parts), facts.is_surveyed)


def recent_sales(facts: LandFacts, layout: Layout) -> Finding:
    """What the register of sales (DVF) shows of the unit, for its value."""
    sales = facts.sales
    if sales is None:
        detail = Text(
            "Le registre des ventes n'est pas disponible pour ce terrain.",
            "The register of sales is not available for this land.",
        )
        return Finding(Status.UNKNOWN, detail, unit="sales")
    parts = [_last_sale(sales.items[0], len(sales.items))] if sales.items else [_NO_SALE]
    if sales.median_price_eur_per_m2 is not None:
        parts.append(
            say(
                "Le prix médian relevé alentour est de {price} par m².",
                "The median price found around is {price} per m².",
                price=euros(sales.median_price_eur_per_m2),
            )
        )
    return Finding(Status.PASS, join(parts), float(len(sales.items)), unit="sales")


_NO_SALE = Text(
    "Aucune vente du terrain n'est relevée sur la période couverte.",
    "No sale of the land is found over the period covered.",
)


def _last_sale(sale: Sale, count: int) -> Text:
    on = Day(sale.sold_on) if sale.sold_on else Text("une date inconnue", "an unknown date")
    if count == 1:
        opening = say("Une vente du terrain est relevée, le {on}", "One sale of the land is found, on {on}", on=on)
    else:
        opening = say(
            "{count} ventes du terrain sont relevées, la dernière le {on}",
            "{count} sales of the land are found, the last on {on}",
            count=count,
            on=on,
        )
    if sale.price_eur is None:
        return say("{opening}, sans prix publié.", "{opening}, with no price published.", opening=opening)
    if sale.parcel_count > 1:
        return say(
            "{opening}, pour {price} avec d'autres parcelles.",
            "{opening}, for {price} together with other parcels.",
            opening=opening,
            price=euros(sale.price_eur),
        )
    return say("{opening}, pour {price}.", "{opening}, for {price}.", opening=opening, price=euros(sale.price_eur))
