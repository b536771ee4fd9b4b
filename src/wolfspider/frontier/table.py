"""Links in rows: what it takes to follow one, in a few array cells and the bytes of its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Link, Links, Rows, State

_COLUMNS = {
    "fingerprint": np.uint64,
    "begin": np.uint32,  # of its text in the text of its batch
    "length": np.uint32,
    "host": np.int32,
    "arrival": np.int64,  # number of its batch, and in the low half its position there
}
_POSITION = (1 << 32) - 1
_GROWTH = 1.25  # of columns that are full


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a batch of links was found."""

    source: str = ""
    depth: int = 0
    relevance: float = 0.0


class LinkTable:
    """Rows of links in the order they were written, batch by batch; who owns it says which live.

    `columns` has those above and what the owner asks for. Rows never move, but for `keep`.
    """

    def __init__(self, more: Mapping[str, type[np.generic]]) -> None:
        kinds: dict[str, Any] = {**more, **_COLUMNS}
        self.columns: dict[str, NDArray[Any]]
        self.columns = {name: np.empty(256, kind) for name, kind in kinds.items()}
        self.end = 0  # rows in use
        self.hosts: list[str] = []  # by number
        self._numbers: dict[str, int] = {}
        self._prefixes: list[tuple[bytes, bytes]] = []  # how their URLs begin, http and https
        self._origins: list[Origin] = []  # one for each batch
        self._texts: list[bytes] = []  # their URLs and anchors
        self._links = 0  # that these texts have; of some there is no row any more

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column, with some cells beyond the end."""
        return self.columns[column]

    def host(self, name: str) -> int:
        """The number of a host; a new one is given the next."""
        number = self._numbers.setdefault(name, len(self.hosts))
        if number == len(self.hosts):
            self.hosts.append(name)
            self._prefixes.append((f"http://{name}/".encode(), f"https://{name}/".encode()))
        return number

    def number_of(self, host: str) -> int | None:
        return self._numbers.get(host)

    def hosts_of(self, links: Links, chosen: Rows) -> NDArray[np.int32]:
        """The number of each chosen link's host."""
        names = links.hosts
        if len(names) == 1:
            return np.full(len(chosen), self.host(names[0]), np.int32)
        local = links.host_of[chosen]
        numbers = np.zeros(len(names), np.int32)
        for each in dict.fromkeys(local.tolist()):
            numbers[each] = self.host(names[each])
        return numbers[local]

    def write(
        self,
        links: Links,
        chosen: Rows,
        hosts: NDArray[np.int32],
        origin: Origin,
        positions: Rows | None = None,
    ) -> tuple[int, int]:
        """Write a batch of links as rows; returns the first, and the one after the last.

        A link's position on its page is its row in `links`, unless told.
        """
        start, end = self.end, self.end + len(chosen)
        self.reserve(len(chosen))
        texts = self._shortened(links.texts(chosen), hosts)
        lengths = np.fromiter(map(len, texts), np.uint32, len(texts))
        columns = self.columns
        columns["fingerprint"][start:end] = links.fingerprints[chosen]
        columns["begin"][start:end] = lengths.cumsum() - lengths
        columns["length"][start:end] = lengths
        columns["host"][start:end] = hosts
        columns["arrival"][start:end] = chosen if positions is None else positions[chosen]
        columns["arrival"][start:end] |= len(self._origins) << 32
        self._origins.append(origin)
        self._texts.append(b"".join(texts))
        self._links += len(texts)
        self.end = end
        return start, end

    def copy(self, rows: Rows | NDArray[np.int32]) -> tuple[int, int]:
        """Write rows once more, at the end; returns the first, and the one after the last."""
        start, end = self.end, self.end + len(rows)
        self.reserve(len(rows))
        for column in self.columns.values():
            column[start:end] = column[rows]
        self.end = end
        return start, end

    def reserve(self, count: int) -> None:
        size = len(self.columns["host"])
        if self.end + count <= size:
            return
        for name, column in self.columns.items():
            grown = np.empty(max(int(_GROWTH * size), self.end + count), column.dtype)
            grown[: self.end] = column[: self.end]  # the rest stays untouched memory
            self.columns[name] = grown

    def link(self, row: int, score: float) -> Link:
        columns = self.columns
        arrival, begin = columns["arrival"].item(row), columns["begin"].item(row)
        batch, host = arrival >> 32, self.hosts[columns["host"].item(row)]
        text = self._texts[batch][begin : begin + columns["length"].item(row)]
        url, _, anchor = text.decode().partition("\n")
        if url.startswith("/"):
            url = f"http://{host}{url}"
        elif url.startswith("s/"):
            url = f"https://{host}{url[1:]}"
        origin = self._origins[batch]
        return Link(
            url,
            columns["fingerprint"].item(row),
            host,
            anchor,
            origin.source,
            origin.depth,
            arrival & _POSITION,
            origin.relevance,
            score,
        )

    def keep(self, alive: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Forget the other rows, in place; tells how many rows are kept before each old one."""
        rank = np.zeros(self.end + 1, np.int32)
        np.cumsum(alive, out=rank[1:])
        for name in self.columns:  # one after the other: a large table is not held twice
            self.columns[name] = self.columns[name][: self.end][alive]
        self.end = rank.item(-1)
        self._keep_batches()
        return rank

    def arrange(self, rows: Rows) -> NDArray[np.int32]:
        """Bring some rows in another order, and forget the others; tells where old ones are now."""
        place = np.zeros(self.end, np.int32)
        place[rows] = np.arange(len(rows))
        for name in self.columns:  # one after the other: a large table is not held twice
            self.columns[name] = self.columns[name][rows]
        self.end = len(rows)
        if self._links > 2 * self.end:
            self._keep_batches()
        return place

    def state(self) -> State:
        """The rows and what they refer to; columns that change in place are copied by the owner."""
        return {
            "rows": {name: column[: self.end] for name, column in self.columns.items()},
            "texts": list(self._texts),  # not copied: bytes never change
            "text_lengths": np.array([len(text) for text in self._texts], np.int64),
            "origins": [[o.source, o.depth, o.relevance] for o in self._origins],
            "hosts": list(self.hosts),
        }

    def restore(self, state: State) -> None:
        """Take the place of an empty table's content."""
        self.columns = {name: np.array(column) for name, column in state["rows"].items()}
        self.end = self._links = len(self.columns["host"])
        texts = _bytes_of(state["texts"])
        ends = np.cumsum(np.asarray(state["text_lengths"])).tolist()
        self._texts = [texts[a:b] for a, b in pairwise([0, *ends])]
        self._origins = [Origin(*origin) for origin in state["origins"]]
        for name in state["hosts"]:
            self.host(name)

    def _shortened(self, texts: list[bytes], hosts: NDArray[np.int32]) -> list[bytes]:
        """Texts without what the host tells: `/path` for http, `s/path` for https."""
        short = []
        for text, host in zip(texts, hosts.tolist(), strict=True):
            plain, secure = self._prefixes[host]
            if text.startswith(plain):
                short.append(text[len(plain) - 1 :])
            elif text.startswith(secure):
                short.append(b"s" + text[len(secure) - 1 :])
            else:
                short.append(text)
        return short

    def _keep_batches(self) -> None:
        """Keep only the batches, and of their texts only the parts, that a row still needs."""
        columns, self._links = self.columns, self.end
        batch = (columns["arrival"] >> 32).astype(np.int32)
        counts = np.bincount(batch, minlength=len(self._origins))
        used = np.flatnonzero(counts)
        order = np.argsort(batch, kind="stable")
        edges = [0, *np.cumsum(counts[used]).tolist()]
        texts = []
        for old, (start, end) in zip(used.tolist(), pairwise(edges), strict=True):
            texts.append(self._shrunk(self._texts[old], order[start:end]))
            self._texts[old] = b""  # so that old and new never stand side by side as a whole
        self._texts = texts
        self._origins = [self._origins[old] for old in used.tolist()]
        renamed = np.cumsum(counts > 0, dtype=np.int64) - 1
        columns["arrival"] &= _POSITION
        columns["arrival"] |= renamed[batch] << 32

    def _shrunk(self, text: bytes, rows: Rows) -> bytes:
        """The parts of a batch's text that these rows need; says in `begin` where they are now."""
        begins, lengths = self.columns["begin"], self.columns["length"]
        kept = lengths[rows].astype(np.int64)
        if int(kept.sum()) == len(text):
            return text
        spans = zip(begins[rows].tolist(), kept.tolist(), strict=True)
        shrunk = b"".join([text[begin : begin + length] for begin, length in spans])
        begins[rows] = np.cumsum(kept) - kept
        return shrunk


def _bytes_of(value: Any) -> bytes:
    """Bytes out of a state: pieces when it was just taken, an array when it comes from disk."""
    return b"".join(value) if isinstance(value, list) else np.asarray(value, np.uint8).tobytes()
