"""Which record answers for an address."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from functools import cached_property
from math import inf
from pathlib import Path

from wolfspider.errors import BadInput, DamagedFile, damage
from wolfspider.urls import canonical
from wolfspider.webs import archive
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.warc import capture_of
from wolfspider.webs.moments import OTHER, Moments, MomentsWriter
from wolfspider.webs.serving.answers import Answer, recorded
from wolfspider.webs.serving.volume import Place, Volume

_CACHED = 32 << 20  # bytes of answers kept in memory
_OBJECTS = 300  # bytes that Python spends on each of them


class Index:
    """The answers of a recording: places in WARC files, and those asked for of late.

    Made from WARC files, which are read to the end first, or from what a web folder keeps.
    """

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()  # records by reason
        self._volumes: list[Volume] = []
        self._noted = MomentsWriter()
        self._cache: OrderedDict[int, Answer] = OrderedDict()
        self._cached = 0

    @classmethod
    def of(cls, web: Path) -> Index:
        """The answers that a web folder keeps."""
        index = cls()
        try:
            index.moments = Moments.load(web)
        except FileNotFoundError:
            raise BadInput(
                f"{web} keeps no answers to serve: it was imported with --pages-only, or is a "
                "rewired web; serve the recording it was made of"
            ) from None
        except (OSError, ValueError) as error:
            raise DamagedFile(
                f"the web folder {web} is damaged ({damage(error)}); import the recording again"
            ) from error
        index._volumes.append(Volume(web / archive.NAME))
        return index

    @cached_property
    def moments(self) -> Moments:
        moments = self._noted.moments()
        if self._noted.lost:
            self.left_out["revisit of a capture that is not here"] = self._noted.lost
        return moments

    def __len__(self) -> int:
        """How many addresses are answered."""
        return len(self.moments)

    def close(self) -> None:
        for volume in self._volumes:
            volume.close()

    def add(self, path: Path) -> Iterator[tuple[int, int]]:
        """Take in a WARC file, step by step: yields bytes done and records seen."""
        volume = Volume(path)
        self._volumes.append(volume)
        records = 0
        for records, (record, place) in enumerate(volume, 1):
            capture = capture_of(record)
            if capture is not None:
                self._add(capture, place)
            yield volume.position, records
        if not records:
            raise DamagedFile(f"{path} is not a WARC file: no record can be read from it")
        self.left_out["damaged record"] += volume.damaged
        self.left_out["record that is too large"] += volume.too_large
        self.left_out += Counter()  # drops zero counts

    def _add(self, capture: Capture, place: Place) -> None:
        url = canonical(capture.url)
        if url is None:
            self.left_out["not a web address"] += 1
        elif capture.status < 200:
            self.left_out["not HTTP"] += 1
        elif capture.is_copy:
            self._noted.copy(url, capture)
        else:
            self._noted.note(url, capture, len(self._volumes) - 1, place)

    def answer(self, url: str, at: float = inf) -> Answer | None:
        """What was recorded for a canonical URL, at a moment; None for nothing.

        A file that is no page is the same whatever query stands behind its name.
        """
        row = self.moments.row(url, at)
        if row < 0 and "?" in url:
            row = self.moments.row(url.partition("?")[0], at)
            row = row if row >= 0 and self.moments.kind(row) == OTHER else -1
        if row < 0:
            return None
        found = self._cache.get(row)
        if found is not None:
            self._cache.move_to_end(row)
            return found
        volume, place = self.moments.place(row)
        found = recorded(self._volumes[volume].read(Place(*place)), self.moments.date(row))
        self._keep(row, found)
        return found

    def _keep(self, row: int, answer: Answer) -> None:
        """Put an answer into the cache; those not asked for the longest time leave."""
        self._cache[row] = answer
        self._cached += _cost(answer)
        while self._cached > _CACHED:
            _, old = self._cache.popitem(last=False)
            self._cached -= _cost(old)


def _cost(answer: Answer) -> int:
    return len(answer.head) + len(answer.body) + _OBJECTS
