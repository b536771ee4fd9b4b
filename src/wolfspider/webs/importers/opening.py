"""One way into every recording that is a file: what it is, its content says."""

from __future__ import annotations

from pathlib import Path

from wolfspider.webs.importers.archives import open_archive
from wolfspider.webs.importers.captures import Recording
from wolfspider.webs.importers.files import opened
from wolfspider.webs.importers.mediawiki import WikiDump, is_dump
from wolfspider.webs.importers.wacz import WaczFile

_ZIP = b"PK"
_PACKED = (b"7z\xbc\xaf", b"\xfd7zX")  # 7z and xz: nobody packs recordings so but wikis


def open_recording(path: Path, scratch: Path | None = None, base: str = "") -> Recording:
    """WARC, ARC, WACZ or a MediaWiki dump.

    What has to be unpacked goes into `scratch` for a while. `base` is the URL before the titles
    of a dump that does not say.
    """
    with opened(path) as file:
        head = file.read(4)
    if head.startswith(_ZIP):
        return WaczFile(path, scratch)
    if head in _PACKED or is_dump(path):  # of a packed one its reader says to unpack it
        return WikiDump(path, base)
    return open_archive(path)
