"""Reads a text that names land without an address: a parcel as people write it, BAN's id of an address, or a building's
id in the national register (RNB).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import shapely
from shapely.geometry.base import BaseGeometry

from land.addresses.gazetteer import Commune, Gazetteer
from land.addresses.labels import NO_AGREEMENT, city_and_district, label, numbered_address, point_of
from land.addresses.missing_place import without_department
from land.addresses.model import Address, AddressQuery, AddressType, ParcelMatch
from land.addresses.normalise import canonical_city, fold
from land.addresses.resolver import MAX_ALTERNATIVES, AddressMatch
from land.answers.texts import fill, warning
from land.datasets.addresses.queries import address_by_id
from land.datasets.buildings.queries import registered_building
from land.datasets.parcels import ids as parcels
from land.datasets.parcels.ids import ParcelId
from land.datasets.parcels.queries import outlines_in_boxes, parcels_written
from land.datasets.parcels.records import ParcelRecord
from land.datasets.parcels.registration import PARCELS
from land.datasets.partitions import Partition
from land.errors import CommuneNeeded
from land.store import loads
from land.store.boxes import box_around
from land.store.snapshot import Snapshot
from servicekit.languages import Text

MAX_COMMUNES = 8
"""Communes of one name in which a reference is looked up: each may have to be loaded."""
_PARCEL = (
    r"(?:(?:parcelles?|ref(?:erence)?|cadastr\w+) )*(?:prefixe )?(?:(?P<prefix>\d{3}) )?"
    r"(?:(?P<word>section) (?P<named>[0-9a-z]{1,2}) |(?P<section>[a-z]{2}|0?[a-z])(?![a-z]) ?)"
    r"(?:(?:n|no|num|numero|parcelle) ?)*(?P<number>\d{1,4})"
)
_FORMS = (re.compile(rf"{_PARCEL}(?: (?P<place>.+))?"), re.compile(rf"(?P<place>.+?) {_PARCEL}"))
_NO_SECTIONS = frozenset(("NO", "DU", "AU", "LE", "ET"))
"""Words before a house number."""
_STREETS = frozenset(("allee", "avenue", "boulevard", "chemin", "impasse", "place", "quai", "route", "rue", "square"))
_BEFORE_PLACE = re.compile(r"^(?:a|dans|sur|(?:la |de la )?commune(?: d[eu]?)?) ")
_CODE = re.compile(r"(?<!\S)(?:\d{5}|2[ab]\d{3})(?!\S)")
_BAN_ID = re.compile(r"((?:\d{2}|2[AB])\d{3})(_[0-9a-z]+)_(\d{5})(_\S+)?", re.IGNORECASE)
_RNB_ID = re.compile(r"(?=.*\d)(?=.*[A-Z])([0-9A-Z]{4})-?([0-9A-Z]{4})-?([0-9A-Z]{4})")
_SEVERAL_COMMUNES = Text(
    "Cette référence de parcelle peut être de plusieurs communes ({communes}) : ajoutez le code INSEE.",
    "This parcel reference may be of several communes ({communes}): add the INSEE code.",
)


class ParcelReference(NamedTuple):
    """A parcel as people write it, such as "section AN n° 221 à Ustaritz"."""

    prefix: str
    """Three digits; empty if it is not written."""
    section: str
    number: str
    place: str
    """The words of the commune in lower case; empty if there are none."""
    is_certain: bool
    """Whether the text can be nothing else, such as a numbered road."""

    def id_in(self, commune_code: str) -> str:
        return f"{commune_code}{self.prefix or '000'}{self.section}{self.number}"


def read_parcel(query: AddressQuery) -> ParcelReference | None:
    """The parcel that a query names; None if it has another form."""
    if query.street or query.number:
        return None
    if (parcel_id := parcels.parse(re.sub(r"\s", "", query.label))) is not None:
        return ParcelReference(*parcel_id[1:], parcel_id.commune_code.lower(), True)
    text = fold(query.label)
    match = next(filter(None, (form.fullmatch(text) for form in _FORMS)), None)
    if match is None:
        return None
    place = _BEFORE_PLACE.sub("", match["place"] or "")
    place = place or " ".join(fold(part) for part in (query.city_code or query.postcode, query.city) if part)
    section = (match["named"] or match["section"]).upper().rjust(2, "0")
    is_certain = match["word"] is not None or match["prefix"] is not None or "parcel" in text
    if not is_certain and (section in _NO_SECTIONS or not _STREETS.isdisjoint(text.split())):
        return None
    return ParcelReference(match["prefix"] or "", section, match["number"].rjust(4, "0"), place, is_certain)


def communes_of(reference: ParcelReference, gazetteers: Sequence[Gazetteer]) -> Mapping[str, Commune]:
    """The communes that the words of the place mean, by code. Raises CommuneNeeded if a certain reference has too
    many.
    """
    code = _CODE.search(reference.place)
    name = canonical_city(_CODE.sub(" ", reference.place).strip())
    communes: dict[str, Commune] = {}
    for gazetteer in gazetteers:
        coded = gazetteer.present_codes(code[0].upper()) if code else frozenset()
        exact = gazetteer.named(name) or gazetteer.named(without_department(name))
        named = exact or gazetteer.shortened(name) or gazetteer.similar_to(name) if name else ()
        at_code = [*map(gazetteer.by_code.__getitem__, coded), *(gazetteer.with_postcode(code[0]) if code else ())]
        both = [commune for commune in named if commune in at_code] if name and code else named or at_code
        communes |= {commune.code: commune for commune in both}
    if len(communes) <= MAX_COMMUNES:
        return communes
    if not reference.is_certain:
        return {}
    listed = [f"{commune.name} {commune.code}" for commune in communes.values()][:MAX_COMMUNES]
    raise CommuneNeeded(fill(_SEVERAL_COMMUNES, communes=", ".join([*listed, "…"])))


def planned_commune(snapshot: Snapshot, reference: ParcelReference) -> Mapping[str, Commune]:
    """The commune whose code the reference has, if its plan is loaded: lists of names are not needed then."""
    code = _CODE.search(reference.place)
    if code is None or loads.find(snapshot, PARCELS.id, Partition(code[0].upper())) is None:
        return {}
    return {code[0].upper(): Commune(code[0].upper(), "", (), None, None)}


def match_parcels(
    snapshot: Snapshot, reference: ParcelReference, communes: Mapping[str, Commune], streets: Sequence[Address] = ()
) -> AddressMatch | None:
    """The parcel, if the reference is of one only. With several, or with other addresses that the text may mean, all
    are candidates and none is chosen. None if no loaded plan has the parcel.
    """
    pattern = f"_____{reference.prefix or '___'}{reference.section}{reference.number}"
    records = parcels_written(snapshot, list(communes), pattern)
    if not records:
        return None
    candidates = [*(_parcel_address(record, communes[record.commune_code]) for record in records), *streets]
    if len(candidates) > 1:
        share = round(1 / len(candidates), 4)
        first, *alternatives = [replace(candidate, score=share) for candidate in candidates]
        listed = ", ".join(candidate.id for candidate in candidates[: MAX_ALTERNATIVES + 1])
        ambiguous = warning("reference_ambiguous", candidates=listed)
        return AddressMatch(first, None, None, tuple(alternatives[:MAX_ALTERNATIVES]), {}, (), (ambiguous,))
    named = ParcelMatch(records[0].parcel_id, "named", None)
    return AddressMatch(candidates[0], None, None, (), {}, (named,))


def parcel_addresses(snapshot: Snapshot, reference: ParcelReference, gazetteer: Gazetteer) -> list[Address]:
    """The loaded parcels of a reference, as suggestions."""
    communes = communes_of(reference._replace(is_certain=False), [gazetteer])
    match = match_parcels(snapshot, reference, communes) if communes else None
    return [] if match is None else [match.address, *match.alternatives]


def read_ban_id(text: str) -> str:
    """BAN's id of a house number in its published case; empty if the text is none."""
    match = _BAN_ID.fullmatch(text.strip())
    return match[1].upper() + text.strip()[5:].lower() if match else ""


