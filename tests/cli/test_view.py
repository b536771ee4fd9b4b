"""What a hunt shows on a terminal."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from recordings import compile_web, page
from wolfspider.asked import Asked
from wolfspider.cli import view
from wolfspider.cli.curve import Curve, Pace
from wolfspider.cli.lines import LABEL, ROWS
from wolfspider.cli.view import HuntView, Screen
from wolfspider.forecasting import NOTHING
from wolfspider.hunt import Hunt
from wolfspider.outlook import Past
from wolfspider.records import Link, Page, Response, Verdict, Visit
from wolfspider.urls import seed_link
from wolfspider.webs.live.settings import LiveSettings

START = "http://a.test/"
LIVE = Asked(
    "wolf [bold]spider",
    (START,),
    policy="best-first",
    live=LiveSettings(connect_to="127.0.0.1:9"),
)


def terminal(width: int = 80, height: int = 24) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, height=height)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def visit(url: str, title: str = "", relevance: float = 0.0, **response: object) -> Visit:
    answer = Response(url, **response)  # type: ignore[arg-type]
    return Visit(seed_link(url), Page(url, title), Verdict(relevance, False), answer)


@asynccontextmanager
async def live_hunt(asked: Asked = LIVE) -> AsyncIterator[Hunt]:
    async with Hunt.begin(asked, None) as hunt:
        yield hunt


def tell(hunt: Hunt, screen: Screen, *visits: Visit) -> None:
    for each in visits:
        hunt.tally.add(each)
        screen.show(each)


def lines(screen: Screen) -> list[str]:
    """The view as it is now."""
    screen._look_due = 0.0
    screen.draw(time.monotonic())
    return [line.plain for line in screen._drawn[1]]


def part(screen: Screen, label: str) -> list[str]:
    """The lines of one part, without its label."""
    shown = lines(screen)
    begin = next(n for n, line in enumerate(shown) if line.startswith(f"{label} "))
    rest = shown[begin + 1 :]
    end = next((n for n, line in enumerate(rest) if line[:1].strip()), len(rest))
    return [line[LABEL:] for line in shown[begin : begin + 1 + end]]


@pytest.fixture
def hunt(tmp_path: Path) -> Hunt:
    """A hunt on a recorded web, that nobody drives."""
    pages = [page(START, "<p>wolf <a href=/b>wolf</a>"), page(f"{START}b", "<p>wolf")]
    folder = compile_web(tmp_path / "tiny", pages).folder
    asked = Asked("wolf", (START,), str(folder), pages=100, policy="best-first")
    made = Hunt(asked, asked.web_to_hunt_on(), None)
    made.policy.start([seed_link(START), seed_link("http://b.test/")])
    return made


# -- numbers -------------------------------------------------------------------------------------


def test_the_head_tells_pages_rate_harvest_and_time_left(
    hunt: Hunt,
) -> None:
    screen = Screen(hunt, terminal())
    began = hunt.began
    screen.draw(began)
    for number in range(20):
        tell(hunt, screen, visit(f"http://a.test/{number}", "Wolf", float(number % 2)))
    screen.draw(began + 5)
    shown = [line.plain for line in screen._drawn[1]]
    assert shown[0].startswith("hunting  wolf  ")
    assert shown[0].endswith("  0:05, 0:20 left")
    assert shown[1].strip() == "20 of 100 pages, 4.0/s, harvest rate 0.500, 10 relevant"
    assert shown[2].endswith("━  20 %")
    assert shown[3] == "harvest  ██  peak 0.50"
    assert shown[4].startswith("next     100 fetches: ")
    assert shown[5] == "hosts    1 visited, 2 links wait"


def test_what_is_to_come_is_told_and_told_anew(hunt: Hunt) -> None:
    screen = Screen(hunt, terminal())
    screen.draw(hunt.began)
    before = part(screen, "next")
    hunt.outlook.extend(Past(np.zeros(500, np.bool_), NOTHING))
    (shown,) = part(Screen(hunt, terminal()), "next")
    hundred, thousand = hunt.forecasts()
    assert shown == f"100 fetches: {hundred}, 1,000 fetches: {thousand}"
    assert [shown] != before


def test_time_left_is_that_of_the_budget_that_ends_first(hunt: Hunt) -> None:
    hunt.asked = hunt.asked.with_budgets(relevant=4, minutes=10.0)
    screen = Screen(hunt, terminal())
    screen.draw(hunt.began)
    tell(hunt, screen, *(visit(f"http://a.test/{n}", "Wolf", float(n < 2)) for n in range(5)))
    screen.draw(hunt.began + 10)
    shown = [line.plain for line in screen._drawn[1]]
    assert shown[0].endswith("  0:10, 0:10 left")
    assert shown[2].endswith(" 50 %")


def test_a_hunt_without_budgets_has_no_bar(hunt: Hunt) -> None:
    hunt.asked = Asked("wolf", (START,), hunt.asked.web, pages=None)
    assert "%" not in "".join(lines(Screen(hunt, terminal())))


def test_the_rate_is_that_of_the_last_seconds() -> None:
    pace = Pace()
    for second in range(200):
        pace.note(float(second), 100 * min(second, 150))
    assert pace.speed(0, 10.0) == 0.0
    assert pace.speed(0, 60.0) == pytest.approx(100 * 11 / 60)
    assert len(pace._samples) == 61
    assert Pace().speed(0, 10.0) == 0.0


@given(st.lists(st.booleans(), max_size=500), st.integers(1, 30))
def test_a_curve_has_bounded_bins_that_miss_at_most_the_last(found: list[bool], width: int) -> None:
    curve = Curve(most=8, pages=2)
    for relevant in found:
        curve.add(relevant)
    assert len(curve.bins) < 8
    whole = len(curve.bins) * curve.pages
    assert sum(curve.bins) == sum(found[:whole])
    assert len(found) - whole < curve.pages
    blocks, peak = curve.line(width)
    assert len(blocks) <= width
    assert 0.0 <= peak <= 1.0


def test_the_curve_is_drawn_from_the_lowest_to_the_highest_block() -> None:
    curve = Curve(pages=7)
    for count in range(8):
        for number in range(7):
            curve.add(number < count)
    assert curve.line(80) == ("▁▂▃▄▅▆▇█", 1.0)
    assert curve.line(4)[0] == "▂▄▆█"  # two bins in one
    assert Curve().line(80) == ("", 0.0)


# -- lists ---------------------------------------------------------------------------------------


def test_finds_links_and_hosts_are_listed(hunt: Hunt) -> None:
    screen = Screen(hunt, terminal())
    tell(hunt, screen, *(visit(f"http://a.test/{n}", f"Wolf {n}", 1.0) for n in range(7)))
    tell(hunt, screen, visit("http://c.test/", "Cats"))
    assert [line.split() for line in part(screen, "found")] == [
        ["Wolf", str(n), f"a.test/{n}"] for n in (6, 5, 4, 3, 2)
    ]
    assert part(screen, "waiting")[:3] == ["seed  a.test/", "seed  b.test/", ""]
    assert part(screen, "busiest")[:3] == ["7 of 7 relevant  a.test", "0 of 1 relevant  c.test", ""]
    assert len(hunt.policy) == 2  # they were only looked at


@pytest.mark.parametrize(("policy", "promise"), [("best-first", "1.00"), ("wolf", " %  ")])
def test_links_promise_what_why_says_of_them(hunt: Hunt, policy: str, promise: str) -> None:
    hunt.asked = replace(hunt.asked, policy=policy, pages=1)
    hunt.policy = hunt._new_policy()
    hunt.policy.start([seed_link(START)])

    async def first() -> None:
        async for _ in hunt.visits():
            pass

    asyncio.run(first())
    (shown, *_) = part(Screen(hunt, terminal()), "waiting")
    assert promise in shown
    assert shown.endswith("  a.test/b")


def test_the_first_frames_of_a_fast_hunt_are_of_one_moment(hunt: Hunt) -> None:
    screen = Screen(hunt, terminal())
    screen.draw(hunt.began)
    tell(hunt, screen, visit("http://a.test/1", "Wolf 1", 1.0))
    screen.draw(hunt.began + 0.3)
    shown = [line.plain for line in screen._drawn[1]]
    assert any(line.startswith("found    Wolf 1") for line in shown)


def test_errors_and_refusals_are_counted_by_kind(hunt: Hunt) -> None:
    screen = Screen(hunt, terminal())
    assert part(screen, "errors") == ["none"]
    for kind, refused in (("timeout", False), ("robots", True), ("timeout", False)):
        tell(hunt, screen, visit("http://a.test/x", error=kind, refused=refused))
    assert part(screen, "errors") == ["2 timeout"]
    assert part(screen, "refused")[0] == "1 robots"
    assert part(screen, "busiest")[0] == "0 of 2 relevant  a.test"  # it was not asked the third


def test_the_most_visited_hosts_survive_a_clearing(
    hunt: Hunt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "_MOST_HOSTS", 10)
    screen = Screen(hunt, terminal())
    for number in range(50):
        screen.show(visit(f"http://h{number}.test/"))
        screen.show(visit(START))
    assert len(screen.visited) <= 10
    assert screen.visited["a.test"] == [50, 0]


def test_a_policy_without_a_frontier_shows_no_waiting_links(hunt: Hunt) -> None:
    class Bare:
        def __len__(self) -> int:
            return 3

    hunt.policy.policy = Bare()  # type: ignore[assignment]
    assert part(Screen(hunt, terminal()), "waiting") == [""] * ROWS


# -- on any terminal -----------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 12, 40, 61, 80, 200])
@pytest.mark.parametrize("height", [3, 10, 24, 50])
def test_the_view_fits_and_keeps_its_height(hunt: Hunt, width: int, height: int) -> None:
    screen = Screen(hunt, terminal(width, height))
    before = len(lines(screen))
    long = "日本 wolf " * 40
    for number in range(30):
        tell(hunt, screen, visit(f"http://host{number}.test/{'x' * 300}", long, 1.0))
    shown = lines(screen)
    assert len(shown) == before < height
    assert max(map(cell_len, shown)) <= width


def test_nothing_from_the_web_is_obeyed(hunt: Hunt) -> None:
    console = terminal(120, 40)
    screen = Screen(hunt, console)
    nasty = "\x1b[2J\x07\u202e[bold]wolf[/bold]\r\n:smile:"
    hunt.asked = Asked(nasty, (START,), hunt.asked.web)
    tell(hunt, screen, visit(f"http://a.test/{nasty}", nasty, 1.0))
    tell(hunt, screen, visit("http://a.test/x", error=nasty))
    link = Link(f"http://c.test/{nasty}", 7, "c.test")
    hunt.policy.start([link])
    with screen:
        shown = "".join(lines(screen))
    out = written(console)
    assert "[bold]wolf[/bold]  :smile:" in shown
    assert shown.isprintable()
    assert "\x1b[2J" not in out
    assert "\x07" not in out
    assert "\u202e" not in out


def test_a_terminal_made_narrower_is_cleared_of_broken_lines(hunt: Hunt) -> None:
    console = terminal(100)
    screen = Screen(hunt, console)
    with screen:
        drawn, before = screen._drawn[1], len(written(console))
        broken = sum(line.cell_len > 50 for line in drawn)
        console.width = 50
        screen.draw(time.monotonic())
        again = written(console)[before:]
    assert broken == 4  # title, numbers, bar and forecast
    assert again.count("\x1b[1A") == len(drawn) - 1 + broken


def test_the_view_leaves_nothing_behind(hunt: Hunt) -> None:
    console = terminal()
    with HuntView(hunt, quiet=False, console=console) as shown:
        shown.show(visit(START))
    assert written(console).endswith("\x1b[?25h\r" + "\x1b[1A\x1b[2K" * 23)  # every line


def test_quiet_is_silence(hunt: Hunt, capsys: pytest.CaptureFixture[str]) -> None:
    console = terminal()
    with HuntView(hunt, quiet=True, console=console) as shown:
        shown.show(visit(START))
    assert written(console) == ""
    assert capsys.readouterr() == ("", "")


def test_a_view_that_is_not_due_costs_microseconds(hunt: Hunt) -> None:
    screen = Screen(hunt, terminal())
    screen._due = float("inf")
    seen = visit(START, "Wolf", 1.0)
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        for _ in range(500):
            screen.show(seen)
        times.append((time.perf_counter() - begin) / 500)
    assert min(times) < 10e-6  # about 1, with room for slow machines


# -- live ----------------------------------------------------------------------------------------


def test_hosts_that_rest_are_counted_and_waited_for() -> None:
    async def look() -> list[str]:
        async with live_hunt() as hunt:
            screen = Screen(hunt, terminal())
            screen.show(visit("http://a.test/"))
            screen.show(visit("http://b.test/"))
            politeness = hunt.web.politeness  # type: ignore[attr-defined]
            politeness.began("a.test")
            politeness.ended("a.test", 429, retry_after="90")
            politeness.give_up("b.test", "it never answers", 1000.0)
            screen._visited_at -= view._PATIENCE
            return lines(screen)

    shown = asyncio.run(look())
    assert "hosts    0 asked, 1 resting, 1 given up, 1 link waits" in shown
    (waiting,) = (line.strip() for line in shown if "waiting for" in line)
    assert waiting.startswith("waiting for a.test, 1:")
    assert any(line.startswith("waiting  seed  a.test/  rests 1:") for line in shown)


def test_the_view_moves_while_no_visit_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_EVERY", 0.01)

    async def wait() -> tuple[int, int, int]:
        console = terminal()
        async with live_hunt() as hunt:
            with HuntView(hunt, quiet=False, console=console):
                begin = len(written(console))
                await asyncio.sleep(0.2)
                moved = len(written(console))
            end = len(written(console))
            await asyncio.sleep(0.1)
            assert len(written(console)) == end  # and stops when it is closed
        return begin, moved, end

    begin, moved, end = asyncio.run(wait())
    assert begin < moved < end


def test_a_resumed_hunt_shows_what_came_before(tmp_path: Path) -> None:
    records = [page(START, "<title>Wolf</title><p>wolf wolf <a href=/b>wolf</a>")]
    records.append(page("http://a.test/b", "<title>Cats</title><p>Cats sleep"))
    folder = compile_web(tmp_path / "tiny", records).folder
    asked = Asked("wolf", (START,), str(folder))

    async def twice() -> list[str]:
        async with Hunt.begin(asked, tmp_path / "hunt") as first:
            async for _ in first.visits():
                pass
            first.finish()
        async with Hunt.resume(asked, tmp_path / "hunt") as hunt:
            async for _ in hunt.recall():
                pass
            with Screen(hunt, terminal()) as screen:
                return lines(screen)

    shown = asyncio.run(twice())
    assert any(line.split() == ["found", "Wolf", "a.test/"] for line in shown)
    assert "busiest  1 of 2 relevant  a.test" in shown
