"""The ways in which an address stands in other texts: damaged, in letters and tables, with foreign words.

Each function takes the writer of an address. It returns the query, or None where the form does not apply.
"""

import json
import quopri
import random
import re
import unicodedata
from collections.abc import Callable, Iterator
from html import escape

from addressfit.directory import canonical, plain
from addressfit.writer import Draft, Writer

Form = Callable[[Writer], Draft | None]

UNITS = (
    "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze", "treize",
    "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf",
)  # fmt: skip
TENS = {2: "vingt", 3: "trente", 4: "quarante", 5: "cinquante", 6: "soixante", 8: "quatre-vingt"}
LIST_SIGNS = (
    "1) ", "2) ", "(3) ", "4. ", "1.", "5 - ", "1/ ", "2/ ", "a) ", "b. ", "(c) ", "IV. ", "ii) ", "1°) ", "2° ", "• ",
    "– ", "* ", "#3 ", "n°1 : ", "Lot 2 : ", "Adresse 1 : ", "[4] ", "7: ", "03) ", "A/ ",
)  # fmt: skip
FOREIGN = {
    "rue": ("{} Street", "{} St.", "{}straße", "{} Strasse", "Straße {}", "Calle {}", "C/ {}", "Via {}", "{}straat",
            "Rua {}", "Street {}", "Str. {}", "R. de {}"),
    "avenue": ("{} Avenue", "{} Ave", "Avenida {}", "Avda. {}", "Viale {}", "{} Laan", "Av. {}", "{}allee"),
    "boulevard": ("{} Boulevard", "{} Blvd", "Bulevar {}", "Viale {}", "Boulevard {}", "{} Blvd."),
    "place": ("{} Square", "{} Platz", "Plaza {}", "Piazza {}", "Praça {}", "{} Plein", "Place {}", "Pl. {}"),
}  # fmt: skip
"""Street types of English, German, Spanish, Italian, Dutch and Portuguese."""
FOREIGN_UNITS = (
    "3rd floor", "2nd Floor, Flat 4", "Apt. 12", "Apartment 5B", "Suite 300", "Unit 7", "Ground floor", "Room 12",
    "2. Stock", "3. OG links", "Wohnung 8", "Erdgeschoss", "3º piso", "2º izquierda", "piso 4 puerta B", "bajo",
    "interno 5", "piano 2", "scala B", "2e verdieping", "bus 12", "appartement 4", "2º andar", "3º Esq.", "bloco B",
)  # fmt: skip
BEFORE_SENTENCES = (
    "Bonjour, j'habite au ", "Nous sommes situés au ", "Je souhaite vendre mon appartement situé ", "Mon adresse est ",
    "L'immeuble se trouve ", "Pouvez-vous estimer le bien du ", "Rendez-vous demain à 14h30 au ", "Livraison au ",
    "Merci d'envoyer le courrier à l'adresse suivante : ", "Je cherche la parcelle du ", "I live at ",
    "Please deliver to ", "Le siège social est fixé au ", "Le chantier est en cours au ", "Nouvelle adresse : ",
    "Ma grand-mère possède une maison au ", "On m'a dit de venir au ", "Expéditeur : ", "Lieu de l'accident : ",
)  # fmt: skip
AFTER_SENTENCES = (
    ", merci.", ". Cordialement, Julie", " depuis 2012", " et je voudrais connaître sa valeur", ", c'est au deuxième",
    " (métro à 200 m)", ", troisième étage sans ascenseur", " pour 450 000 €", ". Merci d'avance !", " ?",
    ", est-ce possible ?",
    " à partir de 18h", ", près du métro", ". Surface : 65 m²", ", DPE classe D", "", "",
)  # fmt: skip
DEEDS = (
    "Un appartement sis à {c} ({p}), {n} {s}, lot numéro 45",
    "Un immeuble situé à {c} ({p}) {n} {s}, cadastré section AB numéro 112 pour une contenance de 3a 25ca",
    "Dans un ensemble immobilier situé à {c} {n} {s} {p}, le lot n° 12 et les 120/10000èmes",
    "L'AN DEUX MILLE VINGT, le trois mars, a comparu Mme Durand, demeurant à {c} ({p}), {n} {s}",
    "M. Jean Martin, né le 3 mai 1961 à Brest, demeurant {n} {s} à {c} ({p})",
    "Désignation : {n} {s}, {p} {c}. Références cadastrales : AB 112. Surface : 00 ha 03 a 25 ca",
    "SCI au capital de 1 000 €, siège : {n} {s} - {p} {c}, RCS 512 345 678",
    "Bien : appartement T3 de 65 m², {n} {s} {p} {c}, lots 12 et 14",
)  # fmt: skip
LETTERS = (
    "Madame Anne Morel\n{n} {s}\n{p} {c}\n\n{c}, le 3 mars 2024",
    "M. et Mme Bernard\nBâtiment C - Escalier 2\n{n} {s}\n{p} {c} CEDEX\nFRANCE",
    "Cabinet Leroy & Associés\nService juridique\n{n}, {s}\n{p} {c}\nTél. 01 42 33 44 55",
    "À l'attention du syndic\n{n} {s}\n{p} {c}\nObjet : dégât des eaux du 12 janvier",
    "Réf. : 2024-118\nM. Paul Petit, {n} {s}, {p} {c}",
)  # fmt: skip
TABLES = (
    "N° : {n} ; Voie : {s} ; CP : {p} ; Ville : {c}",
    "numero={n}&voie={s}&cp={p}&ville={c}",
    "Adresse: {n} {s} | Code postal: {p} | Commune: {c}",
    "{n};{s};{p};{c}",
    "{n}\t{s}\t{p}\t{c}\t48,8566\t2,3522",
    '"{n} {s}","{p}","{c}","France"',
    "rue: {s}, numéro: {n}, code postal: {p}, ville: {c}, pays: France",
    "Ville : {c} / Code postal : {p} / Rue : {n} {s}",
    "<adresse><numero>{n}</numero><voie>{s}</voie><cp>{p}</cp><ville>{c}</ville></adresse>",
    "ADR;TYPE=home:;;{n} {s};{c};;{p};France",
)  # fmt: skip
CORNERS = (
    "{n} {s}, angle {o}, {p} {c}", "{n} {s} (angle {o}) {p} {c}", "{n} {s} - au coin de la {o} - {p} {c}",
    "{n} {s} / {o} {p} {c}", "{n} {s}, à l'angle de la {o}, {p} {c}", "{n} {s} et {o}, {p} {c}",
)  # fmt: skip
CODES = (
    "code 45A12", "code porte : 4512B", "digicode 12B45", "code A1234 puis B567", "interphone Dupont", "sonnette 3",
    "code d'entrée 1789#", "(codes: 12A34 / 45B67)", "vigik", "porte 12", "Code: 4578 et 89B12",
)  # fmt: skip
LINKS = (
    "https://www.google.com/maps/place/", "https://maps.apple.com/?address=", "https://www.google.fr/maps/search/",
)  # fmt: skip
PLACES_AFTER = (
    "Île-de-France", "Ile de France, France", "IDF", "FR", "Francia", "Frankreich", "République française",
    "métropole", "EU",
)  # fmt: skip
ROWS = (
    "{o}\t{n} {s}\t{p}\t{c}", "{o};{n} {s};{p};{c}", "{o}, {n} {s}, {p} {c}", "n° {o} - {n} {s} {p} {c}",
    "ligne {o}\t{n} {s}, {p} {c}",
)  # fmt: skip
"""The number of a row or a file before the address."""
RECORDS = (
    "Arrêté 2024-{o} - {n} {s} {p} {c}", "65m² - {n} {s} {p} {c}", "Lot n° {o} - {n} {s}, {p} {c}",
    "nouveau n° {n}, ancien n° {o}, {s} {p} {c}", "Dossier {o}/2024, {n} {s}, {p} {c}",
    "{n} {s} (ex {o}), {p} {c}",
)  # fmt: skip
LISTED = ("{n}, {a} et {b} {s}, {p} {c}", "{n} et {a} {s}, {p} {c}", "{n}/{a} {s} {p} {c}", "{n} - {a} {s} {p} {c}")
BETWEEN_NUMBERS = ("entre le {n} et le {a} {s}, {p} {c}", "du {n} au {a} {s} {p} {c}", "{n} au {a} {s} {p} {c}")
SPOKEN = (
    "c'est le {w} euh {s} à {c}", "alors le {w} {s} euh {c}", "{w} virgule {s} {p} {c}", "au {w} {s}, à {c}",
)  # fmt: skip


