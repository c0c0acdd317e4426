"""The seller: who issues the bills of this installation."""

from typing import Annotated

from pydantic import AfterValidator, Base64Bytes, BaseModel, ConfigDict, Field
from stdnum import iban
from stdnum.eu import vat
from stdnum.fr import siren


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
    siren: Annotated[str, AfterValidator(siren.validate)]
    vat_number: Annotated[str, AfterValidator(vat.validate)]
    iban: Annotated[str, AfterValidator(iban.validate)]
    legal_note: str = ""
    vat_exemption: str = "TVA non applicable, art. 293 B du CGI"
    payment_days: int = Field(30, ge=0, le=60)
    """Days from the date of a bill until it is due. The law allows 60 (art. L441-10 du Code de commerce)."""
    logo: Base64Bytes = Field(b"", max_length=200_000)
