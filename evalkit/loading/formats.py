"""Files of another kind under the name of a JSON Lines file: one fault that says what it looks like, not one for every line."""

from __future__ import annotations

import re
from pathlib import Path

from evalkit.loading.files import input_error

WANTED = "one JSON object a line was expected"
PACKED: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "is a zip archive, as a spreadsheet (.xlsx) is", f"export it as JSON Lines: {WANTED}"),
    (b"\x1f\x8b", "is compressed (gzip)", f"unpack it: {WANTED}"),
    (b"PAR1", "is a Parquet file", f"export it as JSON Lines: {WANTED}"),
)
"""How files begin, what they then are, and what to do."""
_NAME = rb'[ ]*(?:"[^"{}\[\]:]*"|[A-Za-z_][\w .-]*)[ ]*'
_CSV_HEADER = re.compile(rb"%s(?:([,;\t])%s)(?:\1%s)*[\r\n]*" % (_NAME, _NAME, _NAME))


def refuse_other_format(path: Path, first_line: bytes) -> None:
    """Raise InputError where the first line is that of a packed file, or the header of a CSV: names between commas, semicolons or tabs."""
    for start, problem, remedy in PACKED:
        if first_line.startswith(start):
            raise input_error(path, problem, remedy, line=1)
    if _CSV_HEADER.fullmatch(first_line):
        raise input_error(
            path, "looks like CSV: its first line is a header", f"write it as JSON Lines: {WANTED}", line=1
        )
