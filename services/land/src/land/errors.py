"""Everything that land tells a caller by code.

- ServiceError
  - InvalidPayload (servicekit)
  - AddressNotFound
  - ParcelNotFound
    - ParcelRetired: the id was a parcel once; its successors are in the metadata
  - CommuneLoading, SourceUnavailable, StoreUnavailable: may work later
    - FileMissing, of SourceUnavailable: the publisher answers, and has no such file
- DiskSpaceLow: a load was not begun or not ended, since it would fill the disk
- SourceError: a file that cannot be loaded; told to whoever imports, and nothing was changed
  - UnreadableFile: truncated, not text, not the format
  - WrongHeader: columns are missing
  - WholeFilesOnly: a part of a national list was asked for
"""

from collections.abc import Sequence

from servicekit.errors import ServiceError


class AddressNotFound(ServiceError):
    code = "address_not_found"


class ParcelNotFound(ServiceError):
    code = "parcel_not_found"


class ParcelRetired(ParcelNotFound):
    code = "parcel_retired"


class CommuneLoading(ServiceError):
    code = "commune_loading"


class SourceUnavailable(ServiceError):
    code = "source_unavailable"


class FileMissing(SourceUnavailable):
    pass


class StoreUnavailable(ServiceError):
    code = "unavailable"


class DiskSpaceLow(Exception):
    """Too little disk space for a load; it is tried again later. The message names the folder."""


class SourceError(Exception):
    """A file that cannot be loaded. The message names the file and says what is wrong with it."""


class UnreadableFile(SourceError):
    pass


class WrongHeader(SourceError):
    """Columns that the reader needs are missing from the header."""

    def __init__(self, file: str, missing: Sequence[str]) -> None:
        super().__init__(f"{file}: missing columns: {', '.join(missing)}")
        self.missing = tuple(missing)


class WholeFilesOnly(SourceError):
    """A national list takes the place of the one before as a whole, never a commune's or a département's part of it."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file}: a national list is loaded whole, without --commune or --department")
