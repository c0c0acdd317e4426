"""Answers about the market: value from comparable sales, sales of the unit, and its permits."""

import statistics
from collections import Counter
from collections.abc import Sequence

from assistant.assessment.transaction import measure_of, nearby, on_day, own_sales
from assistant.questions.replies import Found, Statement, Subject, state, statement, tell
from assistant.text import area, day, euros, listed, say
from landpartner.land.v1.land_pb2 import ComparableSale, DvfSale, UrbanAuthorization
from servicekit.languages import Text

LEAST_FOR_SPREAD = 4
"""Fewer prices have no quartiles worth the name."""
MAX_LISTED = 5
"""Sales and permits that are listed one by one."""
_BUILT = frozenset({"house", "flat", "commercial"})
"""Kinds of comparable sales that tell no price of bare land."""


def value(subject: Subject) -> Found:
    facts = subject.facts
    market, comparables = facts.unit.real_estate, facts.comparables
    if facts.sales is None:
        return subject.check("recent_sales").detail
    statements = []
    if market.HasField("median_price_eur_per_m2"):
        statements.append(Statement("comparable_sales", nearby(market)))
    if len(comparables) >= LEAST_FOR_SPREAD:
        statements.append(_spread(comparables))
    if comparables:
        statements.append(_period(comparables))
    if not statements:
        return tell("comparable_sales.few")
    if market.kind in _BUILT:
        statements.append(statement("comparable_sales.built_only"))
    if facts.sales:
        statements.append(Statement("sales", own_sales(facts)))
    return (*statements, statement("appraisal.limits"))


def _spread(comparables: Sequence[ComparableSale]) -> Statement:
    prices = [item.price_eur_per_m2 for item in comparables]
    low, _, high = statistics.quantiles(prices, n=4, method="inclusive")
    return statement(
        "comparable_sales.spread",
        count=len(prices),
        measure=measure_of(comparables[0].kind),
        least=euros(min(prices)),
        most=euros(max(prices)),
        low=euros(low),
        high=euros(high),
    )


def _period(comparables: Sequence[ComparableSale]) -> Statement:
    days = sorted(item.date_mutation for item in comparables)
    if len(days) > 1:
        return statement("comparable_sales.period", first=day(days[0]), last=day(days[-1]))
    measure, price = measure_of(comparables[0].kind), euros(comparables[0].price_eur_per_m2)
    return statement("comparable_sales.single", day=day(days[0]), measure=measure, price=price)


def sales(subject: Subject) -> Found:
    sales = subject.facts.sales
    if sales is None or not (sales or subject.facts.is_complete("sales")):
        return subject.check("recent_sales").detail
    if len(sales) > 1:
        texts = listed([_sale(sale) for sale in sales[:MAX_LISTED]])
        return (statement("sales.listed", count=len(sales), sales=texts),)
    return (Statement("sales", own_sales(subject.facts)),)


def _sale(sale: DvfSale) -> Text:
    if not sale.HasField("valeur_fonciere"):
        return tell("sales.without_price", when=on_day(sale))
    return tell(
        "sales.price_with_others" if sale.parcel_count > 1 else "sales.price",
        when=on_day(sale),
        price=euros(sale.valeur_fonciere),
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
        return tell("permits.missing", why=subject.facts.why_missing("permits"))
    if not (permits or subject.facts.is_complete("permits")):
        return tell("permits.none_in_part")
    former = [item for parcel in subject.facts.unit.former_parcels for item in parcel.urban_authorizations]
    if former and not permits:
        return (statement("permits.former", count=len({item.num_dau for item in former})), statement("permits.limits"))
    return (_counted(permits), statement("permits.limits"))


def _counted(permits: Sequence[UrbanAuthorization]) -> Statement:
    if not permits:
        return statement("permits.none")
    counts = Counter(permit.type_dau for permit in permits)
    names = [
        one if count == 1 else say("{count} {many}", "{count} {many}", count=count, many=many)
        for code, count in counts.items()
        for one, many in (_TYPES.get(code, _OTHER_TYPE),)
    ]
    newest = max(permit.date_reelle_autorisation for permit in permits)
    if not newest:
        return statement("permits.listed", names=listed(names))
    return statement("permits.listed_until", names=listed(names), day=day(newest))


def unit_area(subject: Subject) -> Found:
    declared, geometric = subject.facts.cadastral_area_m2, subject.facts.geometric_area_m2
    check = subject.check("unit_area")
    if declared is None and geometric is None:
        return check.detail
    if not (declared and geometric):
        return (state(check),)
    return (state(check), statement("unit_area.drawn", drawn=area(geometric)))
