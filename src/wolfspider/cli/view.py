"""What a hunt shows while it runs."""

from __future__ import annotations

from typing import Self

from wolfspider.cli.progress import Meter
from wolfspider.hunt import Hunt
from wolfspider.records import Visit


class HuntView:
    """A bar on a terminal, plain lines elsewhere, silence if asked."""

    def __init__(self, hunt: Hunt, *, quiet: bool) -> None:
        self._hunt = hunt
        self._meter = Meter("hunting", hunt.asked.pages, unit="pages", quiet=quiet)

    def __enter__(self) -> Self:
        self._meter.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._meter.__exit__(*error)  # type: ignore[arg-type]

    def show(self, visit: Visit) -> None:
        tally = self._hunt.tally
        self._meter.show(tally.pages, tally.pages, f"harvest rate {tally.harvest_rate:.3f}")
