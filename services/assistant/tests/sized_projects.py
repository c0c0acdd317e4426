"""Projects with wished areas, for tests."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.project import Project


def sized(
    lot_count: int | None = None,
    sizes_m2: Sequence[float] = (),
    house_m2: float | None = None,
    keeps_house: bool = False,
    **members: float,
) -> Project:
    project = Project(keeps_house=keeps_house or None).resized(sizes_m2, house_m2, lot_count)
    return replace(project, **members)  # type: ignore[arg-type]
