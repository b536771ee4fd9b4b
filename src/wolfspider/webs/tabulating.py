r"""A web as two tables that other tools read, and that can be imported again.

    pages.tsv   url, title, label (several with | between), text
    links.tsv   source, target, anchor

UTF-8 with a header; tabs, line ends and backslashes in a value are written \t, \n, \r and \\.
Before that, `|` and `\` in a label become `\|` and `\\`, so a bar in a label is `\\|` in the file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from wolfspider.webs.importers.label_cells import join_labels
from wolfspider.webs.new_folder import Beside
from wolfspider.webs.recorded import RecordedWeb

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def tabulate(web: RecordedWeb, folder: Path) -> Iterator[int]:
    """Write the tables, step by step: yields pages done. The folder appears when all is there."""
    beside = Beside(folder)
    try:
        yield from _write(web, beside.path)
        beside.put()
    finally:
        beside.leave()


def _write(web: RecordedWeb, folder: Path) -> Iterator[int]:
    labels = _labels(web)
    with (
        (folder / "pages.tsv").open("w", encoding="utf-8", newline="\n") as pages,
        (folder / "links.tsv").open("w", encoding="utf-8", newline="\n") as links,
    ):
        pages.write("url\ttitle\tlabel\ttext\n")
        links.write("source\ttarget\tanchor\n")
        for number in range(len(web)):
            page = web.page(number)
            pages.write(_line(page.url, page.title, join_labels(labels[number]), page.text))
            for target, anchor in zip(page.links.urls(), page.links.anchors(), strict=True):
                links.write(_line(page.url, target, anchor))
            yield number + 1


def _labels(web: RecordedWeb) -> dict[int, list[str]]:
    labels: dict[int, list[str]] = defaultdict(list)
    for name in web.about["labels"]:
        for page in web.label(name).tolist():
            labels[page].append(name)
    return labels


def _line(*cells: str) -> str:
    return "\t".join(cell.translate(_ESCAPES) for cell in cells) + "\n"
