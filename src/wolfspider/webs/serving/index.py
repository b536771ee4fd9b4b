"""Which record answers for an address."""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict
from collections.abc import Iterator
from pathlib import Path

from wolfspider.errors import DamagedFile
from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.pages import is_html
from wolfspider.urls import canonical, fingerprint, host
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.warc import capture_of
from wolfspider.webs.serving.answers import Answer, recorded
from wolfspider.webs.serving.volume import Place, Volume

_REDIRECT = (301, 302, 303, 307, 308)
_GONE = (404, 410)
_CIRCLE, _MOVED, _OTHER, _PAGE = range(4)  # kinds of answers
_CACHED = 32 << 20  # bytes of answers kept in memory
_OBJECTS = 300  # bytes that Python spends on each of them


class Index:
    """Addresses, in canonical form, and the places of their answers in WARC files.

    Of several captures of an address the latest counts; of several at one moment the last, but
    any other before a redirect. A redirect from one spelling of an address to another one
    counts only if there is nothing else: it would lead in a circle.
    """

    def __init__(self) -> None:
        self.hosts: set[str] = set()
        self.left_out: Counter[str] = Counter()  # records by reason
        self._volumes: list[Volume] = []
        self._rows = FingerprintMap()  # fingerprint → row of the columns below
        self._volume = array("I")
        self._places = tuple(array("q") for _ in Place._fields)
        self._dates = array("d")
        self._kinds = array("B")
        self._cache: OrderedDict[int, Answer] = OrderedDict()
        self._cached = 0

    def __len__(self) -> int:
        """How many addresses are answered."""
        return len(self._kinds)

    @property
    def pages(self) -> int:
        """How many of them with an HTML page; the rest are redirects, errors, other files."""
        return self._kinds.count(_PAGE)

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

    def answer(self, url: str) -> Answer | None:
        """What was recorded for a canonical URL; None for nothing."""
        row = self._rows.get_one(fingerprint(url))
        if row < 0:
            return None
        found = self._cache.get(row)
        if found is not None:
            self._cache.move_to_end(row)
            return found
        place = Place(*(column[row] for column in self._places))
        found = recorded(self._volumes[self._volume[row]].read(place))
        self._keep(row, found)
        return found

    def _keep(self, row: int, answer: Answer) -> None:
        """Put an answer into the cache; those not asked for the longest time leave."""
        self._cache[row] = answer
        self._cached += _cost(answer)
        while self._cached > _CACHED:
            _, old = self._cache.popitem(last=False)
            self._cached -= _cost(old)

    def _add(self, capture: Capture, place: Place) -> None:
        url = canonical(capture.url)
        copied = capture.copy_of and capture.status not in (*_REDIRECT, *_GONE)
        if url is None:
            self.left_out["not a web address"] += 1
        elif capture.status < 200:
            self.left_out["not HTTP"] += 1
        elif copied:
            self._add_copy(capture, url)
        else:
            self._put(url, capture.date, _kind(capture, url), len(self._volumes) - 1, place)

    def _add_copy(self, capture: Capture, url: str) -> None:
        """A revisit record: the content is that of another capture, maybe of another URL."""
        original = canonical(capture.copy_of)
        row = self._rows.get_one(fingerprint(original)) if original else -1
        if row < 0:
            self.left_out["revisit of a capture that is not here"] += 1
        else:
            place = Place(*(column[row] for column in self._places))
            self._put(url, capture.date, self._kinds[row], self._volume[row], place)

    def _put(self, url: str, date: float, kind: int, volume: int, place: Place) -> None:
        row = self._rows.get_one(fingerprint(url))
        if row < 0:
            self._rows.set_one(fingerprint(url), len(self))
            self.hosts.add(host(url))
            row = len(self)
            for column in (self._volume, *self._places, self._kinds):
                column.append(0)
            self._dates.append(0.0)
        elif _rank(kind, date) < _rank(self._kinds[row], self._dates[row]):
            return
        self._volume[row], self._dates[row], self._kinds[row] = volume, date, kind
        for column, value in zip(self._places, place, strict=True):
            column[row] = value


def _cost(answer: Answer) -> int:
    return len(answer.head) + len(answer.body) + _OBJECTS


def _kind(capture: Capture, url: str) -> int:
    if capture.status in _REDIRECT:
        return _CIRCLE if canonical(capture.location, url) == url else _MOVED
    page = capture.status == 200 and is_html(capture.body, capture.content_type)
    return _PAGE if page else _OTHER


def _rank(kind: int, date: float) -> tuple[bool, float, bool]:
    return kind != _CIRCLE, date, kind != _MOVED
