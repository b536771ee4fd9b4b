"""A web of words to try policies on: the 111,000 meanings that WordNet leads to from "entity".

python -m benchmarks.words -o webs

WordNet 3.0 comes as a package of Debian 12. Each meaning is a page with its words, what they mean,
and under a heading for each relation the meanings that it leads to. Some belong to a field such as
law or baseball, which lexicographers have noted; these links are left out, and to find the members
of one of the twenty largest fields by its name is a task: `webs/words` with `webs/words.toml`. None
of the wolf's settings was chosen with this web in view.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from benchmarks.debian import build_all, import_folders, parser, unpacked, write_topics

SITE = "http://words.example/"
KINDS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
RELATIONS = {
    "@": "More general",
    "@i": "Instance of",
    "~": "More specific",
    "~i": "Instances",
    "#m": "Member of",
    "#s": "Substance of",
    "#p": "Part of",
    "%m": "Members",
    "%s": "Substances",
    "%p": "Parts",
    "=": "Attributes",
    "+": "Related forms",
    "*": "Entails",
    ">": "Causes",
    "^": "See also",
    "&": "Similar",
    "\\": "Pertains to",
    "<": "Participle of",
    "$": "Verb group",
    "!": "Opposite",
}
FIELD = ";c"
FIELDS = 20
BUDGET = 6000

Key = tuple[str, str]  # part of speech, and where in its file


@dataclass(frozen=True)
class Meaning:
    key: Key
    words: list[str]
    gloss: str
    pointers: list[tuple[str, Key]]  # symbol, to whom

    @property
    def path(self) -> str:
        name = re.sub(r"[ /]", "-", self.words[0].lower().replace("'", ""))
        return f"{self.key[0]}/{name}-{self.key[1]}.html"

    @property
    def related(self) -> Iterator[tuple[str, Key]]:
        return ((RELATIONS[symbol], to) for symbol, to in self.pointers if symbol in RELATIONS)


def read(line: str, kind: str) -> Meaning:
    """A line of a data file, as wndb(5) of WordNet tells."""
    head, _, gloss = line.partition("|")
    place, _, _, count, *rest = head.split()
    end = 2 * int(count, 16)  # of its words, each with a number
    words = [word.replace("_", " ").partition("(")[0] for word in rest[:end:2]]
    links = rest[end + 1 :][: 4 * int(rest[end])]
    symbols, places, kinds = links[::4], links[1::4], links[2::4]
    pointers = [
        (symbol, (KINDS[k], to)) for symbol, to, k in zip(symbols, places, kinds, strict=True)
    ]
    return Meaning((kind, place), words, gloss.strip(), pointers)


def read_all(folder: Path) -> dict[Key, Meaning]:
    meanings = {}
    for kind in dict.fromkeys(KINDS.values()):
        for line in (folder / f"data.{kind}").read_text("latin-1").splitlines():
            if not line.startswith(" "):  # the license
                meaning = read(line, kind)
                meanings[meaning.key] = meaning
    return meanings


def within_reach(meanings: dict[Key, Meaning], start: Key) -> list[Meaning]:
    reached, waiting = {start}, [start]
    for key in waiting:
        new = dict.fromkeys(to for _, to in meanings[key].related if to not in reached)
        reached.update(new)
        waiting += new
    return [meanings[key] for key in waiting]


def page(meaning: Meaning, meanings: dict[Key, Meaning], start: Meaning) -> str:
    by_relation: dict[str, dict[Key, Meaning]] = defaultdict(dict)
    for relation, to in meaning.related:
        by_relation[relation][to] = meanings[to]
    lists = (
        f"<h2>{relation}</h2><ul>{''.join(map(item, found.values()))}</ul>"
        for relation, found in by_relation.items()
    )
    return (
        f"<!doctype html><title>{escape(meaning.words[0])}</title>"
        f'<nav><a href="/{start.path}">Start</a></nav>'
        f"<h1>{text(meaning)}</h1><p>{escape(meaning.gloss)}</p>{''.join(lists)}"
    )


def item(meaning: Meaning) -> str:
    return f'<li><a href="/{meaning.path}">{text(meaning)}</a></li>'


def text(meaning: Meaning) -> str:
    return escape(", ".join(meaning.words))


def fields(pages: list[Meaning], meanings: dict[Key, Meaning]) -> dict[str, list[Meaning]]:
    """Who belongs to each of the largest fields, by its name."""
    members: dict[str, list[Meaning]] = defaultdict(list)
    for meaning in pages:
        named = (meanings[to].words[0] for symbol, to in meaning.pointers if symbol == FIELD)
        for name in dict.fromkeys(named):
            members[name].append(meaning)
    largest = sorted(members, key=lambda name: (-len(members[name]), name))[:FIELDS]
    return {name: members[name] for name in largest}


def build(web: Path, scratch: Path) -> None:
    """Write the web folder, and its tasks beside it."""
    meanings = read_all(unpacked("wordnet-base", scratch) / "wordnet")
    start = next(each for each in meanings.values() if each.words == ["entity"])
    pages, site = within_reach(meanings, start.key), scratch / "site"
    for kind in dict.fromkeys(KINDS.values()):
        (site / kind).mkdir(parents=True)
    for meaning in pages:
        (site / meaning.path).write_text(page(meaning, meanings, start))
    wanted = {name.replace(" ", "-"): found for name, found in fields(pages, meanings).items()}
    labels = ((SITE + each.path, label) for label, found in wanted.items() for each in found)
    import_folders({SITE: site}, labels, web)
    topics = {label: label.split("-") for label in wanted}
    write_topics(web, topics, SITE + start.path, BUDGET)


def main() -> None:
    options = parser(__doc__)
    build_all({options.parse_args().out / "words": build}, options)


if __name__ == "__main__":
    main()
