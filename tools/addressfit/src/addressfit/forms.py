"""Makes a test suite of the ways in which people type French addresses, from a BAN file.

A case is {"id", "kind", "input", "expected"}. `kind` is the form with "/number" or
"/street", for a query with or without a number. `expected` describes the BAN row. It allows several answers where they
are equally right: `city_codes` are the right communes, `numbers` the right numbers with suffix ("" is none). An empty
`street` means that no street is right. The same seed, options and file give the same suite.

A query is left out if its words fit another street of the place as well as the right one (see directory.py).
"""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from addressfit import places
from addressfit.directory import Directory, plain, unaccent
from addressfit.documents import documents, numbers_beside
from addressfit.words import EDITS, slips, without_type_and_article
from addressfit.writer import SUFFIXES, Draft, Writer, number_key

Case = dict[str, Any]
Form = Callable[[Writer], Draft | None]
Value = TypeVar("Value")
TRIES = 300
"""Rows tried per case."""

ORDERS = {
    "street_postcode_city": "nspc", "street_city_postcode": "nscp", "city_postcode_street": "cpns",
    "postcode_city_street": "pcns", "postcode_street_city": "pnsc", "city_street_postcode": "cnsp",
    "city_first_number_last": "csn", "place_first_number_last": "pcsn", "number_after_street": "snpc",
}  # fmt: skip
NUMBERS = {
    "number_sign": "n° {}", "number_no": "no {}", "number_word": "numéro {}", "number_num": "num. {}",
    "number_sign_glued": "N°{}", "number_zero": "0{}", "number_brackets": "({})", "number_at": "au {}",
}  # fmt: skip
SUFFIX_TEXTS = {
    "suffix_word": {"b": " bis", "t": " ter", "q": " quater"},
    "suffix_glued": {"b": "bis", "t": "ter", "q": "quater"},
    "suffix_letter": {"b": " b", "t": " t", "a": " a", "c": " C"},
    "suffix_upper": {"b": " BIS,", "t": "TER", "q": " QUATER"},
    "suffix_hyphen": {"b": "-bis", "t": "-ter", "q": "-quater"},
}


def _with(value: Value, form: Callable[[Writer, Value], Draft | None]) -> Form:
    return lambda writer: form(writer, value)


def _orders() -> Iterator[tuple[str, Form]]:
    for name, order in ORDERS.items():
        yield name, _with(order, Writer.label)
    yield "number_after_comma", lambda w: w.label("snpc", ", ") if w.has_number else None
    yield "postcode_omitted", lambda w: w.label("nsc")
    yield "city_omitted", lambda w: w.label("nsp")
    yield "postcode_first_city_omitted", lambda w: w.label("pns")
    yield "lines", lambda w: w.label(separator="\n")
    yield "upper_case", lambda w: w.whole(lambda text: unaccent(text).upper().replace("'", w.rng.choice("' ")))
    yield "lower_case_no_accents", lambda w: w.whole(lambda text: unaccent(text).lower())


def _numbers() -> Iterator[tuple[str, Form]]:
    for name, text in NUMBERS.items():
        yield name, _with(text, Writer.numbered)
    yield "number_comma", lambda w: w.label("nspc", number=f"{w.number},") if w.has_number else None
    yield "number_glued", lambda w: w.glued_number()
    yield "number_word_after_street", lambda w: w.numbered("n°{}", "snpc", ", ")
    yield "number_range", lambda w: w.number_range("-")
    yield "number_range_slash", lambda w: w.number_range("/")
    yield "number_range_words", lambda w: w.number_range(w.rng.choice((" à ", " et ", " - ")))
    for name, texts in SUFFIX_TEXTS.items():
        yield name, _with(texts, Writer.with_suffix)
    yield "suffix_unknown", lambda w: w.other_suffix()
    yield "number_unknown", lambda w: w.other_number(None)
    yield "number_unknown_one_slip", lambda w: w.other_number(slips(1))
    yield "number_unknown_type_omitted", lambda w: w.other_number(without_type_and_article)


def _streets() -> Iterator[tuple[str, Form]]:
    for name, edit in EDITS.items():
        yield name, _with(edit, Writer.edited)
    for name in ("type_and_article_omitted", "one_slip", "word_missing", "extra_given_name"):
        yield f"{name}_no_postcode", _with(EDITS[name], lambda w, edit: w.edited(edit, "nsc"))
        yield f"{name}_no_city", _with(EDITS[name], lambda w, edit: w.edited(edit, "nsp"))
    yield "one_slip_place_first", lambda w: w.edited(EDITS["one_slip"], w.rng.choice(("pcns", "cpns")))
    yield "city_repeated", lambda w: w.label("cnspc")


