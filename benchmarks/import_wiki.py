"""MediaWiki dump → web folder: megabytes of wikitext a second, and whether memory grows.

    python -m benchmarks.import_wiki [--megabytes 100]

A dump is generated, and imported whole and to a quarter, each in a process of its own. Memory is
flat when the whole needs little more than the quarter. The generated articles have the templates,
notes, tables and links of real ones, but fewer different words.
"""

from __future__ import annotations

import argparse
import bz2
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import apart, clocked, peak_memory, report
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.mediawiki import WikiDump
from wolfspider.webs.recorded import RecordedWeb

AIM_READING = 1.5  # MB of XML a second, without compiling
AIM_GROWTH = 1.25  # memory for the whole dump ÷ memory for a quarter of it
WORDS = 20_000
TOPICS = 200
LINKED = 20_000  # articles that are linked to

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">
<siteinfo><base>https://simple.wikipedia.org/wiki/Main_Page</base><case>first-letter</case>
<namespaces><namespace key="0" /><namespace key="14">Category</namespace></namespaces></siteinfo>
"""
INFOBOX = """{{{{Infobox settlement
| name = {0}
| image = {0}.jpg
| population = {1:,}<ref name="pop">{{{{cite web|url=http://a.test/{1}|title={0}}}}}</ref>
| coordinates = {{{{coord|{1}|N|{1}|E|display=inline}}}}
}}}}
"""
TABLE = """{{| class="wikitable" style="text-align:right"
! scope="col" | Year !! Name
|-
| 19{0} || [[{1}]]
|- bgcolor="#eee"
| 20{0} || align="left" | [[{2}|{3}]]
|}}
"""


def pages(megabytes: float, seed: int = 0) -> Iterator[str]:
    """Pages of a dump, of so many megabytes together; every tenth is a redirect."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("aeioulnrstdm", k=rng.randint(2, 9))) for _ in range(WORDS)]
    size = number = 0
    while size < megabytes * 1e6:
        number += 1
        if number % 10:
            made = _page(f"Article {number}", _article(number, rng, words))
        else:
            made = _page(f"Old {number}", f"#REDIRECT [[Article {number - 1}]]")
        size += len(made)
        yield made


def _page(title: str, wikitext: str) -> str:
    text = wikitext.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return (
        f"<page><title>{title}</title><ns>0</ns><id>1</id><revision><id>1</id>"
        "<timestamp>2024-01-01T00:00:00Z</timestamp><contributor><username>A</username>"
        "</contributor><model>wikitext</model><format>text/x-wiki</format>"
        f'<text bytes="1" xml:space="preserve">{text}</text><sha1>x</sha1></revision></page>\n'
    )


def _article(number: int, rng: random.Random, words: list[str]) -> str:
    """About 4 KB, as Simple English Wikipedia has them at most; a link for every ten words."""

    def linked() -> str:
        return f"Article {rng.randint(1, LINKED)}"

    def sentence() -> str:
        chosen = rng.choices(words, k=10)
        return f"{' '.join(chosen[:5])} [[{linked()}|{chosen[5]}]] {' '.join(chosen[6:])}. "

    def paragraph() -> str:
        said = "".join(sentence() for _ in range(4))
        return f"{said}<ref>{{{{cite book|title={rng.choice(words)}|year=2001}}}}</ref>\n\n"

    parts = [INFOBOX.format(rng.choice(words), rng.randint(10, 10**6)), f"'''{number}''' is "]
    for _ in range(rng.randint(1, 8)):
        parts += [paragraph(), f"== {rng.choice(words)} ==\n", paragraph()]
        parts += [f"* [[{linked()}]] {rng.choice(words)}\n" for _ in range(3)]
    parts.append(TABLE.format(rng.randint(10, 99), linked(), linked(), rng.choice(words)))
    parts.append(f"[[File:{rng.choice(words)}.jpg|thumb|a [[{linked()}]]]]\n")
    parts.append(f"[[Category:Topic {rng.randrange(TOPICS)}]]\n")
    return "".join(parts)


def write(path: Path, megabytes: float) -> None:
    with bz2.open(path, "wt", compresslevel=1) as file:  # blocks of 100 KB pack faster
        file.write(HEAD)
        file.writelines(pages(megabytes))
        file.write("</mediawiki>\n")


def read_dump(path: Path) -> None:
    """Make the captures of a dump and nothing of them; prints what that took."""
    captures = 0

    def work() -> None:
        nonlocal captures
        captures = sum(1 for _ in WikiDump(path))

    clock = clocked(work)
    print(json.dumps({"captures": captures, "cpu": clock.cpu, "peak": peak_memory()}))


def import_dump(path: Path) -> None:
    """The whole import; prints what that took."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "web")

        def work() -> None:
            with Compiler(folder, [path.name]) as compiler:
                for capture in WikiDump(path):
                    compiler.add(capture)
                compiler.finish()

        clock = clocked(work)
        web = RecordedWeb(folder)
        facts = {"pages": len(web), "links": web.about["links"], "wall": clock.wall}
    print(json.dumps({**facts, "cpu": clock.cpu, "peak": peak_memory()}))


def run(megabytes: float) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        sizes = [megabytes / 4, megabytes]
        dumps = [Path(scratch, f"{size:g}.xml.bz2") for size in sizes]
        for path, size in zip(dumps, sizes, strict=True):
            write(path, size)
        reads = [apart("benchmarks.import_wiki", "--read", str(path)) for path in dumps]
        imports = [apart("benchmarks.import_wiki", "--import", str(path)) for path in dumps]
    speed = round(megabytes / reads[-1]["cpu"], 2)
    report("wiki dump, reading alone", "MB/s", value=speed, aim=AIM_READING, megabytes=megabytes)
    _report_growth("wiki dump, reading alone", reads, sizes)
    done = imports[-1]
    report(
        "wiki dump, whole import",
        "MB/s",
        value=round(megabytes / done["cpu"], 2),
        pages_per_second=round(done["pages"] / done["cpu"], 1),
        pages=done["pages"],
        links=done["links"],
        seconds=round(done["wall"], 1),
    )
    _report_growth("wiki dump, whole import", imports, sizes)


def _report_growth(name: str, runs: list[dict[str, int]], sizes: list[float]) -> None:
    report(
        f"{name}: memory, all ÷ a quarter",
        "ratio",
        value=round(runs[1]["peak"] / runs[0]["peak"], 3),
        aim=AIM_GROWTH,
        megabytes_held=[round(run["peak"] / 1e6, 1) for run in runs],
        megabytes_of_xml=sizes,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--read", type=Path, help="read this dump, in this process, once")
    parser.add_argument("--import", type=Path, dest="compiled", help="import this dump, likewise")
    given = parser.parse_args()
    if given.read:
        read_dump(given.read)
    elif given.compiled:
        import_dump(given.compiled)
    else:
        run(given.megabytes)


if __name__ == "__main__":
    main()
