"""Spreadsheets (Office Open XML, .xlsx): the first sheet of a body as CSV, and answers as a sheet.

A workbook is a ZIP file of XML, which takes long to read. So a process of its own reads it, with a limit of memory and
of time, and other requests go on.
"""

import asyncio
import io
import re
import sys
from collections.abc import Sequence

from openpyxl import Workbook

from contract.endpoints import MAX_LINES
from edge.problems import invalid
from servicekit.languages import Text

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAX_COLUMNS = 200
_READ_S = 20.0
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?")
"""A number that a spreadsheet keeps as it is: without leading zeros, and not longer than its precision."""
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


async def csv_of(body: bytes | bytearray) -> bytes:
    """The first sheet as CSV. Raises Problem invalid_payload if it cannot be read."""
    limits = (str(MAX_LINES + 2), str(MAX_COLUMNS))  # the header, and a line that is too many
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "edge.batches.sheet_reader", *limits),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        content, _ = await asyncio.wait_for(process.communicate(bytes(body)), _READ_S)
    except TimeoutError:
        content = b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise invalid(
            "",
            "malformed",
            Text(
                "Le fichier n’est pas un classeur .xlsx lisible. Enregistrez-le de nouveau, ou envoyez-le en CSV.",
                "The file is not a readable .xlsx workbook. Save it again, or send it as CSV.",
            ),
        )
    return content


class Sheet:
    """A workbook of one sheet. A text stays a text, so that no spreadsheet makes a number of a code."""

    def __init__(self, title: str) -> None:
        self._book = Workbook(write_only=True)
        self._sheet = self._book.create_sheet(title)

    def add(self, own: Sequence[str], values: Sequence[object]) -> None:
        """Adds a row: cells of the table that came, of which numbers are numbers again, and values."""
        numbers_again = (float(cell) if _NUMBER.fullmatch(cell) else cell for cell in own)
        self._sheet.append([_legal(value) for value in (*numbers_again, *values)])

    def content(self) -> bytes:
        out = io.BytesIO()
        self._book.save(out)
        return out.getvalue()


def _legal(value: object) -> object:
    """The value without characters that XML cannot have. A formula of somebody else is a text."""
    if not isinstance(value, str):
        return value
    text = _ILLEGAL.sub("", value)
    return f"'{text}" if text.startswith("=") else text
