"""The rules of single values: each check returns the fault of a value, or None. No fault repeats the value.

A check looks at the length first, so that the work for a long text is bounded.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Generic, NamedTuple, TypeVar

from keys.values import months
from keys.values.clock import LATEST, is_day, read_day, read_instant
from servicekit.errors import InvalidPayload, Violation
from servicekit.languages import Text

NAME_LENGTH = 200
EMAIL_LENGTH = 254
"""RFC 5321, section 4.5.3.1.3."""
PASSWORD_MIN_LENGTH = 12
PASSWORD_MAX_BYTES = 1_024
"""The size is that in UTF-8. All code that sets a password checks it here, so that the sign-in accepts it later."""
MAX_UNITS = 10**15
MAX_RATE = 10**6
MAX_PRICE = Decimal(1_000_000)
INVALID = Text("La requête ne respecte pas le contrat : voir errors.", "The request breaks the contract: see errors.")

_INSTANT_LENGTH = 40
_NETWORK_LENGTH = 50
_DECIMAL_LENGTH = 21
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,8})?")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
_FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Unicode's embeddings, overrides and isolates: they can make one name look like another."""


class Fault(NamedTuple):
    """A code of the API's list of errors, and a sentence for the caller."""

    code: str
    detail: Text


V = TypeVar("V")


@dataclass(frozen=True)
class Check(Generic[V]):
    """Finds the fault of a value. An absent one, or one with its zero value, is only checked for its presence."""

    find: Callable[[V], Fault | None]
    schema: Mapping[str, object] = field(default_factory=dict)
    """The rule as JSON schema keywords, as far as they can state it. The API description has them."""
    is_required: bool = False

    def __call__(self, value: V) -> Fault | None:
        return self.find(value)


def stated(**schema: object) -> Callable[[Callable[[V], Fault | None]], Check[V]]:
    """Makes a function a check with these keywords."""
    return lambda find: Check(find, schema)


REQUIRED = Fault("required", Text("ce membre est obligatoire", "this member is required"))
UNKNOWN_MEMBER = Fault("unknown_member", Text("ce membre ne peut pas être modifié", "this member cannot be changed"))
_MALFORMED = Text("ce texte n’a pas la forme attendue : {form}", "this text does not have the expected form: {form}")


def malformed(form: Text) -> Fault:
    return Fault("malformed", _MALFORMED.format(form=form))


def unknown_value(allowed: Sequence[str]) -> Fault:
    detail = Text("cette valeur n’est pas admise ; sont admises : {all}", "this value is not allowed; allowed: {all}")
    return Fault("unknown_value", detail.format(all=", ".join(allowed)))


def out_of_range(least: object, most: object) -> Fault:
    detail = Text("la valeur est hors limites : de {least} à {most}", "the value is out of range: {least} to {most}")
    return Fault("out_of_range", detail.format(least=least, most=most))


def too_many(most: int) -> Fault:
    detail = Text("la liste dépasse {most} éléments", "the list has more than {most} items")
    return Fault("too_many", detail.format(most=most))


def too_long(most: int) -> Fault:
    detail = Text(
        "le texte est trop long : {most} caractères au plus", "the text is too long: at most {most} characters"
    )
    return Fault("too_long", detail.format(most=most))


def refuse(pointer: str, fault: Fault) -> InvalidPayload:
    return InvalidPayload(INVALID, violations=[Violation(pointer, *fault)])


def require(check: Check[V], value: V, pointer: str) -> None:
    """Raises InvalidPayload for a faulty value."""
    fault = check(value)
    if fault is not None:
        raise refuse(pointer, fault)


def check_expiry(expires_at: datetime | None, now: datetime, longest: timedelta | None = None) -> None:
    """Raises InvalidPayload for an instant that is not in the future, or is further ahead than `longest`."""
    if expires_at is None:
        return
    if expires_at <= now:
        raise refuse("/expires_at", Fault("out_of_range", Text("cet instant est passé", "this instant is past")))
    if expires_at > (LATEST if longest is None else now + longest):
        detail = Text("cet instant est trop lointain", "this instant is too far ahead")
        raise refuse("/expires_at", Fault("out_of_range", detail))


@stated()
def anything(value: object) -> None:
    """Accepts every value."""


def formed(longest: int, is_right: Callable[[str], object], form: Text, **schema: object) -> Check[str]:
    """Returns the check of a text with a form. `is_right` returns something false, or raises ValueError, for a
    malformed text.
    """

    def find(value: str) -> Fault | None:
        if len(value) > longest:
            return too_long(longest)
        try:
            return None if is_right(value) else malformed(form)
        except ValueError:
            return malformed(form)

    return Check(find, {**schema, "maxLength": longest})


def text(longest: int) -> Check[str]:
    """Returns the check of a text that the database can store."""
    return formed(
        longest, lambda value: "\0" not in value, Text("caractères de contrôle interdits", "no control characters")
    )


@stated(minLength=1, maxLength=NAME_LENGTH)
def name(value: str) -> Fault | None:
    """A name, without surrounding spaces."""
    stripped = value.strip()
    if len(stripped) > NAME_LENGTH:
        return too_long(NAME_LENGTH)
    if not stripped:
        return REQUIRED
    return malformed(_NAME) if any(_is_forbidden(character) for character in value) else None


_NAME = Text(
    "sans caractère de contrôle, fin de ligne ni marque de direction du texte",
    "no control characters, line ends or marks that turn text around",
)


