"""A web of programs to try policies on: the packages of Debian 12, as its own site shows them.

python -m benchmarks.packages -o webs

Each package is a page with its description, what it depends on with a line about each, and links
to its source package and to who maintains it; these and the sections list what they have. Debian's
volunteers have tagged what packages are about, which no page tells: to find those with a tag by its
name is a task: `webs/packages` with `webs/packages.toml`. Two of the wolf's weights were chosen
with every second of these tasks in view.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from zlib import crc32

from benchmarks.debian import build_all, import_folders, parser, write_topics

SITE = "http://packages.example/"
RELEASE = "dists_bookworm_main_"
RELATIONS = ("Depends", "Recommends", "Suggests", "Enhances")
TOPICS = {  # facet of tags → words that go with the name of a tag
    "culture": (),
    "field": (),
    "game": ("game",),
    "hardware": (),
    "mail": ("mail",),
    "security": (),
    "sound": ("sound",),
    "works-with": (),
}
FEWEST = 40  # packages with a tag that is looked for
BUDGET = 3000


@dataclass(frozen=True)
class Package:
    name: str
    about: str  # in a line
    description: str
    section: str
    source: str
    maintainer: str
    related: dict[str, list[str]]
    tags: frozenset[str]


def fetch_lists(scratch: Path) -> Path:
    """What the release has, with descriptions; the lists of this machine stay as they are."""
    lists = scratch / "lists"
    (lists / "partial").mkdir(parents=True)
    where = ["-o", f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
    subprocess.run(["apt-get", "update", "-qq", *where, "-o", "Acquire::Languages=en"], check=True)
    return lists


def paragraphs(lists: Path, name: str) -> Iterator[dict[str, str]]:
    """The fields of each paragraph of a list."""
    [file] = lists.glob(f"*{RELEASE}{name}*")
    command = ["/usr/lib/apt/apt-helper", "cat-file", str(file)]
    text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    for paragraph in text.split("\n\n"):
        fields = re.findall(r"^([\w-]+): *(.*(?:\n .*)*)", paragraph, re.M)
        if fields:
            yield dict(fields)


def read_all(lists: Path) -> dict[str, Package]:
    descriptions = {
        each["Package"]: each["Description-en"] for each in paragraphs(lists, "i18n_Translation-en")
    }
    packages = {}
    for fields in paragraphs(lists, "binary-amd64_Packages"):
        name = fields["Package"]
        about, _, description = descriptions.get(name, fields["Description"]).partition("\n")
        packages[name] = Package(
            name,
            about,
            description,
            fields["Section"],
            fields.get("Source", name).split()[0],
            fields["Maintainer"].partition(" <")[0],
            {kind: names(fields[kind]) for kind in RELATIONS if kind in fields},
            frozenset(tags(fields.get("Tag", ""))),
        )
    return packages


def names(relation: str) -> list[str]:
    found = re.findall(r"(?:^|[,|])\s*([\w.+-]+)", relation)
    return list(dict.fromkeys(found))


def tags(field: str) -> Iterator[str]:
    """`game::{board,card}` is two."""
    for facet, several, one in re.findall(r"([\w-]+)::(?:\{([^}]*)\}|([^\s,]+))", field):
        for name in several.split(",") if several else [one]:
            yield f"{facet}::{name}"


# -- pages ---------------------------------------------------------------------------------


def at_package(name: str) -> str:
    return f"bookworm/{name}.html"


def at_source(name: str) -> str:
    return f"source/{name}.html"


def at_section(name: str) -> str:
    return f"section/{name}.html"


def at_maintainer(name: str) -> str:
    return f"maintainer/{crc32(name.encode()):08x}.html"


def link(path: str, text: str) -> str:
    return f'<a href="/{path}">{escape(text)}</a>'


def html(title: str, body: str) -> str:
    nav = f"<nav>{link('index.html', 'Packages')}</nav>"
    return f"<!doctype html><title>{escape(title)}</title>{nav}<h1>{escape(title)}</h1>{body}"


def listed(packages: Iterable[Package]) -> str:
    items = (
        f"<dt>{link(at_package(each.name), each.name)}</dt><dd>{escape(each.about)}</dd>"
        for each in packages
    )
    return f"<dl>{''.join(items)}</dl>"


def named(links: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{each}</li>' for each in links)}</ul>"


def package_page(package: Package, packages: dict[str, Package]) -> str:
    parts = [
        f"<p>{link(at_section(package.section), package.section)}</p>",
        f"<h2>{escape(package.about)}</h2>",
        *(f"<p>{escape(text)}</p>" for text in package.description.split("\n .\n")),
    ]
    for relation, others in package.related.items():
        there = [packages[name] for name in others if name in packages]
        parts.append(f"<h3>{relation}</h3>{listed(there)}")
    source = link(at_source(package.source), package.source)
    who = link(at_maintainer(package.maintainer), package.maintainer)
    return html(package.name, f"{''.join(parts)}<p>Source {source}</p><p>Maintainer {who}</p>")


def pages(packages: dict[str, Package]) -> Iterator[tuple[str, str]]:
    """The path and HTML of each page."""
    for package in packages.values():
        yield at_package(package.name), package_page(package, packages)
    for name, found in groups(packages, lambda each: [each.source]).items():
        yield at_source(name), html(f"Source {name}", listed(found))
    for name, found in groups(packages, lambda each: [each.maintainer]).items():
        links = (link(at_package(each.name), each.name) for each in found)
        yield at_maintainer(name), html(name, named(links))
    sections = groups(packages, lambda each: [each.section])
    for name, found in sections.items():
        yield at_section(name), html(f"Section {name}", listed(found))
    links = (link(at_section(name), name) for name in sections)
    yield "index.html", html("Packages", named(links))


def groups(
    packages: dict[str, Package], keys: Callable[[Package], Iterable[str]]
) -> dict[str, list[Package]]:
    found: dict[str, list[Package]] = defaultdict(list)
    for package in packages.values():
        for key in keys(package):
            found[key].append(package)
    return dict(sorted(found.items()))


def wanted(packages: dict[str, Package]) -> dict[str, list[Package]]:
    """Who has each of the tags that are looked for."""
    return {
        tag: found
        for tag, found in groups(packages, lambda each: each.tags).items()
        if re.fullmatch(f"({'|'.join(TOPICS)})::[a-z-]+", tag) and len(found) >= FEWEST
    }


def keywords(tag: str) -> list[str]:
    facet, _, name = tag.partition("::")
    return [*TOPICS[facet], *name.split("-")]


def build(web: Path, scratch: Path) -> None:
    """Write the web folder, and its tasks beside it."""
    packages, site = read_all(fetch_lists(scratch)), scratch / "site"
    for path, page in pages(packages):
        file = site / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page)
    found = wanted(packages)
    labels = ((SITE + at_package(p.name), label) for label, each in found.items() for p in each)
    import_folders({SITE: site}, labels, web)
    write_topics(web, {tag: keywords(tag) for tag in found}, f"{SITE}index.html", BUDGET)


def main() -> None:
    options = parser(__doc__)
    build_all({options.parse_args().out / "packages": build}, options)


if __name__ == "__main__":
    main()
