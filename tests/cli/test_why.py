"""wolfspider why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import explaining
from command_line import Generated, Outcome, Run, start
from live_hunts import PAGES, SLOW, A, Served, of_format_1, rows
from wolfspider.records import Clue, Link, Page, Receipt, Response, Visit
from wolfspider.store import HuntStore
from wolfspider.webs.recorded import RecordedWeb

TESTS = Path(explaining.__file__).parent
ENDS = "SELECT url FROM pages WHERE step = "


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that explains itself is known, here and in processes that are started."""
    folder = explaining.install(tmp_path / "installed")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{TESTS}")


@pytest.fixture
def stars(run: Run, generated: Generated, tmp_path: Path, installed: None) -> Path:
    """A hunt of 60 pages on a generated web."""
    folder = tmp_path / "stars"
    asked = ("--web", generated.folder, "--seed", generated.start, "--topic", "astronomy")
    done = run("hunt", *asked, "--policy", "explaining", "--pages", "60", "-o", folder, "-q")
    assert done.code == 0, done.err
    return folder


def why(run: Run, *arguments: str | Path) -> dict[str, Any]:
    done = run("why", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return done.json


def test_a_page_of_a_generated_web(run: Run, stars: Path) -> None:
    [(url, title, source, anchor)] = rows(
        stars, "SELECT url, title, source, anchor FROM pages WHERE step = 60"
    )
    found = why(run, stars, url)
    assert (found["state"], found["title"], found["step"], found["steps"]) == (
        *("fetched", title, 60, 60),
    )
    assert (found["found"]["on"], found["found"]["anchor"]) == (source, anchor)
    [(begun,)] = rows(stars, f"SELECT step FROM pages WHERE url = '{source}'")
    assert found["found"]["step"] == begun
    assert found["first"]["pages"] == 60 - begun - 1
    assert found["expected"] in (explaining.LIKELY, explaining.UNLIKELY)
    *_, path = found["clues"]
    assert path["clue"].startswith("tag path body/")
    shown = run("why", stars, url).out
    assert shown.startswith(f"{title}\n{url}\n\nwhat ")
    assert "fetched   at step 60 of 60\n" in shown
    share = round(100 * found["expected"])
    was = "was" if found["relevant"] else "was not"
    assert f"expected  yield {share} %: relevant pages on the best trip that " in shown
    assert f"; it {was} relevant itself\n" in shown
    assert f"    -0.250  ████████          {path['clue']}\n" in shown or len(found["clues"]) == 1


def test_the_first_anchor_word_of_every_page_is_told_as_it_is_written(
    run: Run, stars: Path
) -> None:
    """Every clue of every receipt has a name, and that of an anchor stands in the anchor."""
    for url, anchor in rows(stars, "SELECT url, anchor FROM pages WHERE step > 40"):
        for clue in why(run, stars, url)["clues"]:
            assert "?" not in clue["clue"]
            if clue["kind"] == "anchor":
                assert clue["clue"].split('"')[1] in anchor


def test_a_seed_and_a_waiting_link(run: Run, stars: Path, generated: Generated) -> None:
    assert why(run, stars, generated.start)["seed"] is True
    shown = run("why", stars, generated.start).out
    assert "it is a seed: the hunt began with it, no link led to it" in shown
    waiting = why(run, stars)["waiting"]
    ranks = [why(run, stars, each["url"])["rank"] for each in waiting]
    assert ranks == [1, 2, 3, 4, 5]
    found = why(run, stars, waiting[0]["url"])
    assert (found["state"], found["step"], found["rank"]) == ("waiting", 60, 1)
    assert found["clues"]
    assert found["first"]["best"][0]["step"] == 60
    shown = run("why", stars, waiting[0]["url"]).out
    assert "it has not been followed yet: it waits\n" in shown
    assert "as of     step 60 of 60\n" in shown
    assert f"rank      1st of {found['waiting']:,} waiting links\n" in shown
    shown = run("why", stars).out
    assert "\nThe links that would be followed next, with their expected yields:\n" in shown
    shown = run("why", stars, waiting[0]["url"]).out
    assert "Since it was found, " in shown


def test_which_clues_paid(run: Run, stars: Path) -> None:
    found = why(run, stars)
    assert found["pages"] == 59
    [(relevant,)] = rows(stars, "SELECT sum(relevance >= 0.5) FROM pages WHERE step > 1")
    assert found["relevant"] == relevant
    assert found["paid"]
    assert all(each["relevant"] / each["pages"] > relevant / 59 for each in found["paid"])
    assert all(each["relevant"] / each["pages"] < relevant / 59 for each in found["misled"])
    shown = run("why", stars).out
    assert f"{relevant} of 59 pages that clues led to are relevant" in shown
    for each in found["paid"]:
        assert each["clue"] in shown
    assert why(run, stars, "--best", "1")["paid"] == found["paid"][:1]
    status = run("status", stars, "--json").json
    assert status["clues"] == found["paid"][:5]
    shown = run("status", stars).out
    assert "clues that paid, with the relevant pages among those they spoke for:\n" in shown
    assert found["paid"][0]["clue"] in shown


def test_a_live_hunt_from_beginning_to_end(
    run: Run, site: Served, tmp_path: Path, installed: None
) -> None:
    folder = tmp_path / "hunt"
    site.hunt(folder, "--policy", "explaining")
    assert len(rows(folder, "SELECT * FROM receipts")) == PAGES - 1  # one is a seed
    found = why(run, folder, "a.test/wolf")
    assert found["found"] == {"step": 1, "on": A, "title": "Home", "anchor": "go on"}
    assert (found["relevant"], found["expected"]) == (True, explaining.LIKELY)
    assert [clue["clue"] for clue in found["clues"]] == ['anchor "go"', "tag path body/p/a"]
    assert "\x1b" not in run("why", folder, f"{A}wolf").out
    moved, cats = why(run, folder, f"{A}old"), why(run, folder, f"{A}cats")
    assert moved["sentence"].startswith(f"it redirects to {A}cats; ")
    assert cats["sentence"].startswith(f"{A}old redirects to it; ")
    gone = why(run, folder, f"{A}gone")
    assert (gone["state"], gone["sentence"]) == (
        *("failed", "it was asked for, but could not be had (status 404)"),
    )
    [hidden] = why(run, folder, f"{A}hidden")["notes"]
    assert hidden == "the page asks not to be indexed, so it never counts as relevant"
    notes = [note for name in ("copy", "wolf") for note in why(run, folder, A + name)["notes"]]
    assert len(notes) == 1, "one of the two is a copy of the other"
    assert notes[0].startswith("the same page came before, from http://a.test/")


def test_beside_a_hunt_that_runs_then_killed_and_resumed(
    run: Run, site: Served, tmp_path: Path, installed: None
) -> None:
    folder = tmp_path / "hunt"
    with site.hunting(folder, "--policy", "explaining") as process:
        before = rows(folder, "SELECT * FROM receipts ORDER BY step")
        assert why(run, folder, f"{A}wolf")["clues"]
        assert process.poll() is None
    assert len(before) == PAGES - 1  # of nine pages two are seeds
    resumed = start("resume", folder, "--minutes", "0.02", "--quiet", "--json")
    out, err = resumed.communicate(timeout=60)
    assert resumed.returncode == 0, err
    assert json.loads(out)["pages"] == PAGES + 1
    assert rows(folder, "SELECT * FROM receipts ORDER BY step") == before
    gate = why(run, folder, "gate.test")  # its host wants to rest for two minutes
    assert gate["state"] in ("out", "waiting")
    assert gate["found"]["on"] == SLOW
    assert [clue["clue"] for clue in gate["clues"]] == ['anchor "go"', "tag path body/p/a"]


def test_a_link_that_was_dropped_does_not_wait(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    folder = tmp_path / "hunt"
    asked = ("--web", generated.folder, "--seed", generated.start, "--topic", "astronomy")
    run("hunt", *asked, "--policy", "wolf:buffer=5", "--pages", "30", "-o", folder, "--quiet")
    web = RecordedWeb(generated.folder)
    fetched = {url for (url,) in rows(folder, "SELECT link FROM pages WHERE error = ''")}
    found = {link for url in fetched for link in web.links(web.number(url)).urls()} - fetched
    stories = [run("why", folder, url, "--json").json for url in sorted(found)[:30]]
    dropped = [story for story in stories if "dropped" in story["sentence"]]
    assert dropped
    assert all(story["rank"] <= story["waiting"] for story in dropped)


def test_hunts_without_receipts(run: Run, generated: Generated, tmp_path: Path) -> None:
    folder, old = tmp_path / "new", tmp_path / "old"
    asked = ("--web", generated.folder, "--seed", generated.start, "--topic", "astronomy")
    run("hunt", *asked, "--policy", "best-first", "--pages", "20", "-o", folder, "--quiet")
    [(url,)] = rows(folder, f"{ENDS} 20")
    shown = run("why", folder, url).out
    assert "the policy best-first cannot say why it chooses a link" in shown
    assert "by the policy's own measure\n" in shown
    assert "found " in shown
    nothing = run("why", folder)
    assert nothing.out.startswith("This hunt has no receipts: its policy cannot say why")
    run("hunt", *asked, "--pages", "1", "-o", tmp_path / "seed", "--quiet")
    assert run("why", tmp_path / "seed").out.startswith("No receipts: no link was followed yet, ")
    assert "\nThe links that would be followed next, with their scores:\n" in nothing.out
    assert "clues that paid" not in run("status", folder).out
    assert run("status", folder, "--json").json["clues"] == []
    of_format_1(old, generated.folder)
    before = (old / "hunt.db").read_bytes()
    assert why(run, old, f"{A}wolf")["found"]["step"] == 1
    assert run("why", old).code == 0
    assert (old / "hunt.db").read_bytes() == before


def test_a_link_chosen_to_learn_something_and_quiet(run: Run, tmp_path: Path) -> None:
    asked = {"topic": "wolf", "seeds": [A], "web": "live", "policy": "gone-away"}
    clues = (Clue("up", 0, 0.25), Clue("down\x1b", 0, -1.0), Clue("nothing", 0, 0.0))
    receipt = Receipt(0.125, 12, 1300, True, clues)
    with HuntStore.create(tmp_path / "hunt", asked) as store:
        for name, why_ in (("", None), ("first", None), ("wolf", receipt)):
            link = Link(A + name, 1, "a.test", name, A if name else "", receipt=why_)
            store.add(Visit(link, Page(A + name, name), response=Response(A + name, 200)))
    shown = run("why", tmp_path / "hunt", f"{A}wolf").out
    trip = "relevant pages on the best trip that begins with it"
    assert f"expected  yield 12 %: {trip}; it was not relevant itself\n" in shown
    assert "rank      12th of 1,300 waiting links when it was chosen\n" in shown
    assert "chosen    to learn something, not for its expected yield alone\n" in shown
    assert "    +0.250  ████              up\n" in shown
    assert "    -1.000  ████████████████  down \n" in shown
    assert "    +0.000                    nothing\n" in shown
    assert "1 page came first:\n      score  it was        page\n" in shown
    assert "          0  not relevant  first  http://a.test/first\n" in shown
    quiet = run("why", tmp_path / "hunt", f"{A}wolf", "--quiet").out
    assert quiet
    assert shown.startswith(quiet)
    assert "While it waited" not in quiet


def test_a_link_that_others_had_to_let_pass(run: Run, tmp_path: Path) -> None:
    asked = {"topic": "wolf", "seeds": [A], "web": "live", "policy": "gone-away"}
    receipts = {"": None, "first": Receipt(0.9, 1, 121, False, ())}
    receipts |= {"wolf": Receipt(0.25, 3, 120, False, (Clue("up", 0, 0.25),))}
    with HuntStore.create(tmp_path / "hunt", asked) as store:
        for name, receipt in receipts.items():
            link = Link(A + name, 1, "a.test", name, A if name else "", receipt=receipt)
            store.add(Visit(link, Page(A + name, name), response=Response(A + name, 200)))
    shown = run("why", tmp_path / "hunt", f"{A}wolf").out
    ahead = "better ones waited until their hosts may be asked again"
    assert f"rank      3rd of 120 waiting links when it was chosen; {ahead}\n" in shown
    assert "chosen  " not in shown
    assert "1 page came first:\n   expected  it was        page\n" in shown
    assert "       90 %  not relevant  first  http://a.test/first\n" in shown
    first = run("why", tmp_path / "hunt", f"{A}first").out
    assert "rank      1st of 121 waiting links when it was chosen\n" in first
    assert "fetched   at step 2 of 3\n" in first
    with HuntStore.open(tmp_path / "hunt") as store:
        answer = Response(f"{A}no", 0, error="robots", refused=True)
        store.add(Visit(Link(f"{A}no", 1, "a.test", "no", A), Page(f"{A}no"), response=answer))
    first = run("why", tmp_path / "hunt", f"{A}first").out
    assert "fetched   at step 2 of 4, 1 of them refused\n" in first


def refused(done: Outcome) -> str:
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("wolfspider: ")
    return done.err


def test_bad_input_is_a_sentence(run: Run, stars: Path, tmp_path: Path) -> None:
    [(url,)] = rows(stars, f"{ENDS} 30")
    unknown = refused(run("why", stars, f"{url}x"))
    assert f"has not followed a link to {url}x, and none waits" in unknown
    assert "did you mean " in unknown
    assert url in unknown
    assert "there is no folder" in refused(run("why", tmp_path / "nowhere", url))
    assert "leave it out, or the URL" in refused(run("why", stars, url, "--best", "3"))
    assert "--best is 0" in refused(run("why", stars, "--best", "0"))
    assert "the folder of the hunt comes first" in refused(run("why", url, stars))
    assert "the URL is empty" in refused(run("why", stars, " "))
    (stars / "hunt.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert "is damaged" in refused(run("why", stars, url))
