"""The streets of one commune, ready to be compared with what was typed."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

CANDIDATES_PER_VIEW = 12
VIEW_CUTOFF = 60.0

_LINKING_WORDS = frozenset(
    ("a", "au", "aux", "d", "de", "des", "du", "en", "et", "l", "la", "le", "les", "sous", "sur")
)
STREET_TYPE_WORDS = frozenset(
    (
        "allee", "avenue", "boulevard", "carrefour", "chaussee", "chemin", "cite", "clos", "cour", "cours", "domaine",
        "esplanade", "faubourg", "galerie", "hameau", "impasse", "lotissement", "mail", "montee", "parc", "passage",
        "place", "pont", "port", "promenade", "quai", "quartier", "residence", "rond", "route", "rue", "ruelle",
        "sente", "sentier", "square", "traverse", "venelle", "villa", "voie",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Street:
    commune_code: str
    id: str
    name: str
    search_names: tuple[str, ...]
    postcodes: tuple[str, ...]
    is_locality: bool
    lon: float | None
    lat: float | None


def core(name: str) -> str:
    """A canonical name without its type and linking words, in one piece: for glued, split and dropped small words."""
    words = name.split()
    if len(words) > 1 and words[0] in STREET_TYPE_WORDS:
        words = words[1:]
    return "".join(word for word in words if word not in _LINKING_WORDS) or "".join(words)


class CommuneStreets:
    """Immutable. Each name of a street is an entry of its own."""

    def __init__(self, streets: Sequence[Street]) -> None:
        entries = [(street, name) for street in streets for name in street.search_names]
        self._streets = [street for street, _ in entries]
        self._names = [name for _, name in entries]
        self._cores = [core(name) for _, name in entries]
        self._sorted = [" ".join(sorted(name.split())) for _, name in entries]
        self._exact: dict[str, list[int]] = {}
        for index, name in enumerate(self._names):
            self._exact.setdefault(name, []).append(index)

    def __len__(self) -> int:
        return len(self._names)

    def named(self, name: str) -> list[Street]:
        """Streets of exactly this canonical name."""
        return [self._streets[index] for index in self._exact.get(name, ())]

    def ranked(self, name: str) -> list[tuple[float, Street]]:
        """Streets that may be the canonical name, each once, with a similarity of 0 to 1, the most similar first."""
        if exact := self.named(name):
            return [(1.0, street) for street in exact]
        best: dict[str, tuple[float, Street]] = {}
        for index in self._candidates(name):
            similarity = _similarity(name, self._names[index])
            street = self._streets[index]
            if similarity > best.get(street.id, (0.0, street))[0]:
                best[street.id] = (similarity, street)
        return sorted(best.values(), key=lambda item: (-item[0], item[1].id))

    def _candidates(self, name: str) -> set[int]:
        found: set[int] = set()
        in_order = " ".join(sorted(name.split()))
        for query, view in ((core(name), self._cores), (in_order, self._sorted)):
            matches = process.extract(
                query, view, scorer=fuzz.ratio, limit=CANDIDATES_PER_VIEW, score_cutoff=VIEW_CUTOFF
            )
            found.update(int(match[2]) for match in matches)
        return found


def _similarity(query: str, name: str) -> float:
    """0 to 1. The words that name a street weigh more than its type, and their order counts a little."""
    whole = fuzz.ratio(query, name)
    in_any_order = fuzz.token_sort_ratio(query, name) - 2.0
    cores = fuzz.ratio(core(query), core(name))
    return float((0.5 * cores + 0.5 * max(whole, in_any_order)) / 100)