def _cities() -> Iterator[tuple[str, Form]]:
    for how in ("figures", "roman", "words", "long", "alone"):
        yield f"district_{how}", _with(how, Writer.district)
    yield "district_one_slip", lambda w: w.district(w.rng.choice(("figures", "long")), EDITS["one_slip"])
    for end, order in (("", "nspc"), ("_no_postcode", "nsc")):
        yield (
            f"city_misspelt{end}",
            _with(order, lambda w, o: w.city(places.misspelt_city(w.rng, w.row, w.directory), o)),
        )
        yield f"city_short{end}", _with(order, lambda w, o: w.city(places.short_city(w.rng, w.row, w.directory), o))
        yield f"city_abbreviated{end}", _with(order, lambda w, o: w.city(places.abbreviated_city(w.rng, w.row), o))
        yield f"city_former{end}", _with(order, lambda w, o: w.city(w.former_city(), o))
        yield f"city_postal_name{end}", _with(order, lambda w, o: w.city(w.postal_city(), o))
    yield "city_misspelt_first", lambda w: w.city(places.misspelt_city(w.rng, w.row, w.directory), "cpns")
    yield "locality_added", lambda w: w.locality()
    yield "locality_instead", lambda w: w.locality_instead()


def _postcodes() -> Iterator[tuple[str, Form]]:
    yield "postcode_spaced", lambda w: w.label(postcode=f"{w.row.postcode[:2]} {w.row.postcode[2:]}")
    yield "postcode_country", lambda w: w.label(postcode=f"{w.rng.choice(('F-', 'F ', 'FR-'))}{w.row.postcode}")
    yield "postcode_short", lambda w: w.postcode(places.shortened(w.rng, w.row.postcode))
    yield "postcode_transposed", lambda w: w.postcode(places.transposed(w.rng, w.row.postcode))
    yield "postcode_wrong", lambda w: w.postcode(places.wrong(w.rng, w.row.postcode))
    yield "postcode_wrong_first", lambda w: w.postcode(places.wrong(w.rng, w.row.postcode), "cpns")
    yield "postcode_glued_to_city", lambda w: w.label("nspc", city="", postcode=f"{w.row.postcode}{w.row.place.city}")
    yield "postcode_glued_to_street", lambda w: w.glued_postcode()
    yield "postcode_brackets", lambda w: w.label("nscp", " ", postcode=f"({w.row.postcode})")
    yield (
        "cedex",
        lambda w: w.label(city=f"{w.row.place.city} {w.rng.choice(('CEDEX', 'Cedex', 'cedex 2', 'CEDEX 05'))}"),
    )


def _noise() -> Iterator[tuple[str, Form]]:
    yield "noise_before", lambda w: w.whole(lambda text: f"{w.rng.choice(places.BEFORE)} {text}")
    yield "noise_before_comma", lambda w: w.whole(lambda text: f"{w.rng.choice(places.BEFORE)}, {text}")
    yield "noise_between", lambda w: w.between()
    yield "noise_after", lambda w: w.whole(lambda text: f"{text} {w.rng.choice(places.AFTER)}")
    yield "noise_after_comma", lambda w: w.whole(lambda text: f"{text}, {w.rng.choice(places.AFTER)}")
    yield (
        "noise_around",
        lambda w: w.whole(lambda text: f"{w.rng.choice(places.BEFORE)} {text} {w.rng.choice(places.AFTER)}"),
    )
    yield "odd_spaces", lambda w: w.whole(lambda text: places.odd_spaces(w.rng, text))
    yield "odd_punctuation", lambda w: w.whole(lambda text: places.odd_punctuation(w.rng, text))
    yield "encoded", lambda w: w.whole(lambda text: places.encoded(w.rng, text))


def _fields() -> Iterator[tuple[str, Form]]:
    one_slip = EDITS["one_slip"]
    yield "fields", lambda w: w.fields()
    yield "fields_city_only", lambda w: w.fields(postcode="")
    yield "fields_postcode_only", lambda w: w.fields(city="")
    yield (
        "fields_city_code",
        lambda w: w.fields(city="", postcode="", city_code=w.row.place.code, codes=frozenset({w.row.place.code})),
    )
    yield "fields_street_slip", lambda w: w.fields(street=one_slip(w.rng, w.row.street))
    yield "fields_street_type_omitted", lambda w: w.fields(street=without_type_and_article(w.rng, w.row.street))
    yield (
        "fields_city_slip",
        lambda w: w.fields(city=places.misspelt_city(w.rng, w.row, w.directory), codes=w.codes("postcode", "city")),
    )
    yield (
        "fields_city_slip_only",
        lambda w: w.fields(city=places.misspelt_city(w.rng, w.row, w.directory), postcode="", codes=w.codes("city")),
    )
    yield (
        "fields_postcode_wrong",
        lambda w: w.fields(postcode=(typed := places.wrong(w.rng, w.row.postcode)), codes=w.near(typed)),
    )
    yield (
        "fields_postcode_short",
        lambda w: w.fields(postcode=places.shortened(w.rng, w.row.postcode), codes=w.codes("city")),
    )
    yield "fields_number_in_street", lambda w: w.misplaced(number="", street=f"{w.number} {w.row.street}")
    yield "fields_city_in_street", lambda w: w.misplaced(street=f"{w.row.street} {w.row.place.city}", city="")
    yield "fields_postcode_in_city", lambda w: w.misplaced(postcode="", city=f"{w.row.postcode} {w.row.place.city}")
    yield (
        "fields_all_in_street",
        lambda w: w.misplaced(
            number="", postcode="", city="", street=f"{w.number} {w.row.street} {w.row.postcode} {w.row.place.city}"
        ),
    )
    yield "fields_city_in_postcode", lambda w: w.misplaced(postcode=f"{w.row.postcode} {w.row.place.city}", city="")