def match_ban_id(snapshot: Snapshot, address_id: str) -> AddressMatch | None:
    """None if no loaded address has the id."""
    near = address_by_id(snapshot, address_id)
    return AddressMatch(numbered_address(near), point_of(near), None, (), {}) if near else None


def read_rnb_id(text: str) -> str:
    """The id of a building without hyphens; empty if the text is none."""
    match = _RNB_ID.fullmatch(text.strip().upper())
    return "".join(match.groups()) if match else ""


def match_building(snapshot: Snapshot, rnb_id: str, gazetteers: Sequence[Gazetteer]) -> AddressMatch | None:
    """The building with its parcels, the largest share first; None if no loaded file of the register has it."""
    building = registered_building(snapshot, rnb_id)
    if building is None:
        return None
    outline = shapely.from_wkb(building.geometry)
    shares = dict(share.split(":") for share in filter(None, building.plots.split("|")))
    ids = sorted(shares, key=lambda parcel_id: -float(shares[parcel_id]))
    if not ids:
        around = outlines_in_boxes(snapshot, [box_around(outline.bounds, 0.0)])
        ids = [
            near.parcel_id for near in around if near.geometry and outline.intersects(shapely.from_wkb(near.geometry))
        ]
    code = ids[0][:5] if ids else ""
    commune = next((g.by_code[code] for g in gazetteers if code in g.by_code), None)
    name = f"RNB {rnb_id[:4]}-{rnb_id[4:8]}-{rnb_id[8:]}"
    address = _address(rnb_id, name, "building", outline, code, commune)
    matches = tuple(ParcelMatch(parcel_id, "named", None) for parcel_id in ids)
    register = [
        load for load in loads.of_partitions(snapshot, [building.partition]) if load.dataset == building.dataset
    ]
    return AddressMatch(address, None, None, (), {}, matches, (), register)


def _parcel_address(record: ParcelRecord, commune: Commune) -> Address:
    parcel_id = ParcelId(record.commune_code, record.prefix, record.section, record.number)
    prefix = "" if parcel_id.prefix == "000" else f"{parcel_id.prefix} "
    name = f"{prefix}{parcel_id.section.lstrip('0')} {int(parcel_id.number)}"
    outline = shapely.from_wkb(record.geometry) if record.geometry else None
    return _address(record.parcel_id, name, "parcel", outline, record.commune_code, commune)


def _address(
    id_: str,
    name: str,
    kind: AddressType,
    outline: BaseGeometry | None,
    commune_code: str,
    commune: Commune | None,
) -> Address:
    postcodes = commune.postcodes if commune else ()
    postcode = postcodes[0] if len(postcodes) == 1 else None
    city, district = city_and_district(commune.name) if commune and commune.name else (None, None)
    point = outline.representative_point() if outline is not None else None
    return Address(
        id=id_,
        label=label(None, name, postcode, city),
        number=None,
        street=None,
        postcode=postcode,
        city=city,
        district=district,
        city_code=commune_code or None,
        latitude=round(point.y, 6) if point is not None else None,
        longitude=round(point.x, 6) if point is not None else None,
        type=kind,
        score=1.0,
        matched=NO_AGREEMENT,
    )
