"""ARC records made by hand, and as warcio sees them."""

from __future__ import annotations

from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from recordings import http

DATE = "20200102030405"
_FIELDS = {
    1: b"URL IP-address Archive-date Content-type Archive-length",
    2: b"URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename "
    b"Archive-length",
}


def filedesc(version: int = 1) -> bytes:
    """The record with which a file begins."""
    block = b"%d 0 Wolfspider\n%s\n" % (version, _FIELDS[version])
    return arc_record("filedesc://x.arc", block, "text/plain", version=version)


def arc_record(
    url: str, block: bytes, kind: str = "text/html", date: str = DATE, version: int = 1
) -> bytes:
    """A record with the line end behind it."""
    more = "200 0123456789abcdef - 0 x.arc " if version == 2 else ""
    return f"{url} 192.0.2.1 {date} {kind} {more}{len(block)}\n".encode() + block + b"\n"


def arc_page(url: str, body: str = "<p>Spiders hunt.", version: int = 1) -> bytes:
    return arc_record(url, http(body.encode()), version=version)


def by_warcio(path: Path) -> list[tuple[str, str, bytes]]:
    """URL, date and body of every answer, as warcio reads them."""
    found = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type == "response" and record.http_headers:
                headers = record.rec_headers
                body = record.content_stream().read()
                found.append((headers["uri"], headers["archive-date"], body))
    return found
