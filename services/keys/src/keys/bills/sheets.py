"""An issued bill as PDF/A-3. It contains the same facts as XML: Factur-X in the profile EN 16931.

The keys of the XML's facts are the business terms (BT) and groups (BG) of EN 16931.
"""

import json
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from importlib.resources import files
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any

import typst
from lxml import etree
from pypdf import PdfWriter
from pypdf.generic import BooleanObject, DictionaryObject, NameObject, StreamObject

from keys.audit.fields import euros, numeral, percent
from keys.store.issued_bills import BILL, CREDIT_NOTE, IssuedBill
from keys.values.months import next_month
from servicekit.languages import Text, language

_TEMPLATE = files("keys.bills").joinpath("sheet.typ")
_TITLES = {
    BILL: Text("Facture {number}", "Invoice {number}"),
    CREDIT_NOTE: Text("Avoir {number}", "Credit note {number}"),
}
_TYPES = {BILL: "380", CREDIT_NOTE: "381"}
_TERMS = {  # art. L441-10 and D441-5 of the Code de commerce
    "PMD": "Pénalités de retard\N{NO-BREAK SPACE}: trois fois le taux d’intérêt légal.",
    "PMT": "Indemnité forfaitaire pour frais de recouvrement\N{NO-BREAK SPACE}: 40\N{NO-BREAK SPACE}€.",
    "AAB": "Pas d’escompte pour paiement anticipé.",
}
_WORDS = {
    "vat_number": Text("N° de TVA", "VAT number"),
    BILL: Text("Émise le {date}", "Issued on {date}"),
    CREDIT_NOTE: Text("Émis le {date}", "Issued on {date}"),
    "month": Text("Période : {month}", "Period: {month}"),
    "corrects": Text("Rectifie la facture {number} du {date}", "Corrects invoice {number} of {date}"),
    "net": Text("Total HT", "Net total"),
    "vat": Text("TVA {rate} sur {net}", "VAT {rate} of {net}"),
    "due": Text("Total TTC, à payer avant le {date}", "Total, due by {date}"),
    "credit": Text("Total TTC de l’avoir", "Total of the credit"),
    "payment": Text("Paiement par virement : IBAN {iban}", "Payment by transfer: IBAN {iban}"),
}
_COLUMNS = (
    Text("Désignation", "Description"),
    Text("Unités", "Units"),
    Text("Prix unitaire HT", "Unit price, net"),
    Text("TVA", "VAT"),
    Text("Montant HT", "Amount, net"),
)
_SIREN, _FRENCH_DIRECTORY, _EMAIL = "0002", "0225", "EM"
"""The schemes of identifiers and of electronic addresses."""


def write_pdf(bill: IssuedBill, logo: bytes) -> bytes:
    """Returns the document in the language of the call, with its XML."""
    from facturx import generate_from_binary  # noqa: PLC0415 (takes a second and 70 MB)

    content = bill.content
    sheet = typst.compile(
        _TEMPLATE.read_bytes(),
        sys_inputs={"sheet": json.dumps(_sheet(bill, logo), ensure_ascii=False)},
        pdf_standards=["a-3b", "ua-1"],
        ignore_system_fonts=True,
    )
    title = str(_TITLES[content["kind"]].format(number=bill.number))
    author = content["seller"]["legal_name"]
    pdf: bytes = generate_from_binary(
        sheet,
        write_xml(bill),
        flavor="factur-x",
        level="en16931",
        check_xsd=False,
        pdf_metadata={"author": author, "title": title, "subject": title, "keywords": "Factur-X"},
        lang=language.get(),
    )
    return _accessible(pdf)