def forms(elsewhere: Sequence[str] = ()) -> dict[str, Form]:
    """The forms by name. `elsewhere` has the street names of another département."""
    by_name: dict[str, Form] = {}
    for group in (_orders, _numbers, _streets, _cities, _postcodes, _noise, _fields, documents, numbers_beside):
        by_name |= dict(group())
    by_name["none_invented"] = lambda w: w.nowhere(w.invented())
    by_name["none_combined"] = lambda w: w.nowhere(w.combined())
    if elsewhere:
        by_name["none_elsewhere"] = lambda w: w.nowhere(w.rng.choice(elsewhere))
    return by_name


def expected_of(draft: Draft, writer: Writer) -> dict[str, Any]:
    """The right answers of a query."""
    row = writer.row
    address = {"id": row.id, "postcode": row.postcode, "city_code": row.place.code, "city": row.place.city}
    if draft.is_unknown:
        return address | {"street": "", "number": "", "suffix": "", "city_codes": [], "numbers": [""]}
    own_number = row.number + row.suffix if writer.has_number else ""
    numbers = [number_key(text) for text in draft.numbers or (own_number,)]
    codes = []
    for code in sorted(draft.codes):
        street = writer.directory.streets.get((code, plain(row.street)))
        if street and ("" in numbers or numbers[0] in map(number_key, street.numbers)):
            codes.append(code)
    number, suffix = (row.number, row.suffix) if writer.has_number and draft.numbers is None else ("", "")
    return address | {
        "street": row.street, "number": number, "suffix": suffix, "city_codes": codes, "numbers": numbers
    }  # fmt: skip


def case_of(form: Form, writer: Writer) -> Case | None:
    """The query with its right answers. None if the form does not apply, or if another street fits as well."""
    draft = form(writer)
    if draft is None or len(draft.input.get("label", "")) > 512:
        return None
    expected = expected_of(draft, writer)
    case = {"input": draft.input, "expected": expected}
    if draft.is_unknown:
        return case
    around = set(writer.codes("city") | draft.codes)
    is_clear = writer.directory.is_clear(draft.street, writer.row.street, set(draft.codes), around)
    return case if expected["city_codes"] and is_clear else None


def suite(
    directory: Directory,
    seed: int,
    per_form: int,
    *,
    elsewhere: Sequence[str] = (),
    only: Sequence[str] = (),
    streets: set[str] | None = None,
) -> Iterator[Case]:
    """Up to `per_form` cases of each form with a number, and as many without. `streets` restricts the street names."""
    rows = [
        row for row in directory.rows
        if (streets is None or row.street in streets)
        and row.number not in ("", "0") and row.suffix in SUFFIXES and is_typed(row.street)
    ]  # fmt: skip
    for name, form in forms([name for name in elsewhere if is_typed(name)]).items():
        for part in ("number", "street"):
            kind = f"{name}/{part}"
            if rows and (not only or {name, kind} & set(only)):
                rng = random.Random(f"{seed} {kind}")  # noqa: S311 (a sample, no secret)
                writers = (Writer(rng, directory, rng.choice(rows), part == "number") for _ in range(TRIES * per_form))
                cases = (case for writer in writers if (case := case_of(form, writer)))
                for number, case in enumerate(islice(cases, per_form)):
                    yield {"id": f"{kind}-{number:04d}", "kind": kind, **case}


@cache
def is_typed(street: str) -> bool:
    """Whether people type this name: not BAN's "Voie Cx/18" or "162P21 Rue des Poissonniers"."""
    words = plain(street).split()
    return "/" not in street and not any(
        word[0].isdigit() and word[-1].isalpha() and word not in ("1er", "1ere", "2e", "2eme", "3e") for word in words
    )


def judge(case: Case, status: int, body: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the street is right, and also the number."""
    expected = case["expected"]
    address = (body.get("address") or {}) if status == 200 else {}
    name = plain(address.get("street") or "")
    if not expected["street"] or not name:
        right = not expected["street"] and (not name or address.get("type") == "municipality")
        return right, right
    street = name == plain(expected["street"]) and address.get("city_code") in expected["city_codes"]
    return street, street and number_key(address.get("number")) in expected["numbers"]
