"""wolfspider export."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pty
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import COMMAND, Generated, Run, left
from live_hunts import PAGES, A, Served, change, of_format_1, rows, spoil
from warcs import checked_records
from wolfspider.store.exporting import COLUMNS

RELEVANT = {f"{A}wolf", f"{A}sum", "http://b.test/"}


@pytest.fixture(scope="module")
def original(site: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hunts") / "wolf"
    site.hunt(folder)
    return folder


@pytest.fixture
def hunted(original: Path, tmp_path: Path) -> Path:
    """A hunt that a test may damage."""
    return Path(shutil.copytree(original, tmp_path / "hunts" / "wolf"))


def standard_output(*arguments: str | Path) -> bytes:
    done = subprocess.run(
        [*COMMAND, "export", *map(str, arguments), "--quiet"], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def exported(run: Run, hunted: Path, *arguments: str) -> list[dict[str, Any]]:
    out = hunted.parent / "found.jsonl"
    done = run("export", hunted, *arguments, "-o", out, "--force", "--quiet")
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in out.read_bytes().decode().splitlines()]


def test_json_lines_hold_every_page_that_was_fetched(run: Run, hunted: Path) -> None:
    found = {row["url"]: row for row in exported(run, hunted)}
    assert len(found) == PAGES - 1  # the one that is gone is none
    wolf, cats, hidden = found[f"{A}wolf"], found[f"{A}cats"], found[f"{A}hidden"]
    assert list(wolf) == list(COLUMNS)
    assert wolf["text"].startswith("Wolf wolf wolf.")
    assert (wolf["status"], wolf["error"], wolf["source"], wolf["anchor"]) == (200, "", A, "go on")
    assert (wolf["relevance"], wolf["target"], wolf["noindex"]) == (1.0, True, False)
    assert wolf["content_type"] == "text/html"
    assert wolf["at"].endswith("Z")
    assert (cats["link"], cats["url"], cats["depth"]) == (f"{A}old", f"{A}cats", 1)
    assert hidden["noindex"]
    assert {row["url"]: row["copy_of"] for row in found.values() if row["copy_of"]} == {
        f"{A}copy": f"{A}wolf"
    }
    assert found[f"{A}copy"]["text"] == wolf["text"]


def test_what_to_export_can_be_chosen(run: Run, hunted: Path) -> None:
    assert {row["url"] for row in exported(run, hunted, "--relevant")} == RELEVANT
    everything = exported(run, hunted, "--all")
    assert [row["error"] for row in everything if row["error"]] == ["status 404"]
    assert len(everything) == PAGES
    change(hunted, "UPDATE pages SET relevance = 1")
    more = {row["url"] for row in exported(run, hunted, "--relevant")} - RELEVANT
    assert more == {A, f"{A}cats"}  # no copy, nothing that is not to be indexed, nothing lost
    done = run("export", hunted, "--all", "--relevant")
    assert (done.code, done.err) == (
        2,
        "wolfspider: --relevant and --all exclude each other; give one of them\n",
    )


def test_json_lines_survive_what_pages_hold(run: Run, hunted: Path) -> None:
    change(hunted, "UPDATE pages SET score = 9e999 WHERE step = 1")
    change(hunted, "UPDATE pages SET anchor = CAST(x'ff61' AS TEXT) WHERE step = 2")
    change(hunted, "UPDATE pages SET at = 1e300 WHERE step = 3")
    lines = standard_output(hunted, "--format", "jsonl").decode().splitlines()
    first, second, third, *_ = map(json.loads, lines)
    assert (first["score"], second["anchor"], third["at"]) == (None, "\ufffda", None)
    (summed,) = [row for row in map(json.loads, lines) if row["url"] == f"{A}sum"]
    assert "\u2028and" in summed["text"]
    assert "käse" in summed["text"]


def test_csv_is_safe_in_a_spreadsheet(run: Run, hunted: Path) -> None:
    change(hunted, "UPDATE pages SET anchor = ? WHERE step = 2", "@a\0b")
    change(hunted, "UPDATE pages SET score = -1.5 WHERE step = 2")
    table = list(csv.DictReader(io.StringIO(standard_output(hunted, "--format", "csv").decode())))
    assert list(table[0]) == [name for name in COLUMNS if name != "text"]
    assert [row["title"] for row in table if row["url"] == f"{A}sum"] == ["'=1+2"]
    assert (table[1]["anchor"], table[1]["score"]) == ("'@a\ufffdb", "-1.5")
    assert {row["noindex"] for row in table} == {"true", "false"}
    with_text = standard_output(hunted, "--format", "csv", "--text").decode()
    assert "Cats sleep all day." in with_text


def test_parquet_has_types_and_comes_over_a_pipe(
    run: Run, hunted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wolfspider.store.row_formats._GROUP_ROWS", 3)
    out = tmp_path / "found.parquet"
    done = run("export", hunted, "--format", "parquet", "-o", out, "--json", "--quiet")
    assert done.json == {"file": str(out), "format": "parquet", "rows": PAGES - 1, "damaged": 0}
    assert pq.ParquetFile(out).metadata.num_row_groups == 3
    table = pq.read_table(out)
    assert table.schema.names == list(COLUMNS)
    assert table.schema.field("at").type == pa.timestamp("us", tz="UTC")
    assert table.schema.field("target").type == pa.bool_()
    piped = pq.read_table(pa.BufferReader(standard_output(hunted, "--format", "parquet")))
    assert piped.equals(table)
    assert table.to_pylist()[0]["url"] == A


def test_warc_holds_the_records_as_they_came_each_once(
    run: Run, hunted: Path, tmp_path: Path
) -> None:
    out = tmp_path / "all.warc.gz"
    done = run("export", hunted, "--format", "warc", "--all", "-o", out, "--json", "--quiet")
    found = checked_records(out)
    assert found[0][0] == "warcinfo"
    assert done.json["records"] == len(found) - 1 == PAGES + 1  # a redirect
    assert found[1:] == checked_records(hunted / "00001.warc.gz")[1:]
    members = (hunted / "00001.warc.gz").read_bytes()
    begin = rows(hunted, "SELECT min(offset) FROM captures")[0][0]
    assert out.read_bytes().endswith(members[begin:])
    piped = tmp_path / "piped.warc.gz"
    piped.write_bytes(standard_output(hunted, "--format", "warc", "--relevant"))
    assert {url for kind, url in checked_records(piped) if kind == "response"} == RELEVANT


def test_warc_is_compressed_if_its_name_says_so(run: Run, hunted: Path, tmp_path: Path) -> None:
    packed, plain = tmp_path / "all.warc.gz", tmp_path / "all.warc"
    for out in (packed, plain):
        done = run("export", hunted, "--format", "warc", "--all", "-o", out, "--quiet")
        assert done.code == 0, done.err
    first = b"WARC-Type: response"
    unpacked = gzip.decompress(packed.read_bytes())
    assert plain.read_bytes().startswith(b"WARC/1.1\r\n")
    assert plain.read_bytes().partition(first)[2] == unpacked.partition(first)[2] != b""


def test_a_revisit_brings_the_record_that_it_refers_to(
    run: Run, hunted: Path, tmp_path: Path
) -> None:
    ((revisit, step),) = rows(hunted, "SELECT url, step FROM captures WHERE kind = 'revisit'")
    change(hunted, "UPDATE pages SET error = 'x' WHERE step != ?", step)
    out = tmp_path / "one.warc.gz"
    run("export", hunted, "--format", "warc", "-o", out, "--quiet")
    ((copied,),) = rows(hunted, f"SELECT copy_of FROM pages WHERE step = {step}")
    assert checked_records(out)[1:] == [("response", copied), ("revisit", revisit)]


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "warc"])
def test_a_damaged_record_does_not_end_the_export(
    run: Run, hunted: Path, tmp_path: Path, kind: str
) -> None:
    spoil(hunted, f"{A}cats")
    out = tmp_path / ("found.gz" if kind == "warc" else "found")
    done = run("export", hunted, "--format", kind, "--text", "-o", out, "--json")
    assert (done.code, done.json["damaged"]) == (0, 1)
    assert f"damaged records in the WARC files of {hunted}: 1; they " in done.err
    if kind == "jsonl":
        found = {row["url"]: row for row in map(json.loads, out.read_text().splitlines())}
        assert len(found) == PAGES - 1
        assert (found[f"{A}cats"]["title"], found[f"{A}cats"]["text"]) == ("Cats", "")
        assert found[f"{A}wolf"]["text"]
    if kind == "warc":
        assert ("response", f"{A}cats") not in checked_records(out)


def test_a_lost_warc_file_leaves_the_rows(run: Run, hunted: Path) -> None:
    (hunted / "00001.warc.gz").unlink()
    done = run("export", hunted, "-o", hunted.parent / "x", "--json", "--quiet")
    assert (done.json["rows"], done.json["damaged"]) == (PAGES - 1, PAGES - 1)


def test_beside_a_running_hunt(run: Run, site: Served, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    with site.hunting(folder) as process:
        assert len(exported(run, folder)) == PAGES
        out = tmp_path / "x.warc.gz"
        assert run("export", folder, "--format", "warc", "-o", out, "--quiet").code == 0
        assert len(checked_records(out)) == PAGES + 2
        assert process.poll() is None


def test_texts_of_a_recorded_hunt_come_from_its_web(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    web, hunt = tmp_path / "web", tmp_path / "hunt"
    shutil.copytree(generated.folder, web)
    asked = ("--web", web, "--seed", generated.start, "--topic", "astronomy")
    run("hunt", *asked, "--pages", "30", "-o", hunt, "--quiet")
    found = exported(run, hunt)
    assert len(found) >= 25
    assert all(row["text"] for row in found)
    refused = run("export", hunt, "--format", "warc", "-o", tmp_path / "x")
    assert refused.code == 2
    assert refused.err == (
        f"wolfspider: {hunt} has no WARC: it is a hunt on the recorded web {web}; "
        "choose another --format\n"
    )
    of_format_1(tmp_path / "old", web)
    assert [row["step"] for row in exported(run, tmp_path / "old", "--relevant")] == [2]
    shutil.rmtree(web)
    done = run("export", hunt, "-o", tmp_path / "bare", "--json")
    assert done.json["rows"] == len(found)
    assert f"there are no texts: the web of this hunt is not in {web} any more; bring" in done.err
    assert f"put `web =` in {hunt / 'hunt.toml'} right\n" in done.err


def test_a_file_is_whole_or_not_there(run: Run, hunted: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    out.write_text("mine")
    refused = run("export", hunted, "-o", out)
    assert (refused.code, refused.err) == (
        2,
        f"wolfspider: {out} exists already; choose another file or give --force\n",
    )
    assert out.read_text() == "mine"
    done = run("export", hunted, "-o", out, "--force")
    assert done.out == f"{PAGES - 1} rows in {out}\n"
    data = bytearray((hunted / "hunt.db").read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    (hunted / "hunt.db").write_bytes(data)
    failed = run("export", hunted, "-o", tmp_path / "never")
    assert failed.code == 2
    assert "Traceback" not in failed.err
    assert not list(tmp_path.glob("*never*"))
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json"], "--json tells about the file that -o names; without -o there is none"),
        (["-o", "."], ". is a folder; name a file with -o"),
        (["-o", "nowhere/x"], "cannot write to nowhere/x: No such file or directory; choose"),
    ],
)
def test_bad_input_is_a_sentence(
    run: Run, hunted: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(hunted.parent)
    done = run("export", "wolf", *arguments)
    assert done.code == 2
    assert done.err.startswith(f"wolfspider: {message}")
    assert left(hunted.parent)[0] == "wolf"


@pytest.mark.parametrize("kind", ["parquet", "warc"])
def test_a_terminal_gets_no_binary(hunted: Path, kind: str) -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "export", str(hunted), "--format", kind]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, timeout=30)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"wolfspider: {kind} is nothing to read on a terminal;")


def test_a_reader_that_has_had_enough_is_no_trouble(hunted: Path) -> None:
    command = [*COMMAND, "export", str(hunted), "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 1
