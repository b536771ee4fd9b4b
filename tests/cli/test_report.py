"""wolfspider report."""

from __future__ import annotations

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from command_line import Generated, Run, left
from live_hunts import PAGES, A, Served, of_format_1, rows
from wolfspider.store import HuntStore

SECTIONS = ["curve", "forecast", "clues", "finds", "hosts", "waiting", "asked"]


@pytest.fixture
def stars(run: Run, generated: Generated, tmp_path: Path) -> Path:
    """A hunt of 150 pages on a generated web, as everybody hunts who names no policy."""
    return hunt(run, generated, tmp_path / "stars", "--pages", "150")


def hunt(run: Run, generated: Generated, folder: Path, *more: str) -> Path:
    asked = ("--web", generated.folder, "--seed", generated.start, "--topic", "astronomy")
    done = run("hunt", *asked, *more, "-o", folder, "-q")
    assert done.code == 0, done.err
    return folder


def report(run: Run, folder: Path, *more: str | Path) -> LexborHTMLParser:
    done = run("report", folder, *more, "--quiet")
    assert (done.code, done.err) == (0, "")
    return LexborHTMLParser(Path(done.out.strip()).read_text())


def facts(page: LexborHTMLParser) -> dict[str, str]:
    names, values = ([node.text() for node in page.css(f"header .facts {t}")] for t in ("dt", "dd"))
    return dict(zip(names, values, strict=True))


def text(page: LexborHTMLParser, where: str) -> str:
    return " ".join(" ".join(node.text(separator=" ") for node in page.css(where)).split())


def sections(page: LexborHTMLParser) -> list[str | None]:
    return [node.attributes["id"] for node in page.css("h2")]


def test_the_page_has_the_numbers_of_status(run: Run, stars: Path) -> None:
    status, page = run("status", stars, "--json").json, report(run, stars)
    assert sections(page) == SECTIONS
    assert text(page, "h1") == "astronomy"
    told = facts(page)
    assert told["pages"] == str(status["pages"]) == "150"
    assert told["relevant"] == str(status["relevant"])
    assert told["harvest rate"] == f"{100 * status['harvest_rate']:.1f}".removesuffix(".0") + " %"
    assert told["hosts"] == str(status["hosts"])
    assert told["links that wait"] == f"{status['waiting']:,}"
    lead = text(page, ".lead")
    assert lead.startswith(f"150 pages were fetched, {status['relevant']} of them relevant (")
    assert lead.endswith(f"It stopped: {status['stopped']}.")
    assert text(page, "#asked + .card").startswith("topic astronomy relevant is what has the words")
    for each in status["forecast"]:
        assert f"({each['low']:,}–{each['high']:,}) relevant" in text(page, "#forecast + .card")
    hosts = [node.text() for node in page.css("#hosts ~ .card bdi")]
    assert hosts == [each["host"] for each in status["best_hosts"] if each["relevant"]]


def test_the_curve_ends_where_the_counts_do(run: Run, stars: Path) -> None:
    relevant = run("status", stars, "--json").json["relevant"]
    page = report(run, stars)
    last = [cell.text() for cell in page.css("#curve ~ figure tbody tr")[-1].css("th, td")]
    assert last[:2] == ["150", str(relevant)]
    steps = page.css("#curve ~ figure tbody tr")
    assert len(steps) == 10
    label = {chart.attributes["aria-label"] for chart in page.css("svg.chart")}
    assert label == {f"{relevant} relevant pages in 150 fetches"}


def test_clues_that_paid_and_clues_that_misled_are_those_of_why(run: Run, stars: Path) -> None:
    totals = run("why", stars, "--json").json
    page = report(run, stars)
    for card, listed in zip(page.css("#clues ~ .pair .card"), ("paid", "misled"), strict=True):
        told = [" ".join(node.text().split()) for node in card.css("li")]
        known = [f"{e['clue']} {e['relevant']} of {e['pages']} " for e in totals[listed]]
        assert known
        assert all(line.startswith(each) for line, each in zip(told, known, strict=False))


def test_the_finds_are_what_export_hands_out_each_with_its_best_clue(
    run: Run, stars: Path, tmp_path: Path
) -> None:
    exported = tmp_path / "found.csv"
    count = run("export", stars, "--relevant", "--format", "csv", "-o", exported, "--json").json
    finds = report(run, stars).css(".finds.told tbody tr")
    assert len(finds) == count["rows"] == run("report", stars, "--json").json["finds"]
    relevance = [float(find.css("td")[0].text()) for find in finds]
    assert relevance == sorted(relevance, reverse=True)
    for find in finds[:5]:
        [url] = [link.attributes["href"] or "" for link in find.css("a")]
        clues = run("why", stars, url, "--json").json["clues"]
        best = max(clues, key=lambda clue: clue["weight"], default=None)
        expected = best["clue"] if best else "a seed: the hunt began with it"
        assert [node.text() for node in find.css(".clue")] == [expected]


def test_a_hunt_is_only_read(run: Run, stars: Path) -> None:
    before, database = left(stars), (stars / "hunt.db").read_bytes()
    run("report", stars)
    assert left(stars) == sorted([*before, "report.html"])
    assert (stars / "hunt.db").read_bytes() == database
    assert run("resume", stars, "--pages", "160", "-q").code == 0
    assert facts(report(run, stars))["pages"] == "160"


