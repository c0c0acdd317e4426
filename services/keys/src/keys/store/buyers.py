"""Buyers: what a bill states about them, where a service to them is taxed, and why platforms would refuse the bill.

The place of a service to a company is where that company is (art. 259, 1° of the CGI). So French VAT is due in France
and Monaco, and with their own rates in Guadeloupe, Martinique and La Réunion (BOI-TVA-GEO-20-40). It is not applied in
Guyane and Mayotte (art. 294 of the CGI). A buyer in another member state owes the VAT itself (art. 196 of directive
2006/112/EC).
"""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any

from sqlalchemy import Connection, select

from keys.store import partner_records
from keys.store.database import among
from keys.store.price_terms import existed_in, terms_of
from keys.store.tables import held_bills, keys, month_closings, partners
from keys.values.company_numbers import VIES
from keys.values.records import Customer, PartnerRecord
from keys.values.secret import KeyMode
from servicekit.languages import Text


class Place(Enum):
    """Where a service is taxed. The value of a place without French VAT has the category and the code of EN 16931, and
    the reason that a bill states.
    """

    FRANCE = None
    OVERSEAS = ()
    UNTAXED = ("G", "VATEX-EU-G", "TVA non applicable, art. 294, 1 du CGI")
    UNION = ("AE", "VATEX-EU-AE", "Autoliquidation, art. 283-2 du CGI et art. 196 de la directive 2006/112/CE")
    ELSEWHERE = ("G", "VATEX-EU-G", "TVA non applicable, art. 259, 1° du CGI")

    @property
    def exemption(self) -> Mapping[str, str] | None:
        """Returns why there is no French VAT; None where it is due."""
        return dict(zip(("category", "code", "reason"), self.value, strict=True)) if self.value else None


_TERRITORIES = {
    **{"971": "GP", "972": "MQ", "973": "GF", "974": "RE", "975": "PM", "976": "YT", "977": "BL", "978": "MF"},
    **{"980": "MC", "984": "TF", "986": "WF", "987": "PF", "988": "NC", "97133": "BL", "97150": "MF"},
}
"""The territories with a code of ISO 3166-1, by the first digits of their postcodes."""
_PLACES = {
    **dict.fromkeys(("FR", "MC"), Place.FRANCE),
    **dict.fromkeys(("GP", "MQ", "RE"), Place.OVERSEAS),
    **dict.fromkeys(("GF", "YT"), Place.UNTAXED),
    **{"GR" if state == "EL" else state: Place.UNION for state in VIES - {"FR", "XI"}},
}
_WITH_SIREN = ("FR", "GP", "MQ", "RE", "GF", "YT", "PM", "BL", "MF")
_OVERSEAS_ONLY = frozenset(map(Decimal, ("0.085", "0.0175", "0.0105")))
_OVERSEAS_RATES = frozenset({*_OVERSEAS_ONLY, Decimal("0.021"), Decimal(0)})
"""Art. 296 to 296 quater of the CGI."""

NO_SELLER = Text(
    "Le vendeur n’est pas configuré (KEYS_SELLER) : aucune facture n’est émise.",
    "The seller is not set (KEYS_SELLER): no bill is issued.",
)
_NO_SIREN = Text(
    "Sans SIREN, l’acheteur n’a pas d’adresse électronique (BR-FR-12).",
    "Without a SIREN, the buyer has no electronic address (BR-FR-12).",
)
_NO_EMAIL = Text(
    "Sans SIREN ni adresse e-mail du contact, l’acheteur n’a pas d’adresse électronique (BR-FR-12).",
    "Without a SIREN or an email address of its contact, the buyer has no electronic address (BR-FR-12).",
)
_NO_ADDRESS = Text("L’adresse de facturation est incomplète.", "The billing address is incomplete.")
_NO_VAT_NUMBER = Text(
    "Sans numéro de TVA de son pays, l’acheteur ne peut pas autoliquider la TVA (BR-AE-02).",
    "Without a VAT number of its country, the buyer cannot owe the VAT itself (BR-AE-02).",
)
_WRONG_RATE = Text(
    "Le taux de TVA n’est pas celui du lieu de l’acheteur (métropole ou outre-mer).",
    "The VAT rate is not that of the buyer's place (metropolitan or overseas France).",
)


