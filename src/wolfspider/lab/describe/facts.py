"""A description in words and numbers: sections of names and values, for terminals and pages."""

from __future__ import annotations

from wolfspider.lab.describe.components import PARTS, Components
from wolfspider.lab.describe.content import FAR, Content
from wolfspider.lab.describe.degrees import Degrees
from wolfspider.lab.describe.description import Description
from wolfspider.lab.describe.estimates import Estimate
from wolfspider.lab.describe.power_law import PowerLaw, Rival
from wolfspider.lab.describe.reach import Reach
from wolfspider.lab.describe.targets import Targets
from wolfspider.wording import percent

NONE = "none"
Facts = dict[str, str]


def sections(found: Description) -> dict[str, Facts]:
    """Every section by its name; those about targets only where a label was given."""
    said = {
        "web": web(found),
        "in-degree": degrees(found.in_degrees, found.pages),
        "out-degree": degrees(found.out_degrees, found.pages),
        "components": components(found),
        "bow-tie": bow_tie(found),
        "distances": distances(found),
        "clustering": clustering(found),
        "hosts": hosts(found),
        "start page": start(found),
    }
    if found.targets is not None:
        said["targets"] = targets(found.targets)
        said["ways back"] = ways_back(found.targets)
    said["content"] = content(found.content)
    return said


def web(found: Description) -> Facts:
    return {
        "web": found.web,
        "pages": f"{found.pages:,}",
        "links": f"{found.links:,}",
        "hosts": f"{found.hosts.count:,}",
        "digest": found.digest,
    }


def degrees(of: Degrees, pages: int) -> Facts:
    said = {
        "mean": number(of.mean),
        "median": number(of.median),
        "largest": f"{of.largest:,}",
        "pages with none": part(of.zeros, pages),
    }
    return said | power_law(of.power_law)


def power_law(law: PowerLaw | None) -> Facts:
    if law is None:
        return {"power law": "too few different values to fit one"}
    return {
        "power law": law.verdict,
        "exponent α": f"{law.alpha:.2f} ± {law.error:.2f}",
        "tail begins at": f"{law.minimum:,}",
        "pages in the tail": f"{law.tail:,} ({percent(law.share)})",
        "Kolmogorov–Smirnov distance": f"{law.distance:.3f}",
        "against a lognormal": rival(law.lognormal),
        "against an exponential": rival(law.exponential),
    }


def rival(of: Rival) -> str:
    if of.ratio is None or of.p is None:
        return "cannot be compared"
    p = "p < 0.001" if of.p < 0.001 else f"p = {of.p:.3f}"
    return f"R = {of.ratio:,.2f}, {p}"


def components(found: Description) -> Facts:
    def both(name: str, of: Components) -> Facts:
        return {
            f"{name}ly connected": f"{of.count:,}",
            f"largest {name} one": part(of.largest, found.pages),
        }

    return both("strong", found.strong) | both("weak", found.weak)


def bow_tie(found: Description) -> Facts:
    if found.bow_tie is None:
        return {"core": f"{NONE}: no two pages lead to each other"}
    return {name: part(found.bow_tie[name], found.pages) for name in PARTS}


def distances(found: Description) -> Facts:
    of, either = found.directed, found.undirected
    return {
        "measured from": f"{of.sources:,} pages" + (", all there are" if of.exact else ", drawn"),
        "mean": estimate(of.mean),
        "pairs with a way": shares(of.reachable),
        "effective diameter (90 %)": _links(of.effective_diameter),
        "diameter" if of.exact else "diameter, at least": _links(of.longest),
        "mean, links both ways": estimate(either.mean),
        "pairs with a way, both ways": shares(either.reachable),
    }


def clustering(found: Description) -> Facts:
    of = found.clustering
    return {
        "average (Watts–Strogatz)": number(of.average),
        "transitivity": number(of.transitivity),
        "expected of a random graph": number(of.expected),
        "triangles": f"{of.triangles:,}",
    }


