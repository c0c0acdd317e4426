"""INSEE's lists of communes, in memory: present communes, former ones, and what replaced them.

About 20 MB for the whole country.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from land.datasets.communes.records import CommuneRecord, MovementRecord, PostcodesRecord
from land.datasets.grouping import grouped

_PRESENT = ("COM", "ARM")
_UNKNOWN = PostcodesRecord("", "", "", None, None, None, None)


class CommuneRegister:
    """Immutable. Without the lists it is empty and knows no code."""

    def __init__(
        self,
        communes: Iterable[CommuneRecord],
        movements: Iterable[MovementRecord],
        postcodes: Iterable[PostcodesRecord],
    ) -> None:
        self.names: dict[str, str] = {}
        """Names of present communes and arrondissements by code, including Paris, Lyon and Marseille."""
        self.arrondissement_cities: set[str] = set()
        """Codes of Paris, Lyon and Marseille, whose land is published by arrondissement only."""
        self._parts: list[CommuneRecord] = []
        for commune in communes:
            if commune.kind in _PRESENT:
                self.names[commune.code] = commune.name
            else:
                self._parts.append(commune)
            if commune.kind == "ARM":
                self.arrondissement_cities.add(commune.parent_code)
        self._parents = {part.code: part.parent_code for part in self._parts}
        self._postcodes = {record.code: record for record in postcodes}
        for record in self._postcodes.values():
            self.names.setdefault(record.code, record.name)
        self.has_postcodes = bool(self._postcodes)
        self.is_empty = not self.names
        self._movements = grouped((movement.old_code, movement) for movement in movements if movement.old_code)

    @cached_property
    def inhabited(self) -> frozenset[str]:
        """Codes of the present communes and arrondissements with land, except those known to have no inhabitants."""
        return frozenset(
            code
            for code in self.names
            if code not in self.arrondissement_cities and self._postcodes.get(code, _UNKNOWN).population != 0
        )

    def has_land(self, code: str) -> bool:
        """Whether the cadastre may publish land under this code.

        It does for present communes and arrondissements, and still for some delegated and associated communes. It does
        not for Paris, Lyon and Marseille.
        """
        return (code in self.names or code in self._parents) and code not in self.arrondissement_cities

    def current_codes(self, code: str) -> tuple[str, ...]:
        """The present communes that replace a code, in order: itself, the commune it merged into, or several if it
        was divided. Empty for a code that never existed.
        """
        return tuple(sorted(self._current_codes(code, frozenset())))

    def _current_codes(self, code: str, former_codes: frozenset[str]) -> set[str]:
        if code in self.names:
            return {code}
        if code in self._parents:
            return {self._parents[code]}
        ends = [
            movement
            for movement in self._movements.get(code, ())
            if movement.new_kind in _PRESENT and movement.new_code != code and movement.new_code not in former_codes
        ]
        last = max((movement.effective_on for movement in ends), default="")  # a code may be restored and end again
        current_codes: set[str] = set()
        for movement in ends:
            if movement.effective_on == last:
                current_codes |= self._current_codes(movement.new_code, former_codes | {code})
        return current_codes

    def former_names(self) -> dict[str, Sequence[str]]:
        """Returns other names since 1943 by present commune, in order: its own, and those of communes merged into it.

        Names of its delegated and associated communes are included. A divided commune gives its name to each successor.
        """
        names: dict[str, set[str]] = {}
        for part in self._parts:
            names.setdefault(part.parent_code, set()).add(part.name)
        for old_code, movements in self._movements.items():
            for code in self._current_codes(old_code, frozenset()):
                names.setdefault(code, set()).update(movement.old_name for movement in movements)
        other_names = {
            code: sorted(names_of_code - {self.names.get(code, "")}) for code, names_of_code in names.items()
        }
        return {code: names_of_code for code, names_of_code in other_names.items() if names_of_code}

    def postcodes(self, code: str) -> tuple[str, ...]:
        """Postcodes of a present commune; empty if unknown."""
        postcodes = self._postcodes.get(code, _UNKNOWN).postcodes
        return tuple(postcodes.split("|")) if postcodes else ()

    def population(self, code: str) -> int:
        """Inhabitants of a present commune; 0 if unknown."""
        return self._postcodes.get(code, _UNKNOWN).population or 0

    def centre(self, code: str) -> tuple[float | None, float | None]:
        """Longitude and latitude of a present commune, None if unknown."""
        record = self._postcodes.get(code, _UNKNOWN)
        return record.lon, record.lat
