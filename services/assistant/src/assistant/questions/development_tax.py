"""The development tax (taxe d'aménagement) of a main home, from the rates that the authorities have voted."""

from assistant.questions.replies import Statement, tell
from assistant.text import euros, quantity, read_table, span
from landpartner.land.v1.land_pb2 import LandUnit
from servicekit.languages import Text

FLOOR_M2 = 100
"""The value of the first 100 m² of a main home is halved (CGI, art. 1635 quater I): the estimate is of these."""
_VALUES: dict[str, list[int]] = read_table("questions/development_tax.toml")["value_eur_per_m2"]
_ILE_DE_FRANCE = frozenset({"75", "77", "78", "91", "92", "93", "94", "95"})
_REFS = ("Code général des impôts, art. 1635 quater H", "Code général des impôts, art. 1635 quater I")


def estimate(unit: LandUnit) -> tuple[Statement, ...]:
    """The tax on FLOOR_M2 with its formula; empty if the rates are not known, or if the land is in several communes."""
    communes = unit.land.commune_rules
    tax = communes[0].development_tax if len(communes) == 1 else None
    if tax is None or not (tax.HasField("commune_percent") and tax.HasField("department_percent")):
        return ()
    value_year = max(_VALUES)
    value = _VALUES[value_year][communes[0].commune_code[:2] in _ILE_DE_FRANCE]
    shared = tax.department_percent + tax.region_percent
    totals = [shared + rate for rate in dict.fromkeys((tax.commune_percent, tax.highest_percent))]
    text = tell(
        "taxes.estimate",
        year=str(tax.year),
        own=span([_percent(total - shared) for total in totals]),
        shared=_percent(shared),
        floor=quantity(FLOOR_M2, "m²"),
        half=euros(value / 2),
        value=euros(value),
        value_year=value_year,
        total=span([_percent(total) for total in totals]),
        amount=span([euros(FLOOR_M2 * value / 2 * total / 100) for total in totals]),
        more=span([euros(value * total / 100) for total in totals]),
    )
    return (Statement("taxes", text, _REFS),)


def _percent(rate: float) -> Text:
    return quantity(rate, "%", 0 if rate == int(rate) else 2)
