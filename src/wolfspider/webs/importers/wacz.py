"""WACZ files: WARC files in a zip, as browsers and archives hand them around.

Only the WARC files inside are read. Indexes and lists of pages are made from them, so a file
without any imports just the same. https://specs.webrecorder.net/wacz/1.1.1/
"""

from __future__ import annotations

import shutil
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.webs.importers.archives import open_archive
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.files import new_folder

_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
_PIECE = 1 << 20


class WaczFile:
    """The captures of all WARC and ARC files in `archive/` of a WACZ file; iterate once.

    Each is copied out into a folder of its own in `scratch` while it is read, and its checksum
    verified on the way. `position` of `size` are uncompressed bytes.
    """

    def __init__(self, path: Path, scratch: Path | None = None) -> None:
        self.path = path
        self.scratch = scratch
        self.position = 0
        self.records = 0
        self.truncated = False
        self._left_out: Counter[str] = Counter()
        with self._zip() as zipped:
            self.members = _archives(zipped)
        if not self.members:
            raise BadInput(
                f"{path} has no WARC file in a folder archive/; give a WACZ file, or unpack it "
                "and give what is inside"
            )
        self.size = sum(member.file_size for member in self.members)

    @property
    def left_out(self) -> Counter[str]:
        return self._left_out

    def __iter__(self) -> Iterator[Capture]:
        for member in self.members:
            with new_folder(".wacz-", self.scratch) as folder:
                copy = Path(folder) / _safe_name(member)
                self._copy_out(member, copy)
                yield from self._captures(member, copy)

    def _captures(self, member: ZipInfo, copy: Path) -> Iterator[Capture]:
        file = open_archive(copy)
        before, records = self.position, self.records
        try:
            for capture in file:
                self.position = before + file.position
                self.records = records + file.records
                yield capture
        except DamagedFile as error:
            sentence = str(error).removeprefix(f"{copy} ")
            raise DamagedFile(f"{member.filename} in {self.path} {sentence}") from error
        self.position, self.records = before + member.file_size, records + file.records
        self.truncated |= file.truncated
        self._left_out += file.left_out

    def _copy_out(self, member: ZipInfo, copy: Path) -> None:
        with self._zip() as zipped, zipped.open(member) as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, _PIECE)

    @contextmanager
    def _zip(self) -> Iterator[ZipFile]:
        """The zip file; what goes wrong with it is told as a sentence."""
        try:
            with ZipFile(self.path) as zipped:
                yield zipped
        except (BadZipFile, zlib.error, LZMAError, EOFError, UnicodeDecodeError) as error:
            raise DamagedFile(
                f"{self.path} is damaged, or no WACZ file: {error}; get a whole copy"
            ) from error
        except (NotImplementedError, RuntimeError) as error:  # encrypted, or packed in an odd way
            raise BadInput(f"cannot unpack {self.path}: {error}") from error
        except OSError as error:
            raise BadInput(f"cannot read {self.path}: {error.strerror or error}") from error


def _archives(zipped: ZipFile) -> list[ZipInfo]:
    """In the order of their names, which recorders number."""
    found = [member for member in zipped.infolist() if _is_archive(member.filename)]
    return sorted(found, key=lambda member: member.filename)


def _is_archive(name: str) -> bool:
    return name.startswith("archive/") and name.lower().endswith(_ENDINGS)


def _safe_name(member: ZipInfo) -> str:
    """A name for the copy: only the ending is the member's, which may try to climb out."""
    return "copy" + next(end for end in _ENDINGS[::-1] if member.filename.lower().endswith(end))
