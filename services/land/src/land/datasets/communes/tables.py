"""National lists of communes."""

from land.datasets.communes.records import CommuneRecord, MovementRecord, PostcodesRecord
from land.store.tables import table_of

cog_commune = table_of(CommuneRecord, "cog_commune", ["code", "kind"])
cog_movement = table_of(
    MovementRecord, "cog_movement", ["old_code", "effective_on", "change", "old_kind", "new_code", "new_kind"]
)
commune_postcodes = table_of(PostcodesRecord, "commune_postcodes", ["code"])
