"""Writes one address of a BAN file in one of the forms of forms.py."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from addressfit import places
from addressfit.directory import Directory, Row, canonical, plain
from addressfit.words import Edit

SUFFIXES = {
    "": ("",), "b": (" bis", "bis", " b", "b"), "bis": (" bis", "bis", " b"), "t": (" ter", "ter"),
    "ter": (" ter", "ter"), "q": (" quater",), "quater": (" quater",), "a": (" A", "a"), "c": (" C",), "d": (" D",),
}  # fmt: skip
SPOKEN = {"bis": "b", "ter": "t", "quater": "q", "quinquies": "c"}


@dataclass(frozen=True)
class Draft:
    input: dict[str, str]
    street: str
    """The street as typed."""
    codes: frozenset[str]
    """The communes that the typed place means."""
    numbers: tuple[str, ...] | None = None
    """The right numbers, if they are not the row's own."""
    is_unknown: bool = False


@cache
def number_key(text: str | None) -> str:
    """ "12bis", "12 BIS" and "12b" are equal."""
    match = re.match(r"\s*(\d+)\s*(.*)$", text or "")
    if not match:
        return plain(text or "")
    suffix = plain(match[2])
    return f"{int(match[1])}{SPOKEN.get(suffix, suffix)}"


@dataclass(frozen=True)
class Writer:
    """Writes one address. Each method returns the query in one form, or None where the form does not apply."""

    rng: random.Random
    directory: Directory
    row: Row
    has_number: bool

    @property
    def number(self) -> str:
        return self.row.number + self.rng.choice(SUFFIXES[self.row.suffix]) if self.has_number else ""

    def codes(self, *parts: str) -> frozenset[str]:
        """The communes of these parts: "postcode", "city", or both."""
        codes = set(self.directory.places)
        if "postcode" in parts:
            codes &= self.directory.by_postcode[self.row.postcode]
        if "city" in parts:
            codes &= self.directory.by_city[plain(self.row.place.city)]
        return frozenset(codes)

    def near(self, postcode: str) -> frozenset[str]:
        """The communes of the city's name and those of another postcode."""
        return self.codes("city") | self.directory.by_postcode.get(postcode, set())

    def label(
        self,
        order: str = "nspc",
        separator: str | None = None,
        codes: frozenset[str] | None = None,
        **changed: str | None,
    ) -> Draft | None:
        """Parts in this order: n number, s street, p postcode, c city. Changed parts replace the row's own."""
        if None in changed.values() or (self.has_number and "sn" in order and self.row.street[-1].isdigit()):
            return None
        parts = {"n": self.number, "s": self.row.street, "p": self.row.postcode, "c": self.row.place.city}
        parts |= {name[0]: text for name, text in changed.items() if text is not None}
        between = self.rng.choice((" ", " ", ", ", " - ")) if separator is None else separator
        text = ""
        for i, name in enumerate(order):
            glue = " " if order[max(i - 1, 0) : i + 1] in ("ns", "pc", "cp") else between
            text += (glue if text and parts[name] else "") + parts[name]
        if codes is None:
            codes = self.codes(*("postcode" if name == "p" else "city" for name in order if name in "pc"))
        return Draft({"label": text}, parts["s"], codes)

    def edited(self, edit: Edit, order: str = "nspc") -> Draft | None:
        return self.label(order, street=edit(self.rng, self.row.street))

    def numbered(self, template: str, order: str = "nspc", separator: str | None = None) -> Draft | None:
        if not self.has_number:
            return None
        return self.label(order, separator, number=template.format(self.number))

    def glued_number(self) -> Draft | None:
        if not self.has_number or self.row.suffix:
            return None
        draft = self.label("spc", street=f"{self.row.number}{self.row.street}")
        return draft and Draft(draft.input, self.row.street, draft.codes)

    def with_suffix(self, texts: Mapping[str, str]) -> Draft | None:
        text = texts.get(SPOKEN.get(self.row.suffix, self.row.suffix)) if self.has_number else None
        return (text and self.label(number=f"{self.row.number}{text}")) or None

    def other_number(self, edit: Edit | None) -> Draft | None:
        """A number that the street does not have."""
        numbers = {re.sub(r"\D.*", "", number) for number in self.directory.street_of(self.row).numbers}
        typed = str(self.rng.choice((self.rng.randrange(100, 999), self.rng.randrange(1000, 9899))))
        if not self.has_number or typed in numbers:
            return None
        draft = self.label(number=typed, street=edit(self.rng, self.row.street) if edit else self.row.street)
        return draft and Draft(draft.input, draft.street, draft.codes, ("",))

    def other_suffix(self) -> Draft | None:
        """A suffix that the number does not have. The number alone and the street are both right."""
        numbers = {number_key(number) for number in self.directory.street_of(self.row).numbers}
        typed = f"{self.row.number} {self.rng.choice(('bis', 'ter', 'quater'))}"
        if not self.has_number or number_key(typed) in numbers or self.row.suffix:
            return None
        draft = self.label(number=typed)
        return draft and Draft(draft.input, draft.street, draft.codes, (self.row.number, ""))

    def district(self, how: str, edit: Edit | None = None) -> Draft | None:
        city = places.districts(self.rng, self.row, how)
        street = edit(self.rng, self.row.street) if edit else self.row.street
        return self.label("nsc", codes=frozenset({self.row.place.code}), city=city, street=street)

    def number_range(self, sign: str) -> Draft | None:
        """Writes a range to the next number but one. The first number is the right one."""
        if not self.has_number or self.row.suffix:
            return None
        return self.label(number=f"{self.row.number}{sign}{int(self.row.number) + 2}")

    def glued_postcode(self) -> Draft | None:
        if self.row.street[-1].isdigit():
            return None
        draft = self.label(
            street=f"{self.row.street}{self.row.postcode}", order="nsc", codes=self.codes("postcode", "city")
        )
        return draft and Draft(draft.input, self.row.street, draft.codes)

    def former_city(self) -> str | None:
        name = self.row.former_name
        return name if name and plain(name) != plain(self.row.place.city) else None

    def postal_city(self) -> str | None:
        """The name that the post office uses, if it differs."""
        name = self.row.postal_name
        return name if name and plain(name) not in (plain(self.row.place.city), "") else None

    def locality(self) -> Draft | None:
        """The street with the locality after it."""
        draft = self.label(street=f"{self.row.street}, {self.row.locality}") if self.row.locality else None
        return draft and Draft(draft.input, self.row.street, draft.codes)

    def locality_instead(self) -> Draft | None:
        """The locality where one street of the place has it."""
        same = {
            (row.place.code, row.street) for row in self.directory.rows
            if row.locality == self.row.locality and row.place.code in self.codes("postcode", "city")
        } if self.row.locality else set()  # fmt: skip
        draft = self.label(street=self.row.locality) if len(same) == 1 else None
        return draft and Draft(draft.input, self.row.street, draft.codes)

    def city(self, name: str | None, order: str) -> Draft | None:
        """Writes another name of the city. The row's commune is the right one."""
        codes = self.codes("postcode", "city") if "p" in order else self.codes("city")
        names_district = name is not None and name[-1].isdigit()
        return self.label(order, city=name, codes=frozenset({self.row.place.code}) if names_district else codes)

    def postcode(self, typed: str | None, order: str = "nspc", separator: str | None = None) -> Draft | None:
        """Writes a wrong postcode. All streets of that name in the city are right."""
        if typed is None or typed == self.row.postcode:
            return None
        return self.label(order, separator, postcode=typed, codes=self.near(typed))

    def whole(self, change: Callable[[str], str | None]) -> Draft | None:
        """The exact address, changed as a whole."""
        draft = self.label()
        text = draft and change(draft.input["label"])
        return Draft({"label": text}, draft.street, draft.codes) if draft and text else None

    def between(self) -> Draft | None:
        noise = self.rng.choice(places.BETWEEN)
        start = f"{self.number} {self.row.street}".strip()
        before, after = self.rng.choice((", ", " ", " - ")), self.rng.choice((", ", " "))
        label = f"{start}{before}{noise}{after}{self.row.postcode} {self.row.place.city}"
        return Draft({"label": label}, self.row.street, self.codes("postcode", "city"))

    def fields(self, codes: frozenset[str] | None = None, **changed: str | None) -> Draft | None:
        """Separate fields. An empty text omits a field."""
        if None in changed.values():
            return None
        place = {"postcode": self.row.postcode, "city": self.row.place.city}
        parts = {"number": self.number, "street": self.row.street, **place, **changed}
        query = {name: text for name, text in parts.items() if text}
        if codes is None:
            codes = self.codes(*(place.keys() & query.keys()))
        return Draft(query, query.get("street", ""), codes)

    def misplaced(self, **changed: str) -> Draft | None:
        """Separate fields with parts in the wrong field; the street's own name is unchanged."""
        draft = self.fields(
            codes=self.codes("postcode", "city"), **{name: text.strip() for name, text in changed.items()}
        )
        return draft and Draft(draft.input, self.row.street, draft.codes)

    def nowhere(self, name: str) -> Draft | None:
        """A street that the city does not have."""
        draft = self.label(street=name, order=self.rng.choice(("nspc", "nspc", "nsc", "nscp")))
        if draft is None or not self.directory.is_unknown(name, set(self.codes("city") | self.codes("postcode"))):
            return None
        return Draft(draft.input, name, draft.codes, is_unknown=True)

    def invented(self) -> str:
        parts = [
            "zor",
            "brix",
            "quel",
            "plon",
            "vur",
            "jast",
            "mip",
            "dorb",
            "klen",
            "wexi",
            "tauf",
            "gomb",
            "rinck",
            "yspo",
        ]
        word = "".join(self.rng.choices(parts, k=self.rng.choice((2, 3)))).capitalize()
        return f"{self.rng.choice(('rue', 'avenue', 'rue de la', 'place', 'impasse du', 'chemin de'))} {word}"

    def combined(self) -> str:
        """The words of two streets of the file."""
        first, second = (canonical(self.rng.choice(self.directory.rows).street)[1] for _ in range(2))
        kind = self.rng.choice(("rue", "avenue", "place", "impasse", "rue du", "allée"))
        return f"{kind} {self.rng.choice(first)} {self.rng.choice(second)}"
