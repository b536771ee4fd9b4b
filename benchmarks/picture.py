"""Draws the README's picture: astronomy articles found against pages fetched.

python -m benchmarks.picture webs/wpcd docs/picture.svg
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from wolfspider.crawl import replay
from wolfspider.drawing.axes import Axis
from wolfspider.drawing.charts import Series, line_chart
from wolfspider.drawing.looks import Look
from wolfspider.judges import KeywordJudge
from wolfspider.policies import make
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

PAGES = 500
POLICIES = ("wolf", "best-first", "breadth-first")
START = "http://schools-wikipedia.org/wp/e/Earth.htm"
LABEL = "Science.Physics.Space_Astronomy"
_STYLE = """<style>
svg { font: 13px system-ui, sans-serif; } text { fill: #565d66; }
.end { text-anchor: end; } .mid { text-anchor: middle; } .label { font-weight: 600; }
.grid { stroke: #dcdad3; fill: none; } .tick { stroke: #565d66; }
.line { fill: none; stroke-width: 2.4; } path.lead { fill: none; opacity: .6; }
.p0.line, .p0.lead { stroke: #1f5fbf; } .p0.label, .p0.mark { fill: #1f5fbf; }
.p1.line, .p1.lead { stroke: #b3410a; } .p1.label, .p1.mark { fill: #b3410a; }
.p2.line, .p2.lead { stroke: #6b7078; } .p2.label, .p2.mark { fill: #6b7078; }
</style>"""


def main(folder: Path, out: Path) -> None:
    web = RecordedWeb(folder)
    topic = Topic.of("astronomy planets stars")
    wanted = {web.url(page) for page in web.label(LABEL).tolist()}
    series = []
    for number, spec in enumerate(POLICIES):
        policy = make(spec, topic=topic)
        visits = replay(web, policy, KeywordJudge(topic), [seed_link(START)], pages=PAGES)
        found = np.cumsum([visit.page.url in wanted for visit in visits]).astype(float)
        series.append(Series(spec, Look(number), np.arange(1.0, len(found) + 1), found))
    across, up = Axis("pages fetched", PAGES), Axis("astronomy articles found", len(wanted))
    words = "Astronomy articles found: " + ", ".join(f"{s.name} {s.y[-1]:.0f}" for s in series)
    svg = line_chart(words, [s.thinned(200) for s in series], across, up, size=(760, 340))
    styled = str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    out.write_text(styled.replace(">", f">{_STYLE}", 1))
    print(words)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