def test_people_and_programs_hear_where_the_page_is(run: Run, stars: Path, tmp_path: Path) -> None:
    done = run("report", stars)
    assert done.out == f"{stars / 'report.html'}\n"
    assert done.err.startswith("150 pages were fetched, ")
    path = tmp_path / "deep" / "page.html"
    found = run("report", stars, "-o", path, "--json").json
    assert (found["page"], found["state"], found["pages"]) == (str(path), "stopped", 150)
    assert path.read_text().startswith("<!doctype html>")
    assert left(path.parent) == ["page.html"]


def test_a_live_hunt_from_beginning_to_end(run: Run, site: Served, tmp_path: Path) -> None:
    site.hunt(tmp_path / "hunt")
    page = report(run, tmp_path / "hunt")
    assert sections(page) == ["curve", "clues", "finds", "hosts", "errors", "asked"]
    assert "It stopped: nothing left to follow." in text(page, ".lead")
    told = facts(page)
    assert (told["pages"], told["relevant"], told["failed"]) == (str(PAGES), "3", "1")
    assert int(told["bytes"].replace(",", "")) > 0
    assert text(page, ".errors tbody") == f"status 404 {A}gone 1"
    titles = {node.text() for node in page.css(".finds a")}
    assert titles == {"[31mRed", "Wolves of b", "=1+2"}


def test_a_hunt_that_runs_and_then_is_killed(run: Run, site: Served, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    with site.hunting(folder) as process:
        page = report(run, folder)
        assert process.poll() is None
    assert text(page, ".lead").startswith(f"{PAGES + 1} pages have been fetched so far, 3 of them")
    assert text(page, ".lead").endswith("It still runs.")
    assert f"wolfspider report {folder} writes it anew" in text(page, ".notice")
    page = report(run, folder)
    assert "it was killed, lost power or could not write" in text(page, ".lead")
    assert f"wolfspider resume {folder}" in text(page, ".notice")
    assert facts(page)["pages"] == str(PAGES + 1)


def test_hunts_without_receipts_say_so_in_a_sentence(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    folder = hunt(run, generated, tmp_path / "new", "--policy", "best-first", "--pages", "60")
    page = report(run, folder)
    said = "This hunt has no receipts: its policy cannot say why it chooses links."
    assert text(page, "#clues + p") == said
    assert not page.css(".told, .clue")
    assert page.css(".finds a")
    assert text(page, "#waiting + .card thead") == "link score"
    old = of_format_1(tmp_path / "old", generated.folder)
    before = (old / "hunt.db").read_bytes()
    page = report(run, old)
    assert text(page, ".lead").startswith("2 pages were fetched, 1 of them relevant")
    assert (old / "hunt.db").read_bytes() == before


def test_a_hunt_without_a_page_says_so(run: Run, tmp_path: Path) -> None:
    asked = {"topic": "wolf", "seeds": [A], "web": "live", "policy": "wolf"}
    with HuntStore.create(tmp_path / "hunt", asked):
        pass
    page = report(run, tmp_path / "hunt")
    assert text(page, ".lead").startswith("No page was fetched. ")
    assert sections(page) == ["asked"]
    assert not page.css("svg.chart")


def test_a_hunt_without_a_find_says_so(run: Run, site: Served, tmp_path: Path) -> None:
    site.hunt(tmp_path / "hunt", "--pattern", "no page says this")
    page = report(run, tmp_path / "hunt")
    assert "None of the pages is relevant." in text(page, "section")
    assert sections(page) == ["curve", "clues", "errors", "asked"]
    assert text(page, "#clues + p") == "No relevant page yet, so no clue has paid."


def test_bad_input_is_a_sentence(run: Run, stars: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.html"
    notes.write_text("<h1>My notes</h1>")
    for arguments, message in [
        ((tmp_path / "nowhere",), "there is no folder"),
        ((tmp_path,), "holds no hunt; give the folder"),
        ((stars, "-o", tmp_path), f"{tmp_path} is a folder; name a file with -o"),
        ((stars, "-o", notes), f"{notes} exists and is no page of this command; name another"),
        ((stars, "-o", notes / "x.html"), f"cannot write the page {notes / 'x.html'}: "),
        ((stars, "-o", "/proc/x.html"), "cannot write the page /proc/x.html: "),
    ]:
        done = run("report", *arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("wolfspider: ")
        assert message in done.err
    assert notes.read_text() == "<h1>My notes</h1>"
    assert rows(stars, "SELECT count(*) FROM pages") == [(150,)]
    (stars / "hunt.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert "is damaged" in run("report", stars).err
    assert not (stars / "report.html").exists()


def test_a_failure_while_writing_leaves_the_old_page(
    run: Run, stars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("report", stars)
    before, there = (stars / "report.html").read_bytes(), left(stars)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wolfspider.drawing.html.os.replace", full)
    done = run("report", stars)
    assert done.code == 2
    assert "cannot write the page " in done.err
    assert "No space left on device" in done.err
    assert ((stars / "report.html").read_bytes(), left(stars)) == (before, there)
