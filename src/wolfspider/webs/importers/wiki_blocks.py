"""Lines of wikitext → blocks of HTML: headings, paragraphs, lists and tables.

The lines are HTML within themselves already; what is done here is what MediaWiki decides by the
beginning of a line.
"""

from __future__ import annotations

import re

_QUOTES = re.compile(r"''+|__[A-Z]+__")  # bold, italic, and orders such as __NOTOC__
_HEADING = re.compile(r"(={1,6})(.+?)(={1,6})")
_TABLE = re.compile(r"[:*# ]*\{\|")
_DEEPEST = 20  # tables within tables; more are text


def blocks(text: str) -> str:
    """The lines as blocks. Every element that is opened is closed."""
    writer = _Writer()
    for line in _QUOTES.sub("", text).split("\n"):
        writer.add(line.strip())
    return writer.end()


class _Writer:
    def __init__(self) -> None:
        self._out: list[str] = []
        self._block = ""  # p or ul, if one is open
        self._tables: list[str] = []  # open ones: the cell that is open in them, td or th, or ""

    def add(self, line: str) -> None:
        if not line:
            self._be_in("")
        elif "{|" in line and _TABLE.match(line) and len(self._tables) < _DEEPEST:
            self._open_table()
        elif self._tables and line[0] in "|!":
            self._row(line)
        else:
            self._text(line)

    def end(self) -> str:
        while self._tables:
            self._close_table()
        self._be_in("")
        return "".join(self._out)

    def _be_in(self, block: str) -> None:
        if block != self._block:
            if self._block:
                self._out.append(f"</{self._block}>\n")
            if block:
                self._out.append(f"<{block}>")
            self._block = block

    def _text(self, line: str) -> None:
        self._need_cell()
        first = line[0]
        heading = _HEADING.fullmatch(line) if first == "=" else None
        if heading:
            self._heading(heading)
        elif first in "*#:;":
            self._be_in("ul")
            self._out.append(f"<li>{line.lstrip('*#:; ')}</li>\n")
        elif not line.startswith("----"):
            self._be_in("p")
            self._out.append(f"{line}\n")

    def _heading(self, heading: re.Match[str]) -> None:
        level = min(len(heading[1]), len(heading[3]))
        self._be_in("")
        self._out.append(f"<h{level}>{heading[2].strip(' =')}</h{level}>\n")

    # -- tables ----------------------------------------------------------------------------

    def _open_table(self) -> None:
        self._need_cell()
        self._be_in("")
        self._out.append("<table>")
        self._tables.append("")

    def _close_table(self) -> None:
        self._end_row()
        self._tables.pop()
        self._out.append("</table>\n")

    def _need_cell(self) -> None:
        """Text and tables within a table stand in a cell: HTML would move them before it."""
        if self._tables and not self._tables[-1]:
            self._cell("td", "")

    def _row(self, line: str) -> None:
        """A line within a table: |} its end, |- a new row, |+ its caption, or cells."""
        if line.startswith("|}"):
            self._close_table()
            return
        if line.startswith("|-"):
            self._end_row()
            return
        tag = "th" if line[0] == "!" else "td"
        if tag == "th":
            line = line.replace("!!", "||")
        cells = line[2:] if line.startswith("|+") else line[1:]
        for cell in cells.split("||"):
            self._cell(tag, _without_attributes(cell))

    def _cell(self, tag: str, html: str) -> None:
        self._be_in("")
        before = self._tables[-1]
        self._out.append(f"</{before}><{tag}>{html}" if before else f"<tr><{tag}>{html}")
        self._tables[-1] = tag

    def _end_row(self) -> None:
        self._be_in("")
        if self._tables[-1]:
            self._out.append(f"</{self._tables[-1]}></tr>\n")
            self._tables[-1] = ""


def _without_attributes(cell: str) -> str:
    """`style="…" | text` → `text`; a bar behind a link is text."""
    before, bar, after = cell.partition("|")
    return (after if bar and "<a " not in before else cell).strip()
