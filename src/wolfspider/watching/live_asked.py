"""What a person asked a watch of the live web for: everything `watch.toml` holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from wolfspider import __version__
from wolfspider.errors import BadInput
from wolfspider.urls import canonical
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.settings import LiveSettings

_PACE = ("delay", "address_delay", "connections_per_host")
_NOT_ASKED = ("pace", "limits", "shares", "at_once")  # written field by field, or fixed


@dataclass(frozen=True)
class WatchAsked:
    """One watch as it was asked for; `seconds` that are None do not end it."""

    seeds: tuple[str, ...]
    policy: str = "foragers"
    seconds: float | None = None
    changes: bool = False  # documents that changed are reported, too
    random_seed: int = 0
    live: LiveSettings = field(default_factory=LiveSettings)

    def __post_init__(self) -> None:
        if not self.seeds:
            raise BadInput("say where to begin: --seed https://news.example.org/")
        for seed in self.seeds:
            if canonical(seed) is None:
                raise BadInput(f"the seed {seed!r} is not a web address")
        if self.random_seed < 0:
            raise BadInput(f"--random-seed is {self.random_seed}; it must be 0 or more")

    @property
    def addresses(self) -> list[str]:
        """The seeds in their one spelling, each once."""
        return list(dict.fromkeys(url for seed in self.seeds if (url := canonical(seed))))

    def values(self) -> dict[str, Any]:
        """As names and plain values, for watch.toml."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "live"}
        settings = {f.name: getattr(self.live, f.name) for f in fields(self.live)}
        values = {"wolfspider": __version__} | own
        values |= {name: value for name, value in settings.items() if name not in _NOT_ASKED}
        values |= {name: getattr(self.live.pace, name) for name in _PACE}
        return {n: list(v) if isinstance(v, tuple) else v for n, v in values.items()}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> WatchAsked:
        """From the values of a watch.toml; names that are not known are of another version."""
        given: dict[str, Any] = {
            n: tuple(v) if isinstance(v, list) else v for n, v in values.items()
        }
        try:
            pace = Pace(**{name: given[name] for name in _PACE if name in given})
            names = {f.name for f in fields(LiveSettings)} - set(_NOT_ASKED)
            live = LiveSettings(**{n: v for n, v in given.items() if n in names}, pace=pace)
            own = {f.name for f in fields(cls)} - {"live"}
            return cls(**{n: v for n, v in given.items() if n in own}, live=live)
        except TypeError as error:
            raise BadInput(f"watch.toml does not say what a watch needs: {error}") from None