def in_words(number: int) -> str:
    """A number up to 999 as French words."""
    if number >= 100:
        hundreds, rest = divmod(number, 100)
        head = "cent" if hundreds == 1 else f"{UNITS[hundreds]} cent" + ("s" if not rest else "")
        return f"{head} {in_words(rest)}" if rest else head
    if number < 20:
        return UNITS[number]
    tens, unit = divmod(number, 10)
    if tens in (7, 9):
        tens, unit = tens - 1, unit + 10
    word = TENS[tens]
    if not unit:
        return word + ("s" if tens == 8 else "")
    joint = " et " if unit in (1, 11) and tens != 8 else "-"
    return f"{word}{joint}{UNITS[unit]}"


def _filled(writer: Writer, template: str, **more: str) -> Draft:
    row = writer.row
    text = template.format(n=writer.number, s=row.street, p=row.postcode, c=row.place.city, **more)
    parts = [part for part in ("postcode", "city") if f"{{{part[0]}}}" in template]
    return Draft({"label": text[:512]}, row.street, writer.codes(*parts))


def _of(templates: tuple[str, ...]) -> Form:
    return lambda writer: _filled(writer, writer.rng.choice(templates)) if writer.has_number else None


def misread(rng: random.Random, text: str) -> str | None:
    """UTF-8 that was read as Latin-1 or as Windows-1252, once or twice."""
    for _ in range(rng.choice((1, 1, 2))):
        encoding = rng.choice(("latin-1", "cp1252"))
        text = text.encode().decode(encoding, errors="replace")
    return text if not text.isascii() else None


