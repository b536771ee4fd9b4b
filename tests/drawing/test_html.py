"""Pages come to disk whole or not at all, and never in place of what is not theirs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from naughty import naughty_strings
from wolfspider.drawing.html import demand_free, environment, is_page, shown, write_page
from wolfspider.errors import BadInput

OURS = '<!doctype html><meta name="generator" content="wolfspider">'


def test_a_page_is_written_with_the_folders_above_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "page.html"
    write_page(OURS, path)
    write_page(f"{OURS}again \ud800", path)
    assert path.read_text() == f"{OURS}again ?"
    assert os.listdir(path.parent) == ["page.html"]


def test_a_failure_leaves_the_old_page_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    write_page(OURS, path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wolfspider.drawing.html.os.replace", full)
    with pytest.raises(BadInput, match=r"cannot write the page .*page.html: No space left"):
        write_page("new", path)
    assert (path.read_text(), os.listdir(tmp_path)) == (OURS, ["page.html"])


def test_only_pages_of_ours_are_written_over(tmp_path: Path) -> None:
    notes, page, pipe, nowhere = (tmp_path / name for name in ("notes", "page", "pipe", "link"))
    notes.write_text("<h1>My notes</h1>")
    page.write_text(OURS)
    os.mkfifo(pipe)
    nowhere.symlink_to(tmp_path / "nowhere")
    demand_free(page)
    demand_free(tmp_path / "free")
    for path in (notes, pipe, nowhere):
        assert not is_page(path)
        with pytest.raises(BadInput, match="exists and is no page of this command"):
            demand_free(path)
    with pytest.raises(BadInput, match=r"is a folder; name a file with -o"):
        demand_free(tmp_path)


def test_templates_escape_and_know_every_name() -> None:
    made = environment("wolfspider.hunt_report")
    for text in naughty_strings():
        written = made.from_string("{{ text|shown }}").render(text=text)
        assert "<" not in written
        assert '"' not in written
    with pytest.raises(UndefinedError):
        made.from_string("{{ nobody }}").render()
    unfit = "\N{REPLACEMENT CHARACTER}"
    assert shown("a\x1b\n\ud800b") == f"a{3 * unfit}b"
