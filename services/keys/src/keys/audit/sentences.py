"""A sentence for each action of the audit log: who did what to what. An unknown action keeps its raw name."""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from keys.values.records import Json
from servicekit.languages import Text

WORDS: Mapping[str, Any] = tomllib.loads(files("keys.audit").joinpath("words.toml").read_text(encoding="utf-8"))


def texts(words: Mapping[str, Mapping[str, str]]) -> dict[str, Text]:
    """Returns the texts of a table of words.toml."""
    return {name: Text(**text) for name, text in words.items()}


SENTENCES = texts(WORDS["actions"])
_RAW = Text("{actor} : {action} {subject}", "{actor}: {action} {subject}")
_TIMES = Text(" : {count} fois", ": {count} times")
_ACTORS = texts(WORDS["actors"])
_TOKEN = re.compile(r"token (.*) \(([0-9A-Za-z]+)\)")


def actor_name(actor: str) -> Text:
    """Returns who acted, such as an admin's address. An unknown actor keeps its raw name."""
    token = _TOKEN.fullmatch(actor)
    if token is not None:
        return Text(f"Le jeton « {token[1]} »", f"The token “{token[1]}”")
    if actor.startswith("key "):
        return Text(f"La clé {actor[4:]}", f"The key {actor[4:]}")
    address = actor.removeprefix("admin ")
    return _ACTORS.get(actor) or Text(address, address)


def sentence(actor: str, action: str, subject: Text | None, changes: Mapping[str, Json]) -> Text:
    """Returns the sentence of an entry. Counted entries say how many times."""
    name = subject or Text("", "")
    about = Text(f" : {name.fr}", f": {name.en}") if subject else name
    words = SENTENCES.get(action, _RAW).format(actor=actor_name(actor), action=action, subject=name, of=about)
    count = changes.get("count")
    if isinstance(count, int) and count > 1:
        times = _TIMES.format(count=count)
        words = Text(words.fr + times.fr, words.en + times.en)
    return Text(words.fr.strip(), words.en.strip())