def _accessible(pdf: bytes) -> bytes:
    """Returns the PDF with the two marks of PDF/UA that are lost when the XML is attached. PDF/A-3 wants the properties
    of a schema that it does not know described.
    """
    writer = PdfWriter(clone_from=BytesIO(pdf))
    root = writer.root_object
    root[NameObject("/ViewerPreferences")] = DictionaryObject({NameObject("/DisplayDocTitle"): BooleanObject(True)})
    metadata = root["/Metadata"].get_object()
    assert isinstance(metadata, StreamObject)  # noqa: S101 (generate_from_binary has made it)
    xmp = etree.fromstring(metadata.get_data())
    described, identified = (etree.fromstring(part) for part in _UA_XMP)
    (schemas,) = xmp.iterfind(".//pdfaExtension:schemas/rdf:Bag", _NAMESPACES)
    schemas.append(described)
    (facts,) = xmp.iterfind(".//rdf:RDF", _NAMESPACES)
    facts.append(identified)
    metadata.set_data(etree.tostring(xmp, encoding="utf-8"))
    output = BytesIO()
    writer.write(output)
    return output.getvalue()


_NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "pdfaExtension": "http://www.aiim.org/pdfa/ns/extension/",
}
_UA_XMP = (
    """<rdf:li xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:parseType="Resource"
    xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
    <pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>
    <pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
    <pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
    <pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
    <pdfaProperty:name>part</pdfaProperty:name>
    <pdfaProperty:valueType>Integer</pdfaProperty:valueType>
    <pdfaProperty:category>internal</pdfaProperty:category>
    <pdfaProperty:description>The part of ISO 14289 to which the file conforms</pdfaProperty:description>
    </rdf:li></rdf:Seq></pdfaSchema:property></rdf:li>""",
    """<rdf:Description xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about=""
    xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>""",
)


def write_xml(bill: IssuedBill) -> bytes:
    """Returns the CrossIndustryInvoice, checked against its schema."""
    from facturx.generate_xml import generate_xml  # noqa: PLC0415

    content, seller = bill.content, bill.content["seller"]
    last_day = (date.fromisoformat(f"{next_month(bill.month)}-01") - timedelta(days=1)).isoformat()
    exemption = _exemption(content)
    reason = {"BT-120": exemption["reason"], **({"BT-121": exemption["code"]} if "code" in exemption else {})}
    facts = {
        "BT-1": bill.number,
        "BT-2": content["issued_on"],
        "BT-3": _TYPES[content["kind"]],
        "BT-5": content["currency"],
        "BT-9": content["due_on"],
        "BT-23": "S1",
        "BT-24": "urn:cen.eu:en16931:2017",
        "BT-72": last_day,
        "BT-73": f"{bill.month}-01",
        "BT-74": last_day,
        "BT-81": "58",
        "BT-84": seller["iban"],
        "BT-106": content["net"],
        "BT-109": content["net"],
        "BT-110": content["vat"],
        "BT-112": content["gross"],
        "BT-115": content["gross"],
        "BG-1": [{"BT-21": code, "BT-22": note} for code, note in _TERMS.items()],
        "BG-4": _party(seller),
        "BG-7": _party(content["buyer"]),
        "BG-23": [
            {
                "BT-116": part["net"],
                "BT-117": part["vat"],
                **_vat("BT-118", "BT-119", part["rate"], exemption),
                **({} if Decimal(part["rate"]) else reason),
            }
            for part in content["vat_rates"]
        ],
        "BG-25": [_line(position, line, exemption) for position, line in enumerate(content["lines"], start=1)],
    }
    if corrected := content.get("corrects"):
        facts["BG-3"] = [{"BT-25": corrected["number"], "BT-26": corrected["issued_on"]}]
    xml: bytes = generate_xml(facts, level="en16931", check_schematron=None)
    return xml


