"""How names are compared: "ÉTUDE  d’Œuvre" and "Etude d'oeuvre" are the same."""

import unicodedata

_SAME = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", **dict.fromkeys("’‘ʼ`´", "'")})


def folded(text: str) -> str:
    """The text without accents and case, with plain letters, apostrophes and single spaces; the text itself if nothing
    else is in it, because rows of an older program have no folded name.
    """
    letters = unicodedata.normalize("NFKD", text.translate(_SAME)).casefold().translate(_SAME)
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split()) or text
