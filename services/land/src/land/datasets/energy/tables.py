"""Energy ratings."""

from land.datasets.energy.records import RatingCountRecord
from land.store.tables import table_of

energy_rating = table_of(RatingCountRecord, "energy_rating", ["commune_code", "lat", "lon", "part", "place"])