def _sheet(bill: IssuedBill, logo: bytes) -> dict[str, Any]:
    """Returns the texts of the template."""
    content = bill.content
    rows: list[list[str]] = []
    for payer, lines in groupby(content["lines"], key=itemgetter("payer")):
        rows += [[payer]] if payer else []
        for line in lines:
            is_counted = line["kind"] == "tier"
            rows.append(
                [
                    line[f"description_{language.get()}"],
                    str(numeral(line["units"])) if line["units"] else "",
                    str(euros(line["unit_price"])) if is_counted else "",
                    str(percent(line["vat_rate"])),
                    str(euros(line["amount"])),
                ]
            )
    facts = [
        _WORDS[content["kind"]].format(date=_day(content["issued_on"])),
        _WORDS["month"].format(month=Text(f"{bill.month[5:]}/{bill.month[:4]}", bill.month)),
    ]
    if corrected := content.get("corrects"):
        day = _day(corrected["issued_on"])
        facts.append(_WORDS["corrects"].format(number=corrected["number"], date=day))
    taxed = [
        [str(_WORDS["vat"].format(rate=percent(part["rate"]), net=euros(part["net"]))), str(euros(part["vat"]))]
        for part in content["vat_rates"]
    ]
    is_exempt = any(not Decimal(part["rate"]) for part in content["vat_rates"])
    is_credit = content["kind"] == CREDIT_NOTE
    notes = [] if is_credit else [str(_WORDS["payment"].format(iban=content["seller"]["iban"])), *_TERMS.values()]
    due = _WORDS["credit"] if is_credit else _WORDS["due"].format(date=_day(content["due_on"]))
    return {
        "lang": language.get(),
        "number": bill.number,
        "title": str(_TITLES[content["kind"]].format(number=bill.number)),
        "seller": content["seller"],
        "buyer": content["buyer"],
        "logo": list(logo),
        "vat_number": str(_WORDS["vat_number"]),
        "facts": [str(fact) for fact in facts],
        "columns": [str(column) for column in _COLUMNS],
        "rows": rows,
        "totals": [[str(_WORDS["net"]), str(euros(content["net"]))], *taxed],
        "due": [str(due), str(euros(content["gross"]))],
        "notes": [*([_exemption(content)["reason"]] if is_exempt else []), *notes],
    }


def _day(iso: str) -> Text:
    return Text(f"{date.fromisoformat(iso):%d/%m/%Y}", iso)


def _party(party: Mapping[str, Any]) -> dict[str, Any]:
    lines = [*party["lines"][:2], ", ".join(party["lines"][2:])]
    facts = {
        "name": party["legal_name"],
        **{f"addr_l{number}": line for number, line in enumerate(lines, start=1)},
        "postcode": party["postcode"],
        "city": party["city"],
        "country_code": party["country"],
        "vat_identifier": party["vat_number"],
    }
    if siren := party["siren"]:
        facts |= {"legal_identifier": siren, "legal_identifier_schemeid": _SIREN}
        facts |= {"einvoicing_addr": siren, "einvoicing_addr_schemeid": _FRENCH_DIRECTORY}
    elif email := party.get("email"):
        facts |= {"einvoicing_addr": email, "einvoicing_addr_schemeid": _EMAIL}
    return facts


def _exemption(content: Mapping[str, Any]) -> Mapping[str, str]:
    """Returns the category of lines without VAT, their reason, and its code if it has one."""
    return content.get("exemption") or {"category": "E", "reason": content["seller"]["vat_exemption"]}


def _line(position: int, line: Mapping[str, Any], exemption: Mapping[str, str]) -> dict[str, Any]:
    is_counted = line["kind"] == "tier"
    return {
        "BT-126": str(position),
        "BT-153": line["description_fr"],
        **({"BT-154": line["payer"]} if line["payer"] else {}),
        "BT-129": str(line["units"] if is_counted else 1),
        "BT-130": "C62",
        "BT-146": _hundredfold(line["unit_price"]) if is_counted else line["amount"],
        **({"BT-149": "100"} if is_counted else {}),  # a price may have six decimals in France, and ours have eight
        "BT-131": line["amount"],
        **_vat("BT-151", "BT-152", line["vat_rate"], exemption),
    }


def _vat(category: str, rate: str, ratio: str, exemption: Mapping[str, str]) -> dict[str, str]:
    """Returns the terms of a VAT rate: the standard category, or that of the exemption without VAT."""
    return {category: "S" if Decimal(ratio) else exemption["category"], rate: _hundredfold(ratio)}


def _hundredfold(number: str) -> str:
    return format((Decimal(number) * 100).normalize(), "f")
