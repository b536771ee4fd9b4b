"""What a person asked a hunt for: everything `hunt.toml` holds, and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.errors import BadInput
from wolfspider.judges import (
    ClassifierJudge,
    CosineJudge,
    KeywordJudge,
    PatternJudge,
    TargetJudge,
)
from wolfspider.protocols import Judge
from wolfspider.records import Link
from wolfspider.stopping import NONE, budgets_in, without_budgets
from wolfspider.topics import Topic
from wolfspider.training.disk import digest_of, load_model
from wolfspider.training.model import Model
from wolfspider.urls import canonical, readings, seed_link
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.settings import LiveSettings
from wolfspider.webs.live.web import LiveWeb
from wolfspider.webs.recorded import RecordedWeb

LIVE = "live"
_BEFORE = {"pages": None, "policy": "best-first"}  # what a hunt.toml meant that leaves them out
_NEEDED = ("topic", "seeds")  # in hunt.toml
_PACE = ("delay", "address_delay", "connections_per_host")
_KINDS: dict[str, tuple[tuple[type, ...], str]] = {  # of values in hunt.toml, by annotation
    "str": ((str,), "a text in quotes"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "bool": ((bool,), "true or false"),
    "tuple[str, ...]": ((tuple,), "a list of texts"),
}
_NOT_ASKED = ("pace", "limits", "shares")  # of LiveSettings: written field by field, or fixed


@dataclass(frozen=True)
class Asked:
    """One hunt as it was asked for. Budgets that are None do not end it."""

    topic: str
    seeds: tuple[str, ...]
    web: str = LIVE  # or a web folder
    pages: int | None = 1000
    relevant: int | None = None
    bytes: int | None = None
    minutes: float | None = None
    stop: tuple[str, ...] = ()  # rules in words; budgets among them become those above
    policy: str = "wolf"
    model: str = ""  # folder, for a policy that was trained
    model_digest: str = ""  # of what it knew when the hunt began
    weights: str = ""  # file, for what the policy carries from hunt to hunt
    warm_start: str = ""  # hunt folder or file, with what was learned there the hunt begins
    warm_start_digest: str = ""  # of what it was when the hunt began
    warm_start_learned: str = ""  # the same for people to read: topic, pages
    pattern: str | None = None
    like: tuple[str, ...] = ()  # texts
    targets: tuple[str, ...] = ()  # URLs
    examples: tuple[str, ...] = ()  # files or URLs, for people to read: the judge is in `learned`
    counter_examples: tuple[str, ...] = ()
    learned: str = ""  # from them: a packed ClassifierJudge, so that a resumed hunt has the same
    random_seed: int = 0
    live: LiveSettings = field(default_factory=LiveSettings)

    def __post_init__(self) -> None:
        for name, most in budgets_in(self.stop).items():
            before = getattr(self, name)
            object.__setattr__(self, name, most if before is None else min(before, most))
        object.__setattr__(self, "stop", without_budgets(self.stop))
        for name, what in (("pages", "pages"), ("relevant", "relevant pages"), ("bytes", "bytes")):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadInput(f"a budget of {value} {what} fetches nothing; give 1 or more")
        if self.bytes is not None and self.web != LIVE:
            raise BadInput(
                "bytes are what comes over the network, and from a recorded web none do; "
                "give another budget, such as --pages"
            )
        if self.minutes is not None and not 0 < self.minutes < 1e6:
            raise BadInput(
                f"a budget of {self.minutes:g} minutes cannot be kept; "
                "give a number above 0 and below a million"
            )
        if self.random_seed < 0:
            raise BadInput(f"--random-seed is {self.random_seed}; it must be 0 or more")
        for name in ("weights", "model"):
            if self.warm_start and getattr(self, name):
                raise BadInput(
                    f"--warm-start and --{name} are both something to begin with; give one of them"
                )
        if self.pattern == "":
            raise BadInput("the --pattern is empty and would find everything; leave it out")
        judges = ("pattern", "like", "targets", "examples")
        given = [f"--{name}" for name in judges if getattr(self, name)]
        if len(given) > 1:
            raise BadInput(f"give one of {' and '.join(given)}: a hunt has one judge")
        if self.counter_examples and not self.examples:
            raise BadInput("--counter-examples say what is not wanted; say what is: --examples")
        if bool(self.examples) != bool(self.learned):
            raise BadInput("examples and what was learned from them go together")

    # -- on disk ---------------------------------------------------------------------------

    def values(self) -> dict[str, Any]:
        """As names and plain values, for hunt.toml."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "live"}
        values = {"wolfspider": __version__} | own
        if self.web != LIVE:
            values["web"] = str(Path(self.web).resolve())  # a hunt goes on from any folder
        else:
            settings = {f.name: getattr(self.live, f.name) for f in fields(self.live)}
            values |= {name: settings[name] for name in settings if name not in _NOT_ASKED}
            values |= {name: getattr(self.live.pace, name) for name in _PACE}
        return {n: list(v) if isinstance(v, tuple) else v for n, v in values.items()}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Asked:
        """From the values of a hunt.toml; names that are not known are of another version."""
        given: dict[str, Any] = {
            n: tuple(v) if isinstance(v, list) else v for n, v in values.items()
        }
        _demand_kinds(given)
        if missing := [name for name in _NEEDED if name not in given]:
            raise BadInput(
                f"hunt.toml lacks {', '.join(missing)}, without which no hunt can go on; "
                "bring it back from a copy, or write them into it as they were"
            )
        pace = Pace(**_only(given, set(_PACE)))
        names = {f.name for f in fields(LiveSettings)} - set(_NOT_ASKED)
        live = LiveSettings(**_only(given, names), pace=pace)
        own = {f.name for f in fields(cls)} - {"live"}
        if given.get("web", LIVE) != LIVE:
            given.pop("bytes", None)  # once it could be given there, and ended nothing
        return cls(**(_BEFORE | _only(given, own)), live=live)

    def with_budgets(self, stop: tuple[str, ...] = (), **budgets: Any) -> Asked:
        """The same with other budgets where some are given.

        Rules that are given take the place of all rules of before; "none" just takes them away. So
        does either with a number of relevant pages, however that was given.
        """
        rules = tuple(text for text in stop if text.strip().lower() != NONE)
        if rules and len(rules) < len(stop):
            raise BadInput(f"--stop {NONE} takes all rules away; leave it out, or the others")
        given = {name: value for name, value in budgets.items() if value is not None}
        for name, most in budgets_in(rules).items():
            given[name] = min(most, given.get(name, most))
        if stop:
            given.setdefault("relevant", None)
        kept = without_budgets(rules) if stop else self.stop
        return replace(self, **given, stop=kept)

    # -- what is made of it ----------------------------------------------------------------

    @property
    def behind(self) -> int:
        """Of `at_once`, how many may be answered and on their way to disk."""
        return max(1, self.live.at_once // 4)

    def web_to_hunt_on(self) -> LiveWeb | RecordedWeb:
        if self.web != LIVE:
            recorded = RecordedWeb(Path(self.web))
            targets = [url for each in self.targets if (url := canonical(each))]
            if targets and all(recorded.number(url) < 0 for url in targets):
                raise BadInput(f"none of the targets is in {self.web}, so nothing could be found")
            return recorded
        # What is under way and what is not on disk yet make `at_once` together.
        fetches = max(1, self.live.at_once - self.behind)
        return LiveWeb(self.seeds, replace(self.live, at_once=fetches))

    def trained_model(self) -> Model | None:
        """What the policy has learned before; it must be what the hunt began with."""
        if not self.model:
            return None
        folder = Path(self.model)
        model = load_model(folder)
        if self.model_digest and digest_of(model) != self.model_digest:
            raise BadInput(
                f"the model {folder} is not the one that the hunt began with; bring that one back, "
                "or begin a new hunt"
            )
        return model

    def judge(self, topic: Topic) -> Judge:
        if self.pattern:
            return PatternJudge.of(self.pattern)
        if self.like:
            return CosineJudge.of(list(self.like))
        if self.learned:
            return ClassifierJudge.unpacked(self.learned)
        if self.targets:
            return TargetJudge.of(list(self.targets))
        return KeywordJudge(topic)

    def seed_links(self, web: object) -> list[Link]:
        """The pages to start from; on a recorded web an address that redirects stands for the
        page it leads to."""
        if not isinstance(web, RecordedWeb):
            return list({link.url: link for link in map(seed_link, self.seeds)}.values())
        pages = (web.url(_number_in(web, seed)) for seed in self.seeds)
        return [seed_link(url) for url in dict.fromkeys(pages)]


def _number_in(web: RecordedWeb, seed: str) -> int:
    """The page of a web that a person means, who may leave out https://."""
    addresses = readings(seed)
    found = [number for each in addresses if (number := web.number(each)) >= 0]
    if not found:
        raise BadInput(
            f"the seed {seed_link(addresses[-1]).url} is not in {web.folder}; "
            f"start from a page of it, such as {web.url(0)}"
        )
    return found[0]


def _only(values: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in names}


def _demand_kinds(given: Mapping[str, Any]) -> None:
    """Somebody may have written into hunt.toml by hand."""
    for each in (*fields(Asked), *fields(LiveSettings), *fields(Pace)):
        kinds, what = _KINDS.get(str(each.type).removesuffix(" | None"), ((), ""))
        value = given.get(each.name)
        if kinds and value is not None and type(value) not in kinds:
            raise BadInput(f"{each.name} in hunt.toml is {value!r}; write {what}")
