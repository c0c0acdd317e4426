"""Farmed parcels of the old quarter, as the RPG of 2024 has them: wheat that passes its parcel by 2 m, and a meadow."""

from demoland.geometry import Ring, rectangle

QUARTER_FIELDS: tuple[tuple[str, str, Ring], ...] = (
    ("BTH", "1", rectangle(-478, -38, -276, 92)),
    ("PPH", "18", rectangle(-420, 96, -272, 168)),
)
"""The crop, its group and the outline of each."""