def quoted(_: random.Random, text: str) -> str | None:
    coded = quopri.encodestring(text.encode(), quotetabs=False).decode()
    return coded if coded != text else None


def entities(rng: random.Random, text: str) -> str | None:
    if text.isascii():
        return None
    coded = "".join(c if c.isascii() else rng.choice((f"&#{ord(c)};", f"&#x{ord(c):x};")) for c in text)
    return escape(coded) if rng.random() < 0.3 else coded


def invisible(rng: random.Random, text: str) -> str:
    marks = ("\u00ad", "\u200b", "\ufeff", "\u200d", "\u2060")
    return "".join(c + (rng.choice(marks) if c.isalpha() and rng.random() < 0.12 else "") for c in text)


def replaced(rng: random.Random, text: str) -> str | None:
    mark = rng.choice(("\ufffd", "?", "\ufffd\ufffd"))
    return re.sub(r"[^\x00-\x7f]", mark, text) if not text.isascii() else None


def _number_words(writer: Writer) -> Draft | None:
    row = writer.row
    if not writer.has_number or row.suffix not in ("", "b", "bis", "t", "ter"):
        return None
    words = in_words(int(row.number)) if int(row.number) < 1000 else None
    suffix = {"": "", "b": " bis", "bis": " bis"}.get(row.suffix, " ter")
    return writer.label("nspc", number=words and f"{words}{suffix}")


def _number_words_last(writer: Writer) -> Draft | None:
    row = writer.row
    if not writer.has_number or row.suffix or int(row.number) > 999:
        return None
    sign = writer.rng.choice((" numéro ", ", au ", ", ", " n° "))
    return _filled(writer, f"{{s}}{sign}{in_words(int(row.number))}, {{p}} {{c}}")


def _foreign_type(writer: Writer) -> Draft | None:
    kind, _, name = writer.row.street.partition(" ")
    templates = FOREIGN.get(plain(kind))
    name = re.sub(r"^(?:de la |de l'|du |des |de |d')", "", name)
    if not templates or len(name) < 4:
        return None
    street = writer.rng.choice(templates).format(name)
    draft = writer.label(writer.rng.choice(("nspc", "snpc")), ", ", street=street)
    return draft and Draft(draft.input, writer.row.street, draft.codes)


def _foreign_unit(writer: Writer) -> Draft | None:
    templates = ("{u}, {n} {s}, {p} {c}", "{n} {s}, {u}, {p} {c}", "{n} {s} {u} {p} {c}", "{n} {s}, {p} {c}, {u}")
    return _filled(writer, writer.rng.choice(templates), u=writer.rng.choice(FOREIGN_UNITS))


def _sentence(writer: Writer) -> Draft | None:
    templates = ("{n} {s} à {c}", "{n} {s}, {p} {c}", "{n} {s} {p} {c}", "{n} {s} - {p} {c}", "{n} {s} à {c} ({p})")
    address = writer.rng.choice(templates)
    return _filled(writer, f"{writer.rng.choice(BEFORE_SENTENCES)}{address}{writer.rng.choice(AFTER_SENTENCES)}")


def _corner(writer: Writer) -> Draft | None:
    """The address, and a street of the place that does not have the number."""
    row = writer.row
    key = row.number + row.suffix
    streets = [street for street in writer.directory.streets.values() if street.place.code == row.place.code]
    others = [
        street.name
        for street in streets
        if street.name != row.street and key not in street.numbers and not any(map(str.isdigit, street.name))
    ]
    if not others or not writer.has_number:
        return None
    other = writer.rng.choice(others)
    return _filled(writer, writer.rng.choice(CORNERS), o=other.lower() if writer.rng.random() < 0.3 else other)


