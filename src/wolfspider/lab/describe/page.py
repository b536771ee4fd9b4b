"""The page of a description: needs no network, runs no scripts, escapes everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wolfspider.drawing import html
from wolfspider.lab.describe import facts, figures
from wolfspider.lab.describe.description import Description
from wolfspider.lab.describe.facts import Facts
from wolfspider.lab.describe.figure import Figure
from wolfspider.lab.describe.targets import Targets
from wolfspider.wording import percent


@dataclass(frozen=True)
class Said:
    """A table of names and values."""

    facts: Facts
    caption: str = ""


Card = Said | Figure | None  # None where there is nothing to draw


@dataclass(frozen=True)
class Section:
    """Two stacks of cards, side by side where there is room."""

    name: str
    title: str
    hint: str
    left: Sequence[Card]
    right: Sequence[Card]


def write_page(found: Description, path: Path, command: str) -> None:
    """Write the page, whole or not at all."""
    html.write_page(page(found, command), path)


def page(found: Description, command: str) -> str:
    template = html.environment("wolfspider.lab.describe").get_template("describe.html.j2")
    return template.render(
        found=found, sections=sections(found), summary=summary(found), command=command
    )


def summary(found: Description) -> str:
    """The web in two sentences."""
    hosts = "1 host" if found.hosts.count == 1 else f"{found.hosts.count:,} hosts"
    links = f"{found.links:,} link{'s' if found.links != 1 else ''}"
    pages = f"{found.pages:,} page{'s' if found.pages != 1 else ''}"
    said = f"{pages} of {hosts} with {links} between them."
    if found.bow_tie is not None:
        core = percent(found.bow_tie["core"] / found.pages)
        said += f" {core} of the pages are in the core, where every page leads to every other."
    if found.directed.mean is not None:
        mean = facts.number(found.directed.mean.value)
        said += f" Where there is a way from one page to another, it takes {mean} links on average."
    return said


def sections(found: Description) -> list[Section]:
    said = {name: Said(each) for name, each in facts.sections(found).items()}
    made = [
        _degrees(found, said),
        _components(found, said),
        Section(
            "distances",
            "How far pages are apart",
            "Distance is the fewest links to follow. In brackets: 95 % intervals, by drawing the "
            "source pages again. 90 % of the pairs with a way are within the effective diameter.",
            [said["distances"]],
            [
                figures.distances(
                    "Distances between pages",
                    [("as links go", found.directed), ("links both ways", found.undirected)],
                )
            ],
        ),
        Section(
            "clustering",
            "Are neighbours of a page neighbours?",
            "The clustering coefficient of a page is the share of pairs of its neighbours that are "
            "linked. A small world has short distances, and more clustering than a random graph.",
            [said["clustering"]],
            [figures.clustering(found.clustering)],
        ),
        Section(
            "start",
            "From the start page",
            "Depth is the fewest links to follow from there.",
            [said["start page"]],
            [figures.depths(found)],
        ),
        Section(
            "hosts",
            "Hosts",
            "",
            [
                said["hosts"],
                figures.sizes("Pages per host", "hosts", [("hosts", found.hosts.sizes)]),
            ],
            [figures.named("Hosts with most pages", found.hosts.biggest, found.hosts.count)],
        ),
    ]
    if found.targets is not None:
        made.append(_targets(found.targets, said))
    return [*made, _content(found, said)]


def _degrees(found: Description, said: dict[str, Said]) -> Section:
    into, out = found.in_degrees, found.out_degrees
    return Section(
        "degrees",
        "Links of a page",
        "In-degree: links that lead to a page. Out-degree: links on it. Above 0, R speaks for the "
        "power law; a small p says that the sign of R is hardly chance.",
        [
            Said(said["in-degree"].facts, "In-degree"),
            figures.degrees("In-degree", "links to the page", into, found.pages),
        ],
        [
            Said(said["out-degree"].facts, "Out-degree"),
            figures.degrees("Out-degree", "links on the page", out, found.pages),
        ],
    )


def _components(found: Description, said: dict[str, Said]) -> Section:
    groups = [("strong", found.strong.sizes), ("weak", found.weak.sizes)]
    return Section(
        "components",
        "What hangs together",
        "In a strongly connected component every page leads to every other; in a weakly connected "
        "one it does if links may be followed backwards. The core is the largest strong one. In "
        "leads to it, out is led to by it, tubes lead from in to out past it, tendrils hang on "
        "otherwise.",
        [
            Said(said["components"].facts, "Components"),
            figures.sizes("Sizes of components", "components", groups),
        ],
        [Said(said["bow-tie"].facts, "Bow-tie"), figures.bow_tie(found)],
    )


def _targets(of: Targets, said: dict[str, Said]) -> Section:
    groups = [
        ("target to target", of.to_targets),
        ("target to any page", of.to_all),
        ("any page to target", of.from_all),
    ]
    return Section(
        "targets",
        "Where the targets are",
        "Targets nearer to each other than to other pages make a neighbourhood that a crawler can "
        "learn to stay in. Ancestors that are also descendants can be found from known targets "
        "without backlinks.",
        [
            Said(said["targets"].facts, "Targets"),
            figures.distances("Distances of targets", groups),
        ],
        [
            Said(said["ways back"].facts, "Ways back"),
            figures.heights(of),
            figures.named("Hosts with most targets", of.biggest, of.hosts),
        ],
    )


def _content(found: Description, said: dict[str, Said]) -> Section:
    return Section(
        "content",
        "Are near pages alike?",
        "Cosine of TF–IDF vectors of the words of two pages, as many pairs at each distance. "
        "A negative correlation says that pages grow less alike with distance.",
        [said["content"]],
        [figures.similarity(found.content)],
    )