def buyer_of(record: PartnerRecord) -> dict[str, Any]:
    """Returns what a bill states about the partner. The email address is the electronic address without a SIREN."""
    customer = record.customer or Customer()
    address = customer.billing_address
    return {
        "legal_name": customer.legal_name or record.partner.name,
        "lines": list(address.lines),
        "postcode": address.postcode,
        "city": address.city,
        "country": address.country or "FR",
        "siren": customer.siren,
        "vat_number": customer.vat_number,
        "email": "" if customer.siren else customer.contact.email,
    }


def find(connection: Connection, partner_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Returns the buyers by the ids of their partners."""
    statement = partner_records.select_records().where(among(connection, partners.c.id, partner_ids))
    records = map(partner_records.read_record, connection.execute(statement).mappings())
    return {record.partner.id: buyer_of(record) for record in records}


def place_of(buyer: Mapping[str, Any]) -> Place:
    return _PLACES.get(_territory(buyer), Place.ELSEWHERE)


def _territory(buyer: Mapping[str, Any]) -> str:
    """Returns the ISO code of the country, and that of the territory for a French postcode overseas."""
    country, postcode = str(buyer["country"]), str(buyer["postcode"])
    return country if country != "FR" else _TERRITORIES.get(postcode) or _TERRITORIES.get(postcode[:3], country)


def faults(buyer: Mapping[str, Any], rates: Iterable[Decimal]) -> list[Text]:
    """Returns why French platforms would refuse a bill with these VAT rates, or why its VAT would be wrong."""
    place, territory, charged = place_of(buyer), _territory(buyer), set(rates)
    prefix = "EL" if territory == "GR" else territory
    has_address = buyer["lines"] and buyer["city"] and (buyer["postcode"] or place is Place.ELSEWHERE)
    faults_of = {
        _NO_EMAIL: not buyer["siren"] and not buyer["email"] and territory not in _WITH_SIREN,
        _NO_SIREN: not buyer["siren"] and territory in _WITH_SIREN,
        _NO_ADDRESS: not has_address,
        _NO_VAT_NUMBER: place is Place.UNION and not buyer["vat_number"].startswith(prefix),
        _WRONG_RATE: (place is Place.FRANCE and charged & _OVERSEAS_ONLY)
        or (place is Place.OVERSEAS and charged - _OVERSEAS_RATES),
    }
    return [text for text, is_fault in faults_of.items() if is_fault]


def reasons(
    connection: Connection, partner_ids: Collection[str], month: str, *, has_seller: bool = True
) -> dict[str, list[Text]]:
    """Returns why the bill of the month is held, or would not be issued at its closing, of each partner with such a
    reason. The bill of an open month is that of the live keys with a price.
    """
    c = held_bills.c
    of_month = select(c.partner_id, c.content).where(c.month == month, among(connection, c.partner_id, partner_ids))
    rates_of = {
        partner_id: {Decimal(line["vat_rate"]) for line in content["lines"]}
        for partner_id, content in connection.execute(of_month)
    }
    if connection.execute(select(month_closings).where(month_closings.c.month == month)).first() is None:
        rates_of |= _expected_rates(connection, partner_ids, month)
    buyers = find(connection, rates_of)
    unissued = [] if has_seller else [NO_SELLER]
    of_partners = {id_: unissued + faults(buyers[id_], rates) for id_, rates in rates_of.items()}
    return {id_: found for id_, found in of_partners.items() if found}


def _expected_rates(connection: Connection, partner_ids: Collection[str], month: str) -> dict[str, set[Decimal]]:
    of_partners = among(connection, keys.c.partner_id, partner_ids)
    live = select(keys.c.id, keys.c.partner_id).where(of_partners, keys.c.mode == KeyMode.LIVE, existed_in(month))
    partner_of = {key_id: partner_id for key_id, partner_id in connection.execute(live)}  # noqa: C416 (typed rows)
    rates_of: dict[str, set[Decimal]] = {}
    for key_id, dated in terms_of(connection, partner_of, month).items():
        if dated.terms.monthly_fee or any(tier.unit_price for tier in dated.terms.tiers):
            rates_of.setdefault(partner_of[key_id], set()).add(dated.terms.vat_rate)
    return rates_of