def _joined(writer: Writer) -> Draft | None:
    if writer.row.suffix or writer.row.street[-1].isdigit():
        return None
    draft = writer.label("nspc", " ")
    if draft is None:
        return None
    text = draft.input["label"]
    ways = (
        lambda t: "".join(word[:1].upper() + word[1:] for word in re.split(r"[ '’-]", t)),
        lambda t: re.sub(r"[ '’-]", "", t).lower(),
        lambda t: t.replace(" ", "_"),
        lambda t: t.replace(" ", "+"),
        lambda t: t.replace(" ", "."),
        lambda t: t.replace(" ", "|"),
        lambda t: re.sub(r"[ '’]", "-", t).lower(),
    )
    return Draft({"label": writer.rng.choice(ways)(text)}, writer.row.street, draft.codes)


def _json(writer: Writer) -> Draft | None:
    row = writer.row
    parts = {"numero": writer.number, "voie": row.street, "codePostal": row.postcode, "commune": row.place.city}
    label = json.dumps(parts, ensure_ascii=writer.rng.random() < 0.5)
    return Draft({"label": label}, row.street, writer.codes("postcode", "city"))


def _link(writer: Writer) -> Draft | None:
    draft = writer.label("nspc", ", ")
    if draft is None or not writer.has_number:
        return None
    head = writer.rng.choice(LINKS)
    tail = writer.rng.choice(("", "/@48.8566,2.3522,17z", "&z=15"))
    return Draft({"label": head + draft.input["label"].replace(" ", "+") + tail}, draft.street, draft.codes)


def _suffix_range(writer: Writer) -> Draft | None:
    row = writer.row
    if not writer.has_number or row.suffix not in ("a", "b", "bis", "t", "ter", "c"):
        return None
    templates = ("{} {}-{}", "{}{}/{}", "{} {} - {}", "{}{}-{}", "{} {} à {}")
    return writer.label(number=writer.rng.choice(templates).format(row.number, row.suffix, int(row.number) + 2))


def _suffix_glued(writer: Writer) -> Draft | None:
    row = writer.row
    word = {"b": "bis", "bis": "bis", "t": "ter", "ter": "ter"}.get(row.suffix)
    if not writer.has_number or not word:
        return None
    label = f"{row.number}{writer.rng.choice(('', ' '))}{word}{row.street}, {row.postcode} {row.place.city}"
    return Draft({"label": label}, row.street, writer.codes("postcode", "city"))


def _with_code(writer: Writer) -> Draft | None:
    template, code = writer.rng.choice(("{1}, {0}", "{0}, {1}", "{0} {1}")), writer.rng.choice(CODES)
    return writer.whole(lambda text: template.format(text, code))


def _other_numbers(writer: Writer) -> list[int]:
    """The numbers of the street, without that of the address."""
    numbers = writer.directory.street_of(writer.row).numbers
    return sorted({int(number) for number in numbers if number.isdigit()} - {int(writer.row.number)})


def _beside_number(templates: tuple[str, ...], *, is_range: bool = False) -> Form:
    """The address, and a number that is another house of the street, in another part of the text. A range has two or
    three numbers of one side, and its first is right.
    """

    def write(writer: Writer) -> Draft | None:
        if not writer.has_number or (is_range and writer.row.suffix) or writer.row.street[-1].isdigit():
            return None
        number, others = int(writer.row.number), _other_numbers(writer)
        after = [other for other in others if number < other <= number + 8 and (other - number) % 2 == 0]
        apart = [other for other in others if (other - number) % 2 or not number - 42 < other < number + 42]
        if len(after) < 2 or not apart:
            return None
        template = writer.rng.choice(templates)
        return _filled(writer, template, a=str(after[0]), b=str(after[1]), o=str(writer.rng.choice(apart)))

    return write


def _spoken(writer: Writer) -> Draft | None:
    if not writer.has_number or writer.row.suffix or int(writer.row.number) > 999:
        return None
    words = in_words(int(writer.row.number))
    draft = _filled(writer, writer.rng.choice(SPOKEN), w=words)
    return Draft({"label": draft.input["label"].lower()}, draft.street, draft.codes)


