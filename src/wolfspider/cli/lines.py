"""Lines of the view of a hunt. Whatever comes from the web is made plain, and never markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import nlargest

from rich.text import Text

from wolfspider.cli.output import plain

ROWS = 5  # of finds, of waiting links, of hosts
LABEL = 9  # columns


def label_line(label: str, *parts: str | Text) -> Text:
    line = Text(f"{label:<{LABEL}}", "dim", no_wrap=True, end="")
    return Text.assemble(line, *parts, no_wrap=True)


def counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{count:,} {plain(kind)}" for kind, count in kinds.most_common(6)) or "none"


def list_of(label: str, rows: Iterable[Text]) -> Iterator[Text]:
    """Always so many lines, empty ones too: what stands below must not jump."""
    rows = list(rows)
    for number in range(ROWS):
        yield label_line("" if number else label, rows[number] if number < len(rows) else "")


def bar(share: float, room: int) -> Text:
    columns = max(room - 6, 1)
    done = int(columns * share)
    bar = Text("━" * done, "green") + Text("━" * (columns - done), "dim")
    return bar + Text(f" {int(100 * share):>3} %")


def find(title: str, url: str, room: int) -> Text:
    """Title and URL; on a narrow terminal the title alone if there is one."""
    text = Text(plain(title).strip() or "–")
    if room < 60:
        return text if title.strip() else Text(plain(bare(url)))
    text.truncate(min(room // 2, 60), overflow="ellipsis", pad=True)
    return text + Text(f"  {plain(bare(url))}", "dim")


def host_lines(hosts: list[tuple[str, list[int]]]) -> Iterator[Text]:
    digits = max((len(f"{pages:,}") for _, (pages, _) in hosts), default=1)
    for host, (pages, relevant) in hosts:
        counts = f"{relevant:>{digits},} of {pages:>{digits},}"
        yield Text(f"{counts} relevant  {plain(host)}")


def largest(visited: dict[str, list[int]], count: int) -> list[tuple[str, list[int]]]:
    """Hosts with the most pages, the earlier of equals first."""
    return nlargest(count, visited.items(), key=lambda item: item[1][0])


def bare(url: str) -> str:
    return url.removeprefix("http://").removeprefix("https://")


def clock(seconds: float) -> str:
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:,}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
