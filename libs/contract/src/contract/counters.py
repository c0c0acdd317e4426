"""What a lease of an API key grants, for keys and the edge. The fields are those of the message `Counters`."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Counters:
    requests: int = 0
    units: int = 0
    suggestions: int = 0
    calls: int = 0
    """Calls of the assistant."""
    tokens: int = 0
    """Tokens of the assistant's model."""

    @classmethod
    def of(cls, source: object) -> "Counters":
        """The counters of a message, or of another object with these attributes."""
        return cls(*(getattr(source, name) for name in NAMES))

    def __add__(self, other: "Counters") -> "Counters":
        return Counters(*(getattr(self, name) + getattr(other, name) for name in NAMES))

    def __sub__(self, other: "Counters") -> "Counters":
        return Counters(*(getattr(self, name) - getattr(other, name) for name in NAMES))

    def times(self, number: int) -> "Counters":
        return Counters(*(number * getattr(self, name) for name in NAMES))

    def at_most(self, other: "Counters") -> "Counters":
        """The lesser of each counter, and nothing below 0."""
        return Counters(*(max(0, min(getattr(self, name), getattr(other, name))) for name in NAMES))

    def at_least(self, other: "Counters") -> "Counters":
        """The greater of each counter."""
        return Counters(*(max(getattr(self, name), getattr(other, name)) for name in NAMES))

    def covers(self, other: "Counters") -> bool:
        return all(getattr(self, name) >= getattr(other, name) for name in NAMES)


NAMES = tuple(field.name for field in fields(Counters))
NOTHING = Counters()
