"""wolfspider web import, info and generate."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from command_line import Generated, Run, left, start
from recordings import gzipped, moved, page

A, B, C = (f"http://a.test/{name}" for name in "abc")
RECORDS = [page(A, f"<p>See <a href={B}>b</a>."), page(B), page(C), moved("http://a.test/d", C)]


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "crawl.warc.gz"
    path.write_bytes(b"".join(gzipped(RECORDS)))
    return path


def test_import_and_info_say_the_same(run: Run, warc: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text(f"url\tlabel\n{A}\tfirst\n{B}\tsecond\n{C}\tsecond\n")
    imported = run(
        "web", "import", warc, "--labels", labels, "-o", tmp_path / "webs" / "x", "--json"
    )
    assert imported.code == 0
    info = run("web", "info", tmp_path / "webs" / "x", "--json")
    assert info.json == imported.json
    assert {key: info.json[key] for key in ("pages", "links", "hosts", "labels", "start")} == {
        "pages": 3,
        "links": 1,
        "hosts": 1,
        "labels": {"first": 1, "second": 2},
        "start": A,
    }
    assert len(info.json["digest"]) == 16
    assert info.json["sources"] == ["crawl.warc.gz"]
    assert info.err == ""


def test_info_for_people(run: Run, generated: Generated) -> None:
    shown = run("web", "info", generated.folder)
    assert shown.out.startswith("pages     600\nlinks     ")
    assert f"start     {generated.start}\n" in shown.out
    assert "role:general" in shown.out


def test_progress_is_plain_lines_on_stderr_and_quiet_has_none(
    run: Run, warc: Path, tmp_path: Path
) -> None:
    loud = run("web", "import", warc, "-o", tmp_path / "a")
    assert "reading crawl.warc.gz: 4 records, " in loud.err
    assert "resolving links: 3 pages, " in loud.err
    assert "\x1b" not in loud.err
    quiet = run("web", "import", warc, "-o", tmp_path / "b", "--quiet", "--json")
    assert quiet.err == ""
    assert quiet.json["pages"] == 3


def test_several_files_make_one_web(run: Run, tmp_path: Path) -> None:
    for number, records in enumerate([RECORDS[:1], RECORDS[1:]]):
        (tmp_path / f"{number}.warc").write_bytes(b"".join(records))
    done = run(
        "web", "import", tmp_path / "0.warc", tmp_path / "1.warc", "-o", tmp_path / "x", "--json"
    )
    assert (done.json["pages"], done.json["links"]) == (3, 1)
    assert done.json["sources"] == ["0.warc", "1.warc"]


def test_of_many_files_a_few_are_named(run: Run, tmp_path: Path) -> None:
    names = [f"{number}.warc" for number in range(7)]
    for name in names:
        (tmp_path / name).write_bytes(b"".join(RECORDS))
    files = [tmp_path / name for name in names]
    done = run("web", "import", *files, "-o", tmp_path / "x")
    assert "0.warc, 1.warc, 2.warc, 3.warc, 4.warc … and 2 more" in done.out


def test_a_damaged_record_is_skipped_counted_and_reported(run: Run, tmp_path: Path) -> None:
    parts = gzipped(RECORDS)
    parts[1] = parts[1][:40] + b"\xff" * 30 + parts[1][70:]
    (tmp_path / "x.warc.gz").write_bytes(b"".join(parts))
    done = run("web", "import", tmp_path / "x.warc.gz", "-o", tmp_path / "x", "--json")
    assert done.code == 0
    assert (done.json["pages"], done.json["left_out"]) == (2, {"damaged record": 1})
    assert "left out: 1 × damaged record" in done.err


def test_a_cut_off_file_is_refused_or_imported_as_far_as_it_goes(
    run: Run, warc: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "in" / "cut.warc.gz"
    cut.write_bytes(warc.read_bytes()[:-20])
    refused = run("web", "import", cut, "-o", tmp_path / "webs" / "x")
    assert refused.code == 2
    assert "cut.warc.gz is cut off after 3 whole records; get a" in refused.err
    assert left(tmp_path) == ["in", "in/crawl.warc.gz", "in/cut.warc.gz"]
    taken = run("web", "import", cut, "-o", tmp_path / "x", "--truncated-ok", "--json")
    assert (taken.json["pages"], taken.json["left_out"]) == (3, {"record that is cut off": 1})


def test_labels_of_unknown_pages(run: Run, warc: Path, tmp_path: Path) -> None:
    labels = tmp_path / "in" / "labels.tsv"
    labels.write_text(f"url\tlabel\n{A}\tx\nhttp://nowhere.test/\ty\n")
    arguments = ("web", "import", warc, "--labels", labels, "-o", tmp_path / "deep" / "x", "--json")
    refused = run(*arguments)
    assert refused.code == 2
    assert "the first for 'http://nowhere.test/'; correct them or give --skip-unk" in refused.err
    assert refused.out == ""
    assert left(tmp_path) == ["in", "in/crawl.warc.gz", "in/labels.tsv"]
    taken = run(*arguments, "--skip-unknown-labels")
    assert taken.json["labels"] == {"x": 1}
    assert taken.json["left_out"] == {"label for an unknown address": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("import nowhere.warc -o x", "there is no file nowhere.warc; give a recording"),
        (
            "import in -o x",
            "in is a folder; give files or a hunt folder, or, for a folder of HTML: wolfspider",
        ),
        ("import in/text -o deep/x", "in/text is not a WARC file: no record can be read from it"),
        ("import in/empty -o deep/x", "in/empty is not a WARC file"),
        ("import in/crawl.warc.gz -o in", "in exists already; choose another folder or remove it"),
        (
            "import in/crawl.warc.gz -o in/text/a/x",
            "cannot write to in/text/a: Not a directory; choose another folder",
        ),
        (
            "import in/crawl.warc.gz -o /proc/nowhere/x",
            "cannot write to /proc/nowhere: No such file or directory; choose another folder",
        ),
        ("import in/crawl.warc.gz --labels in/text -o x", "in/text needs a first line with the"),
        ("import in/crawl.warc.gz --labels nope -o x", "cannot read the labels in nope: No such"),
        ("import in/image.warc -o deep/x", "nothing to import: no page in image.warc"),
        ("info nowhere", "there is no web folder nowhere; make one with: wolfspider web import"),
        ("info in", "in is not a web folder; make one with: wolfspider web import"),
        ("generate -o in", "in exists already; choose another folder or remove it"),
        ("generate -o deep/x --pages 3", "pages is 3, too few for 40 hosts and 12 topics; give"),
        ("generate -o deep/x --topics 1", "topics is 1; a web needs at least 2"),
        ("generate -o deep/x --random-seed -1", "seed is -1; it must be 0 or more"),
        ("generate -o in/text/x", "cannot write to in/text: Not a directory"),
        ("generate -o in/crawl --keep-warc", "in/crawl.warc.gz exists already; choose another"),
    ],
)
def test_bad_input_is_a_sentence_and_leaves_nothing(
    run: Run,
    warc: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in" / "text").write_text("<p>hello, this is no WARC file")
    (tmp_path / "in" / "empty").touch()
    image = page(A).replace(b"text/html", b"image/png")
    (tmp_path / "in" / "image.warc").write_bytes(image)
    before = left(tmp_path)
    refused = run("web", *arguments.split())
    assert refused.code == 2
    assert f"wolfspider: {message}" in refused.err
    assert "Traceback" not in refused.err
    assert refused.out == ""
    assert left(tmp_path) == before


def test_a_generated_web_is_the_one_that_its_recording_gives(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    imported = run(
        "web",
        "import",
        generated.warc,
        "--labels",
        generated.labels,
        "-o",
        tmp_path / "x",
        "--json",
    )
    known = run("web", "info", generated.folder, "--json")
    assert imported.json["digest"] == known.json["digest"]
    assert imported.json["labels"] == known.json["labels"]
    assert known.json["sources"][0].startswith("Synthetic(pages=600, hosts=20, topics=5")


def test_generate_leaves_other_files_alone(run: Run, tmp_path: Path) -> None:
    mine = tmp_path / "x.warc.gz"
    mine.write_text("mine")
    small = ("--pages", "60", "--hosts", "5", "--topics", "2", "--json")
    done = run("web", "generate", "-o", tmp_path / "x", *small)
    assert done.json["pages"] == 60
    assert done.json["start"].startswith("http")
    assert mine.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir() if path != mine] == ["x"]


def test_a_full_disk_is_a_sentence_and_leaves_nothing(
    run: Run, warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path, labels: list[str]) -> str:
        raise OSError(28, "No space left on device", "pages.bin")

    monkeypatch.setattr("wolfspider.webs.new_folder._digest", full)
    done = run("web", "import", warc, "-o", tmp_path / "webs" / "x")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("wolfspider: pages.bin: No space left on device\n")
    done = run("web", "generate", "-o", tmp_path / "webs" / "x", "--keep-warc", "--pages", "200")
    assert done.code == 2
    assert left(tmp_path) == ["in", "in/crawl.warc.gz"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("command", ["import", "generate"])
def test_an_interrupt_leaves_nothing_half_written(
    generated: Generated, tmp_path: Path, number: int, code: int, command: str
) -> None:
    folder = tmp_path / "webs" / "x"
    if command == "import":
        process = start("web", "import", generated.warc, "-o", folder, "--json")
    else:
        process = start("web", "generate", "-o", folder, "--keep-warc", "--json")
    wait_for(folder.with_name(".x.partial") / "spooled_pages.bin", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, ""), err
    assert "Traceback" not in err
    assert "wolfspider: interrupted" in err
    assert left(tmp_path) == []


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Until a file has something in it."""
    end = time.monotonic() + 20
    while not (path.exists() and path.stat().st_size):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)
