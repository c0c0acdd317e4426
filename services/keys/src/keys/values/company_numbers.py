"""The rules of SIREN and VAT numbers, and of the other facts that a bill states about its customer and its seller."""

import re
from typing import Annotated

from pydantic import AfterValidator, Base64Bytes, BaseModel, ConfigDict, Field
from stdnum import iban
from stdnum.eu import vat as eu_vat
from stdnum.fr import siren as fr_siren

from keys.values.checks import Fault, formed, malformed, refuse, stated, too_long
from keys.values.records import Customer
from servicekit.languages import Text

PHONE_LENGTH = 40
POSTCODE_LENGTH = 12
_NUMBER_LENGTH = 40
_NO_SIREN = "000000000"
VIES = {"EL" if state == "gr" else state.upper() for state in eu_vat.MEMBER_STATES}
"""The country codes of the European Commission's VIES: EL is Greece, XI Northern Ireland."""
_OTHER_VAT = re.compile(r"[A-Z]{2}[A-Z0-9]{2,18}")
_PHONE = re.compile(r"\+?[0-9 ().\-/\u00a0\u202f]+")
_PHONE_DIGITS = range(5, 16)
"""E.164 allows 15 digits."""
_POSTCODE = re.compile(r"[A-Z0-9][A-Z0-9 \-]*", re.IGNORECASE)
_FRENCH_POSTCODE = re.compile(r"[0-9]{5}")
_CODES = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA
    CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB
    GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG
    KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV
    MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB
    SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US
    UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"""
COUNTRIES = frozenset(_CODES.split())
"""ISO 3166-1 alpha-2."""


def normalized(number: str) -> str:
    """Returns a SIREN or VAT number as it is stored: capitals, without spaces, dots and hyphens."""
    return re.sub(r"[\s.\-]", "", number).upper()


siren = formed(
    _NUMBER_LENGTH,
    lambda value: fr_siren.is_valid(normalized(value)) and normalized(value) != _NO_SIREN,
    Text(
        "9 chiffres, dont le dernier est une clé de contrôle (un SIRET en a 14)",
        "9 digits, the last one a check digit (a SIRET has 14)",
    ),
)
"""The last digit is a Luhn digit, also in the SIREN of La Poste. Only SIRET numbers of its establishments have none."""


@stated(maxLength=_NUMBER_LENGTH)
def vat_number(value: str) -> Fault | None:
    """A VAT number with its country code. The form and the check digits of member states are checked. The French number
    of a company in Monaco has three zeros in place of the first digits of a SIREN.
    """
    if len(value) > _NUMBER_LENGTH:
        return too_long(_NUMBER_LENGTH)
    number = normalized(value)
    country = number[:2]
    if country not in VIES:
        return None if _OTHER_VAT.fullmatch(number) else malformed(_VAT_FORM)
    if eu_vat.is_valid(number):
        return None
    return malformed(_FRENCH_FORM if country == "FR" else _MEMBER_FORM.format(country=country))


_FRENCH_FORM = Text(
    "FR, une clé de deux caractères et le SIREN, comme FR44 732829320",
    "FR, a key of two characters and the SIREN, such as FR44 732829320",
)
_MEMBER_FORM = Text("celle des numéros de TVA de {country}", "that of VAT numbers of {country}")
_VAT_FORM = Text("le code du pays, puis le numéro", "the country code, then the number")


phone = formed(
    PHONE_LENGTH,
    lambda value: _PHONE.fullmatch(value.strip()) and sum(sign.isdigit() for sign in value) in _PHONE_DIGITS,
    Text("un numéro comme +33 1 23 45 67 89", "such as +33 1 23 45 67 89"),
)
postcode = formed(
    POSTCODE_LENGTH,
    lambda value: _POSTCODE.fullmatch(value.strip()),
    Text("des chiffres et des lettres", "digits and letters"),
)


@stated(pattern="^[A-Z]{2}$")
def country(value: str) -> Fault | None:
    form = Text("un code de pays à deux lettres, comme FR", "a country code of two letters, such as FR")
    return None if value in COUNTRIES else malformed(form)


def check_customer(customer: Customer, before: Customer) -> None:
    """Raises InvalidPayload if members contradict each other. The pointer names the one that differs from before."""
    address = customer.billing_address
    if address.country == "FR" and address.postcode and not _FRENCH_POSTCODE.fullmatch(address.postcode):
        raise refuse("/billing_address/postcode", malformed(Text("5 chiffres en France", "5 digits in France")))
    if customer.siren and customer.vat_number.startswith("FR") and customer.vat_number[4:] != customer.siren:
        pointer = "/siren" if customer.vat_number == before.vat_number else "/vat_number"
        detail = Text("le numéro de TVA contient un autre SIREN", "the VAT number contains another SIREN")
        raise refuse(pointer, Fault("malformed", detail))


class Seller(BaseModel):
    """What bills state about the seller. `legal_note` is printed at the foot, such as the legal form and the capital.
    `vat_exemption` is the reason of lines without VAT. `logo` is a PNG, JPEG or SVG in base64.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    legal_name: str = Field(min_length=1)
    lines: tuple[str, ...] = Field(min_length=1, max_length=3)
    postcode: str
    city: str
    country: str = Field("FR", pattern="^[A-Z]{2}$")
    siren: Annotated[str, AfterValidator(fr_siren.validate)]
    vat_number: Annotated[str, AfterValidator(eu_vat.validate)]
    iban: Annotated[str, AfterValidator(iban.validate)]
    legal_note: str = ""
    vat_exemption: str = "TVA non applicable, art. 293 B du CGI"
    payment_days: int = Field(30, ge=0, le=60)
    """Days from the date of a bill until it is due. The law allows 60 (art. L441-10 du Code de commerce)."""
    logo: Base64Bytes = Field(b"", max_length=200_000)
