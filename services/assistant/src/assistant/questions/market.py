"""Answers about the market: value from comparable sales, sales of the unit, and its permits."""

import statistics
from collections import Counter
from collections.abc import Sequence

from assistant.assessment.transaction import measure_of, nearby, own_sales
from assistant.questions.principles import principles
from assistant.questions.replies import Found, Statement, Subject, state
from assistant.text import area, day, euros, listed, say
from landpartner.land.v1.land_pb2 import ComparableSale, DvfSale, UrbanAuthorization
from servicekit.languages import Text

LEAST_FOR_SPREAD = 4
"""Fewer prices have no quartiles worth the name."""
MAX_LISTED = 5
"""Sales and permits that are listed one by one."""


def value(subject: Subject) -> Found:
    facts = subject.facts
    market, comparables = facts.unit.real_estate, facts.comparables
    if facts.sales is None:
        return subject.check("recent_sales").detail
    statements = []
    if market.HasField("median_price_eur_per_m2"):
        statements.append(Statement("comparable_sales", nearby(market)))
    if len(comparables) >= LEAST_FOR_SPREAD:
        statements.append(Statement("comparable_sales", _spread(comparables)))
    if comparables:
        statements.append(Statement("comparable_sales", _period(comparables)))
    if not statements:
        return Text(
            "Trop peu de ventes comparables sont relevées alentour pour situer un prix.",
            "Too few comparable sales are found around to place a price.",
        )
    if facts.sales:
        statements.append(Statement("sales", own_sales(facts)))
    return (*statements, *principles("appraisal"))


def _spread(comparables: Sequence[ComparableSale]) -> Text:
    prices = [item.price_eur_per_m2 for item in comparables]
    low, _, high = statistics.quantiles(prices, n=4, method="inclusive")
    return say(
        "Les {count} ventes comparables les plus proches vont de {least} à {most} par {measure}, et la moitié d’entre "
        "elles de {low} à {high}.",
        "The {count} nearest comparable sales range from {least} to {most} per {measure}, and half of them from {low} "
        "to {high}.",
        count=len(prices),
        measure=measure_of(comparables[0].kind),
        least=euros(min(prices)),
        most=euros(max(prices)),
        low=euros(low),
        high=euros(high),
    )


def _period(comparables: Sequence[ComparableSale]) -> Text:
    days = sorted(item.date_mutation for item in comparables)
    if len(days) == 1:
        return say(
            "Une seule vente comparable est relevée, le {day}, à {price} par {measure}.",
            "A single comparable sale is found, on {day}, at {price} per {measure}.",
            day=day(days[0]),
            measure=measure_of(comparables[0].kind),
            price=euros(comparables[0].price_eur_per_m2),
        )
    return say(
        "Ces ventes ont eu lieu du {first} au {last}.",
        "These sales took place from {first} to {last}.",
        first=day(days[0]),
        last=day(days[-1]),
    )


def sales(subject: Subject) -> Found:
    sales = subject.facts.sales
    if sales is None or not (sales or subject.facts.is_complete("sales")):
        return subject.check("recent_sales").detail
    if len(sales) > 1:
        return (Statement("sales", _listed_sales(sales)),)
    return (Statement("sales", own_sales(subject.facts)),)


def _listed_sales(sales: Sequence[DvfSale]) -> Text:
    return say(
        "{count} ventes sur ce terrain sont relevées : {sales}.",
        "{count} sales on this land are found: {sales}.",
        count=len(sales),
        sales=listed([_sale(sale) for sale in sales[:MAX_LISTED]]),
    )


def _sale(sale: DvfSale) -> Text:
    when = (
        say("le {day}", "on {day}", day=day(sale.date_mutation))
        if sale.date_mutation
        else Text("à une date inconnue", "on an unknown date")
    )
    if not sale.HasField("valeur_fonciere"):
        return say("{when} sans prix publié", "{when} with no price published", when=when)
    with_other_parcels = (
        Text(" avec d’autres parcelles", " together with other parcels") if sale.parcel_count > 1 else Text("", "")
    )
    return say(
        "{when} pour {price}{others}",
        "{when} for {price}{others}",
        when=when,
        price=euros(sale.valeur_fonciere),
        others=with_other_parcels,
    )


_TYPES = {
    "PC": (Text("un permis de construire", "one building permit"), Text("permis de construire", "building permits")),
    "DP": (
        Text("une déclaration préalable", "one prior declaration"),
        Text("déclarations préalables", "prior declarations"),
    ),
    "PA": (Text("un permis d’aménager", "one planning permit"), Text("permis d’aménager", "planning permits")),
    "PD": (Text("un permis de démolir", "one demolition permit"), Text("permis de démolir", "demolition permits")),
}
_OTHER_TYPE = (Text("une autorisation", "one authorisation"), Text("autorisations", "authorisations"))


def permits(subject: Subject) -> Found:
    permits = subject.facts.permits
    if permits is None:
        return say(
            "Les permis ne sont pas connus pour ce terrain{why}.",
            "The permits are not known for this land{why}.",
            why=subject.facts.why_missing("permits"),
        )
    if not (permits or subject.facts.is_complete("permits")):
        return Text(
            "Aucun permis n’est relevé sur le terrain, mais le registre n’est disponible qu’en partie.",
            "No permit is found on the land, but the register is available in part only.",
        )
    return (Statement("permits", _counted(permits)), *principles("permits"))


def _counted(permits: Sequence[UrbanAuthorization]) -> Text:
    if not permits:
        return Text("Aucun permis n’est relevé sur le terrain.", "No permit is found on the land.")
    counts = Counter(permit.type_dau for permit in permits)
    names = [
        one if count == 1 else say("{count} {many}", "{count} {many}", count=count, many=many)
        for code, count in counts.items()
        for one, many in (_TYPES.get(code, _OTHER_TYPE),)
    ]
    dated = [permit.date_reelle_autorisation for permit in permits if permit.date_reelle_autorisation]
    if not dated:
        return say("Sur le terrain : {names}.", "On the land: {names}.", names=listed(names))
    return say(
        "Sur le terrain : {names}, l’autorisation la plus récente du {day}.",
        "On the land: {names}, the most recent authorisation of {day}.",
        names=listed(names),
        day=day(max(dated)),
    )


def unit_area(subject: Subject) -> Found:
    declared, geometric = subject.facts.cadastral_area_m2, subject.facts.geometric_area_m2
    if declared is None and geometric is None:
        return subject.check("unit_area").detail
    statements = state(subject.check("unit_area"))
    if not (declared and geometric):
        return (statements,)
    plan = say(
        "Le plan cadastral en dessine {drawn}, ce qui n’est pas un mesurage.",
        "The cadastral plan draws {drawn} of it, which is no measurement.",
        drawn=area(geometric),
    )
    return (statements, Statement("unit_area", plan))
