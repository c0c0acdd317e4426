"""What the written regulation of a planning document says of each zone."""

from typing import NamedTuple


class RegulationRecord(NamedTuple):
    """One zone in one file of a regulation. The file's name is the part of the partition."""

    label: str
    """The zone's label, as in the plan."""
    url: str
    """The address of its rules, as the zone gives it, with the place in the file."""
    document_id: str
    state: str
    """`read`, or why there are no rules: as the reader says it, or one of the states of `reader`."""
    sha256: str | None
    size_bytes: int | None
    reading: str | None
    """What `land.regulation` reads, as JSON; None if the file was not read."""