def _quarter(writer: Writer) -> Draft | None:
    """A quarter with the name of another street of the city after the street."""
    codes = writer.codes("city")
    streets = [street for street in writer.directory.streets.values() if street.place.code in codes]
    name = " ".join(canonical(writer.rng.choice(streets).name)[1])
    if not writer.has_number or set(name.split()) & set(plain(writer.row.street).split()) or not name.isascii():
        return None
    draft = writer.label(street=f"{writer.row.street} {name.title()}")
    return draft and Draft(draft.input, writer.row.street, draft.codes)


def _spoken_postcode(writer: Writer) -> Draft | None:
    postcode = writer.row.postcode
    if postcode[2] != "0" or postcode[0] == "0" or writer.row.street[-1].isdigit():
        return None
    rest = postcode[2:].lstrip("0")
    words = [in_words(int(postcode[:2])), *["zéro"] * (3 - len(rest)), in_words(int(rest or 0))]
    draft = writer.label("nsp", " ", postcode=" ".join(words)) if rest else None
    return draft and Draft(draft.input, writer.row.street, writer.codes("postcode"))


def _decimal(writer: Writer) -> Draft | None:
    row = writer.row
    if not writer.has_number or row.suffix:
        return None
    label = f"{row.number}.0 {row.street} {row.postcode}.0 {row.place.city}"
    return Draft({"label": label}, row.street, writer.codes("postcode", "city"))


def _boxes(writer: Writer) -> Draft | None:
    postcode = writer.rng.choice(("|", " | ", " ")).join(writer.row.postcode)
    draft = writer.label(postcode=postcode)
    return draft and Draft(draft.input, draft.street, writer.codes("postcode", "city"))


def _letters_in_postcode(writer: Writer) -> Draft | None:
    postcode = writer.row.postcode.replace("0", "O", 1).replace("1", writer.rng.choice("lI1"), 1)
    return writer.label(postcode=postcode) if postcode != writer.row.postcode else None


def styled(rng: random.Random, text: str) -> str:
    """Letters and digits in full width, or bold."""
    starts = rng.choice(((0xFF21, 0xFF41, 0xFF10), (0x1D400, 0x1D41A, 0x1D7CE)))
    plain_starts = (("A", "Z"), ("a", "z"), ("0", "9"))
    styles = [(first, last, start) for (first, last), start in zip(plain_starts, starts, strict=True)]
    letters = unicodedata.normalize("NFC", text)
    return "".join(
        next((chr(start + ord(c) - ord(first)) for first, last, start in styles if first <= c <= last), c)
        for c in letters
    )


def numbers_beside() -> Iterator[tuple[str, Form]]:
    """Texts with two numbers, and numbers as other programs and people write them."""
    yield "beside_row", _beside_number(ROWS)
    yield "beside_record", _beside_number(RECORDS)
    yield "beside_list", _beside_number(LISTED, is_range=True)
    yield "beside_range", _beside_number(BETWEEN_NUMBERS, is_range=True)
    yield "spoken", _spoken
    yield "spoken_postcode", _spoken_postcode
    yield "beside_quarter", _quarter
    yield "decimal", _decimal
    yield "postcode_boxes", _boxes
    yield "postcode_letters", _letters_in_postcode
    yield "styled", lambda w: w.whole(lambda text: styled(w.rng, text))


def documents() -> Iterator[tuple[str, Form]]:
    yield "damaged_misread", lambda w: w.whole(lambda text: misread(w.rng, text))
    yield "damaged_quoted_printable", lambda w: w.whole(lambda text: quoted(w.rng, text))
    yield "damaged_entities", lambda w: w.whole(lambda text: entities(w.rng, text))
    yield "damaged_invisible", lambda w: w.whole(lambda text: invisible(w.rng, text))
    yield "damaged_replaced", lambda w: w.whole(lambda text: replaced(w.rng, text))
    yield "list_sign", lambda w: w.whole(lambda text: w.rng.choice(LIST_SIGNS) + text) if w.has_number else None
    yield "count_words", _number_words
    yield "count_words_last", _number_words_last
    yield "foreign_type", _foreign_type
    yield "foreign_unit", _foreign_unit
    yield "text_sentence", _sentence
    yield "text_deed", _of(DEEDS)
    yield "text_letter", _of(LETTERS)
    yield "text_table", _of(TABLES)
    yield "text_json", _json
    yield "text_link", _link
    yield "text_twice", lambda w: w.whole(lambda text: f"{text}, {text}")
    yield "text_codes", _with_code
    yield "text_country", lambda w: w.whole(lambda text: f"{text}, {w.rng.choice(PLACES_AFTER)}")
    yield "text_corner", _corner
    yield "all_joined", _joined
    yield "suffix_range", _suffix_range
    yield "suffix_glued_street", _suffix_glued
