"""WARC or ARC: which of the two a file is, by its first bytes."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from pathlib import Path

from wolfspider.errors import BadInput
from wolfspider.webs.importers.arc import ArcFile
from wolfspider.webs.importers.frames import Frames, Gap
from wolfspider.webs.importers.record_forms import ARC, WARC
from wolfspider.webs.importers.warc import WarcFile


def open_archive(path: Path) -> WarcFile | ArcFile:
    """The reader for this file; the one for WARC, with its refusal, if it is neither."""
    head = _first_bytes(path)
    if WARC.begin.match(head):
        return WarcFile(path)
    if ARC.begin.match(head) or head.startswith(b"filedesc:"):
        return ArcFile(path)
    return ArcFile(path) if ".arc" in path.suffixes else WarcFile(path)  # its first bytes are bad


def _first_bytes(path: Path) -> bytes:
    """Uncompressed, without empty lines; fewer if the beginning is damaged."""
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            for piece in Frames(data, path.name):
                if found := (piece.before if isinstance(piece, Gap) else piece).lstrip(b"\r\n"):
                    return found[: ARC.near]
    except ValueError:  # an empty file cannot be mapped
        pass
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error
    return b""