def _is_forbidden(character: str) -> bool:
    """Not `str.isprintable`: it refuses the joiners of emoji and the no-break spaces of French."""
    return character in _BIDI_CONTROLS or unicodedata.category(character) in _FORBIDDEN_CATEGORIES


@stated(format="email", maxLength=EMAIL_LENGTH)
def email(value: str) -> Fault | None:
    """An email address, without surrounding spaces."""
    address = value.strip()
    if len(address) > EMAIL_LENGTH:
        return too_long(EMAIL_LENGTH)
    local, _, domain = address.partition("@")
    is_plain = address.isprintable() and not any(sign.isspace() for sign in address)
    is_address = local and "." in domain.strip(".") and "@" not in domain and is_plain
    return None if is_address else malformed(Text("une adresse comme ann@example.org", "such as ann@example.org"))


@stated(maxLength=PASSWORD_MAX_BYTES)
def password(value: str) -> Fault | None:
    """A password to verify."""
    size = len(value.encode(errors="surrogatepass"))
    detail = Text("le mot de passe dépasse {most} octets", "the password has more than {most} bytes")
    return Fault("too_long", detail.format(most=PASSWORD_MAX_BYTES)) if size > PASSWORD_MAX_BYTES else None


@stated(minLength=PASSWORD_MIN_LENGTH, maxLength=PASSWORD_MAX_BYTES)
def new_password(value: str) -> Fault | None:
    if len(value) < PASSWORD_MIN_LENGTH:
        detail = Text("le mot de passe a moins de {least} caractères", "the password has under {least} characters")
        return Fault("too_short", detail.format(least=PASSWORD_MIN_LENGTH))
    return password(value)


idempotency_key = formed(
    NAME_LENGTH,
    lambda value: value.isascii() and value.isprintable(),
    Text("caractères ASCII imprimables", "printable ASCII characters"),
)
instant = formed(
    _INSTANT_LENGTH,
    read_instant,
    Text("un instant RFC 3339 de 2000 à 2200", "an RFC 3339 instant from 2000 to 2200"),
    format="date-time",
)
instant_or_day = formed(
    _INSTANT_LENGTH,
    lambda value: read_day(value) if is_day(value) else read_instant(value),
    Text(
        "un instant RFC 3339 ou une date AAAA-MM-JJ, de 2000 à 2199",
        "an RFC 3339 instant or a date YYYY-MM-DD, from 2000 to 2199",
    ),
)
_MONTH_FORM = Text("un mois AAAA-MM de 2000 à 2199", "a month YYYY-MM from 2000 to 2199")
first_month = formed(_INSTANT_LENGTH, months.read_month, _MONTH_FORM)
"""The first month of price terms: a month, or the date of its first day."""
network = formed(
    _NETWORK_LENGTH,
    ipaddress.ip_network,
    Text("un réseau comme 192.0.2.0/24", "a network such as 192.0.2.0/24"),
)


@stated(pattern=f"^{_MONTH.pattern}$")
def month(value: str) -> Fault | None:
    is_month = _MONTH.fullmatch(value) and first_month(value) is None
    return None if is_month else malformed(_MONTH_FORM)


def decimal(most: Decimal | None = None) -> Check[str]:
    """An amount: at most 12 digits before the point and 8 after it, and at most `most`."""
    form = Text('un décimal positif comme "12.50"', 'a positive decimal such as "12.50"')

    def check(value: str) -> Fault | None:
        if len(value) > _DECIMAL_LENGTH or not _DECIMAL.fullmatch(value):
            return malformed(form)
        return None if most is None or Decimal(value) <= most else out_of_range(0, most)

    return Check(check, {"pattern": f"^{_DECIMAL.pattern}$"})


signed_decimal = formed(
    _DECIMAL_LENGTH + 1,
    lambda value: _DECIMAL.fullmatch(value.removeprefix("-")),
    Text('un décimal comme "-12.50"', 'a decimal such as "-12.50"'),
    pattern=f"^-?{_DECIMAL.pattern}$",
)
VAT_RATES = (
    *("0", "0.009", "0.0105", "0.0175", "0.021", "0.055", "0.07", "0.085"),
    *("0.092", "0.096", "0.1", "0.13", "0.196", "0.2", "0.206"),
)
"""The rates that French platforms accept (BR-FR-16 of XP Z12-012, with those of the DOM, Corsica and the past)."""


@stated(pattern=decimal().schema["pattern"])
def vat_rate(value: str) -> Fault | None:
    fault = decimal()(value)
    return fault or (None if Decimal(value) in map(Decimal, VAT_RATES) else unknown_value(VAT_RATES))


def whole(least: int, most: int) -> Check[int]:
    return Check(
        lambda value: None if least <= value <= most else out_of_range(least, most), {"minimum": least, "maximum": most}
    )


def one_of(allowed: Sequence[str]) -> Check[str]:
    return Check(known(allowed, allowed).find, {"enum": list(allowed)})


def known(values: Container[V], names: Sequence[str]) -> Check[V]:
    """Returns the check that the value is one of these. Its fault lists the names that callers know them by."""
    return Check(lambda value: None if value in values else unknown_value(names))


_SAME = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", **dict.fromkeys("’‘ʼ`´", "'")})


def folded(text: str) -> str:
    """How names are compared: "ÉTUDE  d’Œuvre" and "Etude d'oeuvre" are the same.

    The text without accents and case, with plain letters, apostrophes and single spaces; the text itself if nothing
    else is in it, because rows of an older program have no folded name.
    """
    letters = unicodedata.normalize("NFKD", text.translate(_SAME)).casefold().translate(_SAME)
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split()) or text
