"""Land's errors. A ServiceError reaches the caller by its code; a SourceError leaves the store unchanged."""

from collections.abc import Sequence

from servicekit.errors import ServiceError


class AddressNotFound(ServiceError, code="address_not_found"):
    """No address of the query is certain enough."""


class PlaceMissing(AddressNotFound, code="place_missing"):
    """The query names no commune."""


class CommuneNeeded(AddressNotFound, code="commune_needed"):
    """The query names only a département or a region."""


class ParcelNotFound(ServiceError, code="parcel_not_found"):
    """The loaded plan has none of the parcels."""


class ParcelRetired(ParcelNotFound, code="parcel_retired"):
    """The plan once had the parcel; the metadata names its successors."""


class ParcelNewer(ParcelNotFound, code="parcel_newer"):
    """The loaded plan is older than the parcel."""


class WatchNotFound(ServiceError, code="not_found"):
    """The owner has no such watch."""


class CommuneLoading(ServiceError, code="commune_loading"):
    """What is asked for is being loaded."""


class SourceUnavailable(ServiceError, code="source_unavailable"):
    """A publisher does not answer."""


class FileMissing(SourceUnavailable):
    """The publisher answers but has no such file."""


class FileTooLarge(SourceUnavailable):
    """The file is larger than the caller takes."""


class StoreUnavailable(ServiceError, code="unavailable"):
    """No server of the store answers."""


class DiskSpaceLow(Exception):
    """Too little disk space for a load, which is retried later. The message names the folder."""


class SourceError(Exception):
    """A file that cannot be loaded. The message names the file and says what is wrong with it."""


class UnreadableFile(SourceError):
    """The file is truncated, not text, or in another format."""


class WrongHeader(SourceError):
    def __init__(self, file: str, missing: Sequence[str]) -> None:
        super().__init__(f"{file}: missing columns: {', '.join(missing)}")
        self.missing = tuple(missing)


class WholeFilesOnly(SourceError):
    """A national list is replaced as a whole, so an import cannot select a commune or a département of it."""
