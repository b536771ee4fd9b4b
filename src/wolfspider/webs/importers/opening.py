"""One way into every recording that is a file: what it is, its content says."""

from __future__ import annotations

from pathlib import Path

from wolfspider.errors import BadInput
from wolfspider.webs.importers.archives import open_archive
from wolfspider.webs.importers.captures import Recording
from wolfspider.webs.importers.mediawiki import WikiDump, is_dump
from wolfspider.webs.importers.wacz import WaczFile

_ZIP = b"PK"


def open_recording(path: Path, scratch: Path | None = None, base: str = "") -> Recording:
    """WARC, ARC, WACZ or a MediaWiki dump.

    What has to be unpacked goes into `scratch` for a while. `base` is the URL before the titles
    of a dump that does not say.
    """
    try:
        with path.open("rb") as file:
            head = file.read(len(_ZIP))
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error
    if head == _ZIP:
        return WaczFile(path, scratch)
    if is_dump(path):
        return WikiDump(path, base)
    return open_archive(path)