def hosts(found: Description) -> Facts:
    of = found.hosts
    return {
        "hosts": f"{of.count:,}",
        "pages of a host, mean": number(of.mean),
        "median": number(of.median),
        "largest": f"{of.largest:,}",
        "links within a host": part(of.links_within, found.links),
        "links across hosts": part(of.links_across, found.links),
    }


def start(found: Description) -> Facts:
    reached = sum(found.depths)
    steps = sum(depth * count for depth, count in enumerate(found.depths))
    return {
        "start page": found.start,
        "pages reached": part(reached, found.pages),
        "not reached": part(found.unreachable, found.pages),
        "mean depth": number(steps / (reached - 1)) if reached > 1 else NONE,
        "largest depth": f"{len(found.depths) - 1:,}",
    }


def targets(of: Targets) -> Facts:
    return {
        "label": of.label,
        "targets": f"{of.count:,}",
        "hosts with targets": f"{of.hosts:,}",
        "measured from": f"{of.to_all.sources:,} targets" + ", drawn" * (not of.to_all.exact),
        "target to target, mean": _reached(of.to_targets),
        "target to any page, mean": _reached(of.to_all),
        "any page to target, mean": _reached(of.from_all),
        "target to nearest target, mean": _reached(of.nearest),
        "targets reached from the start": part(of.count - of.unreachable, of.count),
        "their mean depth": _mean_depth(of.depths),
    }


def ways_back(of: Targets) -> Facts:
    """For each height: ancestors, and how many of them are descendants, too."""
    return {
        f"height {each.height}": f"{each.ancestors:,} ancestors, of them descendants: "
        f"{_share(each.both, each.ancestors)} within {each.height}, "
        f"{_share(each.both_at_all, each.ancestors)} at all"
        for each in of.heights
    }


def content(of: Content) -> Facts:
    said = {
        f"similarity at {_distance(each.distance)}": f"{estimate(each.similarity)}, "
        f"{each.pairs:,} pairs"
        for each in of.by_distance
        if each.pairs
    }
    return said | {
        "Spearman, distance and similarity": estimate(of.spearman),
        "Pearson": estimate(of.pearson),
        "pairs": f"{of.pairs:,}, at most {FAR} links apart, from {of.sources:,} pages",
    }


def _distance(distance: int | None) -> str:
    if distance is None:
        return "no way"
    return f"{distance} link{'s' if distance > 1 else ''}"


def _reached(of: Reach) -> str:
    return f"{estimate(of.mean)}; {percent(of.reachable.value) if of.reachable else '0 %'} reached"


def _mean_depth(depths: tuple[int, ...]) -> str:
    steps = sum(depth * count for depth, count in enumerate(depths))
    return number(steps / sum(depths)) if sum(depths) else NONE


def _links(count: float | None) -> str:
    return NONE if count is None else f"{number(count)} links"


def estimate(of: Estimate | None) -> str:
    """A value with its interval."""
    if of is None:
        return NONE
    if of.low is None or of.high is None:
        return number(of.value) + " (exact)" * of.exact
    return f"{number(of.value)} [{number(of.low)}, {number(of.high)}]"


def shares(of: Estimate | None) -> str:
    if of is None:
        return NONE
    if of.low is None or of.high is None:
        return percent(of.value) + " (exact)" * of.exact
    return f"{percent(of.value)} [{percent(of.low)}, {percent(of.high)}]"


def number(value: float | None) -> str:
    if value is None:
        return NONE
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 1:
        return f"{value:.2f}"
    return f"{value:.3f}" if abs(value) >= 0.01 else f"{value:.2g}"


def part(count: int, whole: int) -> str:
    return f"{count:,} ({percent(count / whole)})" if whole else f"{count:,}"


def _share(count: int, whole: int) -> str:
    return percent(count / whole) if whole else NONE
