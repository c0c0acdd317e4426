"""Land's errors. A ServiceError reaches the caller by its code.

- ServiceError
  - InvalidPayload (servicekit)
  - AddressNotFound
    - PlaceMissing: the query names no commune
    - CommuneNeeded: the query names only a département or a region
  - ParcelNotFound
    - ParcelRetired: the plan once had the parcel; the metadata names its successors
    - ParcelNewer: the loaded plan is older than the parcel
  - WatchNotFound
  - CommuneLoading, SourceUnavailable, StoreUnavailable: a later request may succeed
    - FileMissing, of SourceUnavailable: the publisher answers but has no such file
    - FileTooLarge, of SourceUnavailable: larger than the caller takes
- DiskSpaceLow: a load was refused or cancelled before it filled the disk
- SourceError: a file that cannot be loaded; the store is unchanged
  - UnreadableFile: truncated, not text, or in another format
  - WrongHeader: columns are missing
  - WholeFilesOnly: an import selects part of a national list"""

from collections.abc import Sequence

from servicekit.errors import ServiceError


class AddressNotFound(ServiceError):
    code = "address_not_found"


class PlaceMissing(AddressNotFound):
    code = "place_missing"


class CommuneNeeded(AddressNotFound):
    code = "commune_needed"


class ParcelNotFound(ServiceError):
    code = "parcel_not_found"


class ParcelRetired(ParcelNotFound):
    code = "parcel_retired"


class ParcelNewer(ParcelNotFound):
    code = "parcel_newer"


class WatchNotFound(ServiceError):
    code = "not_found"


class CommuneLoading(ServiceError):
    code = "commune_loading"


class SourceUnavailable(ServiceError):
    code = "source_unavailable"


class FileMissing(SourceUnavailable):
    pass


class FileTooLarge(SourceUnavailable):
    pass


class StoreUnavailable(ServiceError):
    code = "unavailable"


class DiskSpaceLow(Exception):
    """Too little disk space for a load, which is retried later. The message names the folder."""


class SourceError(Exception):
    """A file that cannot be loaded. The message names the file and says what is wrong with it."""


class UnreadableFile(SourceError):
    pass


class WrongHeader(SourceError):
    def __init__(self, file: str, missing: Sequence[str]) -> None:
        super().__init__(f"{file}: missing columns: {', '.join(missing)}")
        self.missing = tuple(missing)


class WholeFilesOnly(SourceError):
    """A national list is replaced as a whole, so an import cannot select a commune or a département of it."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file}: a national list is loaded whole, without --commune or --department")
