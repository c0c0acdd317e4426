"""Rights of legal persons on parcels. Most parcels have none: individuals own them, whom the files leave out."""

from collections.abc import Iterator
from dataclasses import dataclass

from demoland import quarter
from demoland.model import DEPARTMENT, Commune, upper_ascii


@dataclass(frozen=True)
class Holder:
    number: str
    """The SIREN, or a provisional number. No SIREN begins with 000."""
    group: str
    form: tuple[str, str]
    """INSEE's code and its abbreviation."""
    name: str


@dataclass(frozen=True)
class Right:
    parcel_id: str
    right: str
    holder: Holder
    parts: str = "A"
    """The letters of the fiscal parts of the parcel (SUF): each is a row."""


OWNER, SYNDIC, BARE_OWNER, USUFRUCT = (
    "P - Propriétaire", "S - Syndic de copropriété", "N - Nu-propriétaire ", "U - Usufruitier ",
)  # fmt: skip
_ORDINARY = "0 - Personnes morales non remarquables "
_SCI = Holder("000000101", _ORDINARY, ("6540", "SCI"), "SCI DU MARCHE FICTIF")
_CO_OWNERS = Holder("U00000001", "7 - Copropriétaires", ("9110", "SYCO"), "SYNDICAT DES COPROPRIETAIRES DU 3")
_SYNDIC = Holder("000000102", _ORDINARY, ("5710", "SAS"), "CABINET EXEMPLE GESTION")
_VOLUNTEER = Holder("U00000002", _ORDINARY, ("9900", "AUPM"), "MME EXEMPLE MARIE")
_FARM = Holder("000000103", _ORDINARY, ("6534", "GFA"), "GFA DE L'ETANG PERDU")


def commune_holder(commune: Commune) -> Holder:
    return Holder(f"0001{commune.code}", "4 - Commune", ("7210", "COM"), f"COMMUNE DE {upper_ascii(commune.name)}")


QUARTER_RIGHTS = (
    Right(quarter.HAMLET_BARN, OWNER, commune_holder(quarter.COMMUNE), parts="AB"),
    Right(quarter.MIXED_USE, OWNER, _SCI),
    Right(quarter.FLATS, OWNER, _CO_OWNERS),
    Right(quarter.FLATS, SYNDIC, _SYNDIC),
    Right(quarter.NEW_FLATS, SYNDIC, _VOLUNTEER),
    Right(quarter.FIELD_IN_TWO, BARE_OWNER, _SCI),
    Right(quarter.FIELD_IN_TWO, USUFRUCT, _FARM),
)


def rows(commune: Commune, right: Right) -> Iterator[tuple[str, ...]]:
    """One row for each part of the parcel, as published: values may end in a space."""
    prefix, section, number = right.parcel_id[5:8], right.parcel_id[8:10], right.parcel_id[10:]
    holder = right.holder
    for part in right.parts:
        yield (
            DEPARTMENT, "0", commune.code[2:], upper_ascii(commune.name), prefix.replace("000", ""), section, number,
            *[""] * 7, part, "S - Sols", "", right.right, "P00000", holder.number, holder.group,
            *holder.form, holder.name,
        )  # fmt: skip
