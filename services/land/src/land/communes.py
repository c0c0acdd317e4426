"""Which communes there are, what they were, and what an old code stands for today: INSEE's lists, held in memory.

Pure; about 20 MB for the whole country.
"""

from collections.abc import Iterable, Mapping, Sequence

from land.records.communes import CommuneRecord, MovementRecord, PostcodesRecord

_PRESENT = ("COM", "ARM")


class CommuneRegister:
    """Immutable. Empty where the lists are not loaded: then nothing is known of any code."""

    def __init__(
        self,
        communes: Iterable[CommuneRecord],
        movements: Iterable[MovementRecord],
        postcodes: Iterable[PostcodesRecord],
    ) -> None:
        self._names: dict[str, str] = {}
        self._parts: list[CommuneRecord] = []
        arrondissement_cities: set[str] = set()
        for commune in communes:
            if commune.kind in _PRESENT:
                self._names[commune.code] = commune.name
            else:
                self._parts.append(commune)
            if commune.kind == "ARM":
                arrondissement_cities.add(commune.parent_code)
        self._parents = {part.code: part.parent_code for part in self._parts}
        self._postcodes = {record.code: record for record in postcodes}
        for record in self._postcodes.values():
            self._names.setdefault(record.code, record.name)
        self._movements: dict[str, list[MovementRecord]] = {}
        for movement in movements:
            if movement.old_code:
                self._movements.setdefault(movement.old_code, []).append(movement)
        self._cities = frozenset(arrondissement_cities)

    @property
    def is_empty(self) -> bool:
        return not self._names

    @property
    def names(self) -> Mapping[str, str]:
        """Every present commune and arrondissement by code, the whole of Paris, Lyon and Marseille among them."""
        return self._names

    @property
    def cities(self) -> frozenset[str]:
        """Paris, Lyon and Marseille: communes whose land is published by arrondissement only."""
        return self._cities

    def exists(self, code: str) -> bool:
        """Whether it is a commune or an arrondissement today."""
        return code in self._names

    def has_land(self, code: str) -> bool:
        """Whether land is published under the code: a commune or an arrondissement of today, or a delegated or
        associated commune, whose plan may be under its own code still; not the whole of Paris, Lyon or Marseille.
        """
        return (code in self._names or code in self._parents) and code not in self._cities

    def today(self, code: str) -> tuple[str, ...]:
        """What a code stands for today, in order: itself, the commune that it went into, or several where it was
        divided. Nothing for a code that never was.
        """
        return tuple(sorted(self._today(code, frozenset())))

    def _today(self, code: str, seen: frozenset[str]) -> set[str]:
        if code in self._names:
            return {code}
        if code in self._parents:
            return {self._parents[code]}
        away = [
            movement
            for movement in self._movements.get(code, ())
            if movement.new_kind in _PRESENT and movement.new_code != code and movement.new_code not in seen
        ]
        last = max((movement.effective_on for movement in away), default="")
        found: set[str] = set()
        for movement in away:
            if movement.effective_on == last:
                found |= self._today(movement.new_code, seen | {code})
        return found

    def former_names(self) -> dict[str, Sequence[str]]:
        """By present commune, the other names that it, or what went into it, has had since 1943, in order; those of
        delegated and associated communes among them. What went into several communes is a former name of each.
        """
        names: dict[str, set[str]] = {}
        for part in self._parts:
            names.setdefault(part.parent_code, set()).add(part.name)
        for old_code, movements in self._movements.items():
            for code in self._today(old_code, frozenset()):
                names.setdefault(code, set()).update(movement.old_name for movement in movements)
        others = {code: sorted(found - {self._names.get(code, "")}) for code, found in names.items()}
        return {code: found for code, found in others.items() if found}

    def postcodes(self, code: str) -> tuple[str, ...]:
        """Of a present commune; none where they are not known."""
        record = self._postcodes.get(code)
        return tuple(record.postcodes.split("|")) if record and record.postcodes else ()

    def population(self, code: str) -> int:
        """Of a present commune; 0 where it is not known."""
        record = self._postcodes.get(code)
        return (record.population if record else None) or 0

    def middle(self, code: str) -> tuple[float | None, float | None]:
        """longitude, latitude of a present commune, where known."""
        record = self._postcodes.get(code)
        return (record.lon, record.lat) if record else (None, None)
