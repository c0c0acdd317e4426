"""Protected historic monuments."""

from typing import NamedTuple


class MonumentRecord(NamedTuple):
    reference: str
    """The notice of the base Mérimée, such as PA00098765."""
    name: str | None
    protection: str | None
    """The dates and kinds of its protection, as the ministry writes them."""
    geometry: bytes
    """A point, which the ministry often derives from the address."""
