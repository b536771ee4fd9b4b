"""The quality gate: every policy on small pinned webs, against the floors of floors.json.

    python -m benchmarks.gate
    python -m benchmarks.gate --update [--reason "why a floor may fall"]

A floor is a little below what a policy reached when it was set, so that noise passes and a
mistake does not. Updating moves floors up; down only with a reason, which is kept in the file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor
from pathlib import Path

from benchmarks.measure import Recording, compile_web, model_for
from wolfspider.crawl import replay
from wolfspider.judges import KeywordJudge
from wolfspider.policies import known, make
from wolfspider.topics import Topic
from wolfspider.urls import fingerprint, seed_link
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Synthetic

FLOORS = Path(__file__).with_name("floors.json")
WEBS = {  # name → its web and the topic, by number, that is hunted on it
    "cooking": (Synthetic(pages=1500, hosts=30, topics=8, seed=1), 1),
    "sailing": (Synthetic(pages=1500, hosts=30, topics=8, seed=2, locality=0.4), 4),
    "medicine": (Synthetic(pages=1500, hosts=60, topics=10, seed=3, tunnels=0.3), 3),
}
BUDGETS = (150, 450)  # pages
SLACK = 0.95  # a floor is this part of what was reached

Values = dict[str, dict[str, dict[str, float]]]  # policy → web → metric → value


@dataclass(slots=True)
class Floors:
    """What floors.json holds."""

    webs: dict[str, str] = field(default_factory=dict)  # name → digest
    floors: Values = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)  # why floors fell, oldest first

    @classmethod
    def read(cls, path: Path) -> Floors:
        return cls(**json.loads(path.read_text())) if path.exists() else cls()

    def write(self, path: Path) -> None:
        kept = {"webs": self.webs, "floors": self.floors, "reasons": self.reasons}
        path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def digest(web: Synthetic) -> str:
    """Over everything the generator writes; how it is parsed is not part of it."""
    seen = hashlib.sha256()
    for record in web.records():
        head = [record.url, record.status, record.headers, record.labels]
        seen.update(json.dumps(head).encode() + record.body)
    return seen.hexdigest()[:16]


def measure(scratch: Path, show: Callable[[str], None]) -> Values:
    """What every policy reaches on every web."""
    values: Values = {name: {} for name in known()}
    for name, (made, number) in WEBS.items():
        show(f"replaying {name}")
        warc, labels = scratch / f"{name}.warc.gz", scratch / f"{name}.tsv"
        summary = made.write(warc, labels)
        topic = summary.topics[number]
        source = Recording(name, warc, labels, summary.start, topic)
        web = RecordedWeb(compile_web(source, scratch / name))
        for policy in values:
            values[policy][name] = reach(web, policy, topic, summary.start)
    return values


def reach(web: RecordedWeb, policy: str, words: str, start: str) -> dict[str, float]:
    """Recall of the labelled pages, and share of pages the judge found relevant, by budget."""
    targets = {fingerprint(web.url(page)) for page in web.label(words).tolist()}
    topic = Topic.of(words)
    crawler = make(policy, topic=topic, model=model_for(policy, web, words))
    found: set[int] = set()
    relevant = 0
    reached: dict[str, float] = {}
    visits = replay(web, crawler, KeywordJudge(topic), [seed_link(start)], pages=max(BUDGETS))
    for step, visit in enumerate(visits, 1):
        found.add(fingerprint(visit.page.url))
        relevant += visit.verdict.relevant
        if step in BUDGETS:
            reached |= _metrics(step, len(found & targets) / len(targets), relevant / step)
    for budget in BUDGETS:  # a crawl that ended early has spent its budget on nothing
        if f"recall@{budget}" not in reached:
            reached |= _metrics(budget, len(found & targets) / len(targets), relevant / budget)
    return reached


def _metrics(budget: int, recall: float, harvest: float) -> dict[str, float]:
    return {f"recall@{budget}": round(recall, 4), f"harvest@{budget}": round(harvest, 4)}


def entries(values: Values) -> Iterator[tuple[str, str, str, float]]:
    for policy, webs in values.items():
        for web, metrics in webs.items():
            for metric, value in metrics.items():
                yield policy, web, metric, value


def value_of(values: Values, policy: str, web: str, metric: str) -> float | None:
    return values.get(policy, {}).get(web, {}).get(metric)


def complaints(floors: Floors, values: Values, digests: Mapping[str, str]) -> list[str]:
    """A sentence for everything that is not as it should be."""
    said = []
    if floors.webs != digests:
        said.append(
            "the pinned webs changed; run gate --update and say why in CHANGELOG: "
            + ", ".join(name for name in digests if floors.webs.get(name) != digests[name])
        )
    for policy, web, metric, value in entries(values):
        least = value_of(floors.floors, policy, web, metric)
        if least is None:
            said.append(f"{policy} has no floor for {metric} on {web}; run gate --update")
        elif value < least:
            said.append(f"{policy} reached {metric} {value} on {web}; the floor is {least}")
    for policy, web, metric, _ in entries(floors.floors):
        if value_of(values, policy, web, metric) is None:
            said.append(f"there is a floor for {policy}, {metric} on {web}, but nothing to measure")
    return said


def updated(floors: Floors, values: Values, digests: Mapping[str, str], reason: str) -> Floors:
    """Floors for these values; `ValueError` if one would fall or vanish without a reason."""
    fallen = []
    new: Values = {}
    for policy, web, metric, value in entries(values):
        old = value_of(floors.floors, policy, web, metric)
        least = floor(SLACK * value * 1000) / 1000
        if old is not None and value >= old:
            least = max(old, least)
        elif old is not None:
            fallen.append(f"{policy}, {metric} on {web}: from {old} to {least}")
        new.setdefault(policy, {}).setdefault(web, {})[metric] = least
    for policy, web, metric, _ in entries(floors.floors):
        if value_of(values, policy, web, metric) is None:
            fallen.append(f"{policy}, {metric} on {web}: taken away")
    if fallen and not reason.strip():
        listed = "\n  ".join(fallen)
        raise ValueError(f'these floors would fall; say why with --reason "…":\n  {listed}')
    noted = [f"{reason.strip()} ({'; '.join(fallen)})"] if fallen else []
    return Floors(dict(digests), new, [*floors.reasons, *noted])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--update", action="store_true", help="write the floors anew")
    parser.add_argument("--reason", default="", help="why floors may fall")
    parser.add_argument("--floors", type=Path, default=FLOORS, help="another file of floors")
    given = parser.parse_args()
    if given.reason and not given.update:
        parser.error("--reason goes with --update")
    floors = Floors.read(given.floors)
    digests = {name: digest(web) for name, (web, _) in WEBS.items()}
    with tempfile.TemporaryDirectory() as scratch:
        values = measure(Path(scratch), lambda line: print(line, file=sys.stderr))
    if given.update:
        return _update(given.floors, floors, values, digests, given.reason)
    said = complaints(floors, values, digests)
    for sentence in said:
        print(f"gate: {sentence}")
    if not said:
        print(f"gate: {len(values)} policies keep their floors on {len(WEBS)} webs")
    return 1 if said else 0


def _update(path: Path, floors: Floors, values: Values, digests: dict[str, str], why: str) -> int:
    try:
        updated(floors, values, digests, why).write(path)
    except ValueError as error:
        print(f"gate: {error}")
        return 1
    print(f"gate: wrote {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
