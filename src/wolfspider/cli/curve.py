"""How a hunt went so far, in little memory: the harvest as a line of blocks, and the pace."""

from __future__ import annotations

from collections import deque

_BLOCKS = "▁▂▃▄▅▆▇█"
_LATELY = 60.0  # seconds that are remembered


class Curve:
    """Relevant pages along a hunt of any length, in at most `most` bins of equally many pages."""

    def __init__(self, most: int = 128, pages: int = 10) -> None:
        self.most = most
        self.pages = pages  # of a bin
        self.bins: list[int] = []  # whole ones: a bin with one page would jump up and down
        self._seen = self._found = 0  # of the bin that is not whole yet

    def add(self, relevant: bool) -> None:
        self._seen += 1
        self._found += relevant
        if self._seen == self.pages:
            self.bins.append(self._found)
            self._seen = self._found = 0
            if len(self.bins) == self.most:
                self.bins = _merged(self.bins, 2)
                self.pages *= 2

    def line(self, width: int) -> tuple[str, float]:
        """One block for each bin or for several, and the harvest rate of the highest."""
        together = -(-len(self.bins) // max(width, 1)) or 1
        bins = _merged(self.bins, together)
        highest = max(bins, default=0)
        top = len(_BLOCKS) - 1
        blocks = (_BLOCKS[round(top * found / highest) if highest else 0] for found in bins)
        return "".join(blocks), highest / (together * self.pages)


def _merged(bins: list[int], count: int) -> list[int]:
    """Sums of `count` neighbours; what is left over at the end is not whole and waits."""
    whole = len(bins) - len(bins) % count
    return [sum(bins[at : at + count]) for at in range(0, whole, count)]


class Pace:
    """How fast numbers grew in the last minute."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, tuple[int, ...]]] = deque()

    def note(self, now: float, *numbers: int) -> None:
        self._samples.append((now, numbers))
        while now - self._samples[0][0] > _LATELY:
            self._samples.popleft()

    def speed(self, number: int, seconds: float) -> float:
        """Of one of the numbers, a second; over the last seconds."""
        if not self._samples:
            return 0.0
        now, last = self._samples[-1]
        then, first = next(s for s in self._samples if now - s[0] <= seconds)
        return (last[number] - first[number]) / (now - then) if now > then else 0.0
