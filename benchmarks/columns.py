"""Records as they are committed: a compressed object of JSON with a column for each field, which takes a fraction of the
space of a line for each record. Scripts of the folders beside this file import it."""

import json
import lzma


def write(path, records):
    """Whole or not at all, the same bytes for the same records. A field that a record does not have is None when it is read."""
    fields = dict.fromkeys(field for record in records for field in record)
    text = json.dumps({field: [record.get(field) for record in records] for field in fields}, separators=(",", ":"))
    part = path.with_suffix(".part")
    part.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    part.replace(path)


def read(path):
    """All records; none where there is no file."""
    if not path.exists():
        return []
    table = json.loads(lzma.decompress(path.read_bytes()))
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def rounded(value, digits):
    """With so many significant digits; what is no number stays as it is."""
    return value if value is None else float(f"{value:.{digits}g}")
